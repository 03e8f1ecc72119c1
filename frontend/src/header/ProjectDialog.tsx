import { useState } from "preact/hooks";
import { closeDialog, Dialog } from "../parts/Dialog";
import { settle } from "../state/corrections";
import { report } from "../state/messages";
import { project, readProjects, studio } from "../state/project";
import { counted } from "../text/numbers";
import { deleteProject } from "./ProjectMenu";

export function ProjectDialog() {
  const { id, name, sentences } = project.value!;
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
  const rename = (event: Event) => {
    event.preventDefault();
    void run(async () => (project.value = { ...project.value!, ...(await studio().change({ name: typed.trim() })) }));
  };
  return (
    <Dialog title="Project">
      <form onSubmit={rename}>
        <label class="field">
          Name
          <input value={typed} required maxLength={200} onInput={(event) => setTyped(event.currentTarget.value)} onFocus={(event) => event.currentTarget.select()} autofocus />
        </label>
        <footer>
          <button type="submit" class="primary">Save the name</button>
        </footer>
      </form>
      <details class="danger">
        <summary>Remove reviews or the whole project</summary>
        <p>Neither can be undone. Export the project first to keep a copy.</p>
        <button type="button" disabled={!sentences} onClick={() => void run(async () => (await studio().removeReviews(), await settle()))}>
          Remove {counted(sentences, "sentence")} of all reviews
        </button>
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
