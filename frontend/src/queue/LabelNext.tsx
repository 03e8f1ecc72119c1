import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { saved } from "../state/corrections";
import { onMove, passOver } from "../state/keyboard";
import { report } from "../state/messages";
import { project, studio } from "../state/project";
import { clearQueue, nothingToLabel, queue, readQueue, settling } from "../state/queue";
import { holdSelected } from "../state/sentences";
import { selected } from "../state/view";
import { focusSelected } from "../reviews/focus";
import { SentenceCard } from "../reviews/SentenceCard";
import { percent } from "../text/numbers";

const AT_ONCE = 10;
const asking = signal(false);

/** Sentences that are worth a label: doubtful, new, typical. They stay in place until the next ones are asked for. */
export function LabelNext() {
  const box = useRef<HTMLDivElement>(null);
  const id = project.value!.id;
  useEffect(() => {
    onMove(() => focusSelected(box.current!));
    clearQueue();
    void ask(box.current!);
  }, [id]);
  const some = project.value!.sentences > 0 && project.value!.aspects.length > 0;
  const done = queue.value.filter(({ sentence }) => sentence.confirmed).length;
  return (
    <div ref={box} class={`scroll queue ${asking.value ? "loading" : ""}`} tabIndex={-1} aria-busy={asking.value}>
      <div class="intro">
        <h2>Label these next</h2>
        <p class="soft">
          The detector is unsure of these, or knows little like them. Take wrong aspects away, add others with “+” or a number key, then confirm with Enter. Skip (s) what you cannot decide.
        </p>
        {queue.value.length > 0 && (
          <div class="queue-progress">
            <span class="track"><i style={{ "--p": `${(100 * done) / queue.value.length}%` }} /></span>
            <span>{done} of {queue.value.length}</span>
            <button type="button" class={done === queue.value.length ? "primary" : ""} onClick={() => void ask(box.current!)}>Next {AT_ONCE}</button>
          </div>
        )}
      </div>
      {settling.value?.settled && (
        <p class="settled" role="status">
          <b>You can stop here.</b> Your last 20 labels changed only {percent(settling.value.changed!)} of the answers; more labels will hardly change them.
        </p>
      )}
      {asking.value && !queue.value.length && <p class="empty soft" role="status">Looking for the sentences that help most …</p>}
      {nothingToLabel.value && <p class="empty soft">{some ? "Nothing is left to label: you have confirmed or skipped all sentences." : "Nothing to label: import reviews and add an aspect first."}</p>}
      <div role={queue.value.length ? "feed" : undefined} aria-label={queue.value.length ? "Label these next" : undefined}>
        {queue.value.map(({ sentence, reason }, i) => (
          <SentenceCard key={sentence.id} sentence={sentence} index={i} total={queue.value.length}>
            <p class="why-asked">
              {reason}
              {!sentence.confirmed && (
                <button type="button" class="linked" tabIndex={selected.value === sentence.id ? 0 : -1} onClick={(event) => (event.stopPropagation(), passOver(sentence))}>Skip</button>
              )}
            </p>
          </SentenceCard>
        ))}
      </div>
    </div>
  );
}

/**
 * What was said of these comes first, so that none of them is offered again. The focus leaves the button at once, so that Enter does not press it again,
 * and goes to the first sentence, unless it is elsewhere by then.
 */
async function ask(box: HTMLElement): Promise<void> {
  if (box.contains(document.activeElement)) box.focus({ preventScroll: true });
  const from = document.activeElement;
  selected.value = null;
  asking.value = true;
  try {
    await saved();
    if (!(await readQueue(studio(), AT_ONCE)) || !box.isConnected) return;
    selected.value = queue.value[0]?.sentence.id ?? null;
    holdSelected();
    if (document.activeElement === from) focusSelected(box);
  } catch (error) {
    report(error);
  } finally {
    asking.value = false;
  }
}
