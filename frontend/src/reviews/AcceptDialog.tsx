import { signal } from "@preact/signals";
import type { Sentence } from "../api/types";
import { closeDialog, Dialog } from "../parts/Dialog";
import { change, refused, UNDO } from "../state/corrections";
import { toast } from "../state/messages";
import { aspects, studio } from "../state/project";
import { indexOf, sentenceAt } from "../state/sentences";
import { dialog } from "../state/view";
import { counted } from "../text/numbers";

/** Those that were on the screen when the dialog was opened, as they were shown. */
const chosen = signal<Sentence[]>([]);

/** Sentences of which at least half is in view and that nobody has confirmed. */
function visibleSentences(): Sentence[] {
  const list = document.querySelector(".reviews");
  if (!list) return [];
  const { top, bottom } = list.getBoundingClientRect();
  const seen = [...list.querySelectorAll<HTMLElement>("article.sentence")].filter((card) => {
    const box = card.getBoundingClientRect();
    return Math.min(box.bottom, bottom) - Math.max(box.top, top) >= box.height / 2;
  });
  const found = seen.map((card) => sentenceAt(indexOf(Number(card.querySelector<HTMLElement>("[data-sentence]")?.dataset.sentence))));
  return found.filter((sentence) => sentence !== undefined).filter((sentence) => !sentence.confirmed);
}

export function acceptVisible(): void {
  chosen.value = visibleSentences();
  if (!chosen.value.length) return toast("All sentences on the screen are confirmed already.");
  dialog.value = "accept";
}

/** Says how many sentences will be confirmed, and as what. */
export function AcceptDialog() {
  const sentences = chosen.value;
  const counts = aspects.value.map((aspect) => [aspect.name, sentences.filter((own) => own.aspects.includes(aspect.id)).length] as const).filter(([, n]) => n);
  const none = sentences.filter((own) => !own.aspects.length).length;
  const accept = async () => {
    if (refused()) return;
    closeDialog();
    const done = await change(() => studio().confirm(sentences.map(({ id, aspects: own }) => ({ id, aspects: own }))));
    if (done) toast(`Confirmed ${counted(done.confirmed, "sentence")}.`, "note", UNDO);
  };
  return (
    <Dialog title={`Confirm ${counted(sentences.length, "sentence")}?`}>
      <p>The answers of the sentences on the screen that you have not confirmed yet become examples, as they are shown:</p>
      <ul class="tally">
        {counts.map(([name, n]) => <li key={name}>{name}: {n}</li>)}
        {none > 0 && <li>none of these: {none}</li>}
      </ul>
      <p class="soft">Read them first: wrong examples make wrong answers. One undo takes all of them back.</p>
      <footer>
        <button type="button" onClick={closeDialog}>Cancel</button>
        <button type="button" class="primary" onClick={() => void accept()}>Confirm {sentences.length}</button>
      </footer>
    </Dialog>
  );
}
