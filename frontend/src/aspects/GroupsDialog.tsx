import { useId, useState } from "preact/hooks";
import { coloured } from "../parts/colour";
import { closeDialog, Dialog } from "../parts/Dialog";
import { change, UNDO } from "../state/corrections";
import { toggled } from "../state/decisions";
import { toast } from "../state/messages";
import { aspects, groups, studio } from "../state/project";

/** Several aspects get one heading. */
export function GroupsDialog() {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<number[]>([]);
  const known = useId();
  const put = async (group: string) => {
    const members = chosen;
    if ((await change(() => studio().groupAspects(group, members).then(() => true))) !== true) return;
    closeDialog();
    toast(group ? `Put into the group “${group}”.` : "Taken out of their group.", "note", UNDO);
  };
  const grouped = aspects.value.some((aspect) => chosen.includes(aspect.id) && aspect.group);
  return (
    <Dialog title="Group aspects">
      <form onSubmit={(event) => (event.preventDefault(), void put(name.trim()))}>
        <fieldset class="choices">
          <legend>Which aspects belong together?</legend>
          {aspects.value.map((aspect) => (
            <label key={aspect.id} style={coloured(aspect)}>
              <input type="checkbox" checked={chosen.includes(aspect.id)} onChange={() => setChosen((before) => toggled(before, aspect.id))} />
              <i class="dot" /> {aspect.name} {aspect.group && <small>{aspect.group}</small>}
            </label>
          ))}
        </fieldset>
        <label class="field">
          Name of the group
          <input value={name} required maxLength={100} list={known} placeholder="Room" autocomplete="off" onInput={(event) => setName(event.currentTarget.value)} />
          <datalist id={known}>{groups.value.map((own) => <option key={own} value={own} />)}</datalist>
        </label>
        <footer>
          <button type="button" disabled={!grouped} onClick={() => void put("")}>Take out of their group</button>
          <button type="button" onClick={closeDialog}>Cancel</button>
          <button type="submit" class="primary" disabled={!chosen.length}>Group</button>
        </footer>
      </form>
    </Dialog>
  );
}
