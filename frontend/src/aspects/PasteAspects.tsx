import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { change, UNDO } from "../state/corrections";
import { toast } from "../state/messages";
import { aspects, studio } from "../state/project";
import { aspectList, sameName } from "../text/aspect-list";
import { counted } from "../text/numbers";

/** Outlives the form, so that closing it loses nothing. */
const typed = signal("");
const SAMPLE = "parking: garage, valet, fees\nnoise\n- thin walls\n- loud street at night";

/** All aspects of a list at once. Those that are there already are left out. */
export function PasteAspects({ close }: { close: () => void }) {
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const taken = new Set(aspects.value.map((aspect) => sameName(aspect.name)));
  const listed = aspectList(typed.value);
  const fresh = listed.filter((aspect) => !taken.has(sameName(aspect.name)));
  const known = listed.filter((aspect) => taken.has(sameName(aspect.name)));
  const examples = fresh.reduce((sum, aspect) => sum + aspect.examples.length, 0);
  const add = async (event: Event) => {
    event.preventDefault();
    const made = await change(() => studio().addAspects(fresh));
    if (!made) return;
    typed.value = "";
    toast(`Added ${counted(made.aspects.length, "aspect")}.`, "note", UNDO);
    close();
  };
  return (
    <form onSubmit={add}>
      <label class="field">
        One aspect per line
        <textarea ref={box} rows={7} value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} placeholder={SAMPLE} aria-describedby="paste-help" />
      </label>
      <p id="paste-help" class="soft help">After a colon you can describe it. Lines below it that begin with a dash are examples. Cells copied from a spreadsheet work, too.</p>
      <p class="soft help" role="status">
        {listed.length > 0 && <><b>{counted(fresh.length, "new aspect")}</b>{examples > 0 && ` with ${counted(examples, "example")}`}{known.length > 0 && `; already there: ${known.map((aspect) => aspect.name).join(", ")}`}</>}
      </p>
      <footer>
        <button type="button" onClick={close}>Close</button>
        <button type="submit" class="primary" disabled={!fresh.length}>Add {fresh.length > 1 ? `all ${fresh.length}` : "it"}</button>
      </footer>
    </form>
  );
}
