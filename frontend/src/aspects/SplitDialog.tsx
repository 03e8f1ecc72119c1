import { useEffect, useState } from "preact/hooks";
import type { ExampleToMove } from "../api/types";
import { coloured } from "../parts/colour";
import { closeDialog, Dialog } from "../parts/Dialog";
import { change, UNDO } from "../state/corrections";
import { report, toast } from "../state/messages";
import { aspectById, studio } from "../state/project";
import { counted } from "../text/numbers";
import { editAspect, edited } from "./editing";

/** Some examples of an aspect become a new one; those that are alike are proposed. */
export function SplitDialog() {
  const aspect = aspectById.value.get(edited.value as number);
  const [examples, setExamples] = useState<ExampleToMove[] | null>(null);
  const [name, setName] = useState("");
  const id = aspect?.id;
  const moved = (examples ?? []).filter((example) => example.moved).map((example) => example.id);
  const propose = (like: number[]) => void studio().proposeSplit(id!, like).then((found) => setExamples(found.examples), report);
  useEffect(() => void (id !== undefined && propose([])), [id]);
  if (!aspect) return null;
  const toggle = (own: number) => setExamples((before) => before!.map((one) => (one.id === own ? { ...one, moved: !one.moved } : one)));
  const split = async (event: Event) => {
    event.preventDefault();
    const made = await change(() => studio().splitAspect(aspect.id, { name: name.trim(), description: "", examples: moved }));
    if (!made) return;
    closeDialog();
    toast(`“${made.name}” has ${counted(made.examples, "example")} of “${aspect.name}” now.`, "note", UNDO);
  };
  const possible = moved.length > 0 && moved.length < (examples?.length ?? 0);
  return (
    <Dialog title={`Split ${aspect.name} in two`} onClose={() => editAspect(aspect.id)}>
      <form onSubmit={split} style={coloured(aspect)}>
        <label class="field">
          Name of the new aspect
          <input value={name} required maxLength={100} autofocus onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <fieldset class="choices examples-to-move">
          <legend>Examples that go to it: {moved.length} of {examples?.length ?? "…"}</legend>
          <p class="soft">A first choice is made: sentences that are alike. Tick others as you like.</p>
          {examples?.map((example) => (
            <label key={example.id}>
              <input type="checkbox" checked={example.moved} onChange={() => toggle(example.id)} /> {example.text}
            </label>
          ))}
        </fieldset>
        <footer>
          <button type="button" disabled={!possible} onClick={() => propose(moved)}>Tick those like these</button>
          <button type="button" onClick={() => editAspect(aspect.id)}>Cancel</button>
          <button type="submit" class="primary" disabled={!possible}>Split</button>
        </footer>
      </form>
    </Dialog>
  );
}
