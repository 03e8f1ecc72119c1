import { useState } from "preact/hooks";
import { closeDialog, Dialog } from "../parts/Dialog";
import { settle } from "../state/corrections";
import { report } from "../state/messages";
import { project, readProjects, studio } from "../state/project";
import { dialog } from "../state/view";
import { deleteProject } from "./ProjectMenu";

export function ProjectDialog() {
  const { id, name, model } = project.value!;
  const [typed, setTyped] = useState(name);
  const [sure, setSure] = useState("");
  const run = async (work: () => Promise<unknown>) => {
    try {
      await work();
      closeDialog();
      await readProjects();
    } catch (error) {
      report(error);
    }
  };
  const [reader, setReader] = useState(model ?? "");
  const save = (event: Event) => {
    event.preventDefault();
    const changed = { name: typed.trim(), ...(reader === (model ?? "") ? {} : { model: reader || null }) };
    void run(async () => {
      project.value = { ...project.value!, ...(await studio().change(changed)) };
      await settle();
    });
  };
  return (
    <Dialog title="Project">
      <form onSubmit={save}>
        <label class="field">
          Name
          <input value={typed} required maxLength={100} onInput={(event) => setTyped(event.currentTarget.value)} onFocus={(event) => event.currentTarget.select()} autofocus />
        </label>
        <label class="field">
          Language of the reviews
          <select value={reader} onChange={(event) => setReader(event.currentTarget.value)}>
            <option value="">English</option>
            <option value="multilingual">Other languages, or several</option>
          </select>
        </label>
        <footer>
          <button type="submit" class="primary">Save</button>
        </footer>
      </form>
      <details class="danger">
        <summary>Delete the whole project</summary>
        <p>This cannot be undone. Export the project first to keep a copy. To remove reviews alone, see <button type="button" class="linked" onClick={() => (dialog.value = "imports")}>Imported files</button>.</p>
        <label class="field">
          Type the project’s name to delete it
          <input value={sure} placeholder={name} onInput={(event) => setSure(event.currentTarget.value)} />
        </label>
        <button type="button" class="dangerous" disabled={sure.trim() !== name} onClick={() => void run(() => deleteProject(id, name))}>
          Delete the project
        </button>
      </details>
    </Dialog>
  );
}
