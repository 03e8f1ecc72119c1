import { useState } from "preact/hooks";
import { coloured } from "../parts/colour";
import { closeDialog, Dialog } from "../parts/Dialog";
import { change, UNDO } from "../state/corrections";
import { toast } from "../state/messages";
import { aspectById, aspects, studio } from "../state/project";
import { counted } from "../text/numbers";
import { editAspect, edited } from "./editing";

/** Two aspects become one, with the examples of both. */
export function MergeDialog() {
  const aspect = aspectById.value.get(edited.value as number);
  const others = aspects.value.filter((one) => one.id !== edited.value);
  const [chosen, setChosen] = useState<number | null>(null);
  const [typed, setTyped] = useState<{ name?: string; description?: string }>({});
  if (!aspect) return null;
  const other = others.find((one) => one.id === chosen);
  const name = typed.name ?? aspect.name;
  const description = typed.description ?? [...new Set([aspect.description, other?.description ?? ""])].filter(Boolean).join("; ").slice(0, 2000);
  const merge = async (event: Event) => {
    event.preventDefault();
    if (!other) return;
    const made = await change(() => studio().mergeAspects(aspect.id, { other: other.id, name: name.trim(), description: description.trim() }));
    if (!made) return;
    closeDialog();
    toast(`“${other.name}” is part of “${made.name}” now, which has ${counted(made.examples, "example")}.`, "note", UNDO);
  };
  return (
    <Dialog title={`Merge ${aspect.name} with another aspect`} onClose={() => editAspect(aspect.id)}>
      <form onSubmit={merge}>
        <fieldset class="choices">
          <legend>Which one is the same?</legend>
          {others.map((one) => (
            <label key={one.id} style={coloured(one)}>
              <input type="radio" name="other" required checked={one.id === chosen} onChange={() => setChosen(one.id)} />
              <i class="dot" /> {one.name} <small>{counted(one.examples, "example")}</small>
            </label>
          ))}
        </fieldset>
        <label class="field">
          Name of both
          <input value={name} required maxLength={100} onInput={(event) => setTyped({ ...typed, name: event.currentTarget.value })} />
        </label>
        <label class="field">
          Description
          <input value={description} maxLength={2000} onInput={(event) => setTyped({ ...typed, description: event.currentTarget.value })} />
        </label>
        <p class="soft">All examples and what you have checked go with it. One undo brings both back.</p>
        <footer>
          <button type="button" onClick={() => editAspect(aspect.id)}>Cancel</button>
          <button type="submit" class="primary" disabled={!other}>Merge</button>
        </footer>
      </form>
    </Dialog>
  );
}
