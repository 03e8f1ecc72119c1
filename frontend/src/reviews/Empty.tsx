import { Reliance } from "../aspects/Reliance";
import { project } from "../state/project";
import { dialog, filter, show } from "../state/view";

export const Empty = () => (
  <div class="empty">
    {project.value?.sentences && filter.value.show === "look" && !project.value.promise ? (
      <>
        <h2>Which answers need a look?</h2>
        <p>Choose how often answers must be right that nobody checks. Answers that are less sure than that are then listed here.</p>
        <Reliance />
        <button type="button" onClick={() => show({})}>Show all sentences</button>
      </>
    ) : project.value?.sentences ? (
      <>
        <h2>No sentence like this</h2>
        <p>None of the sentences has all that you filter by.</p>
        <button type="button" onClick={() => show({})}>Show all sentences</button>
      </>
    ) : (
      <>
        <h2>No reviews yet</h2>
        <p>Import a file: Excel, CSV, plain text and more. It stays on this computer.</p>
        <button type="button" class="primary" onClick={() => (dialog.value = "import")}>Import reviews</button>
      </>
    )}
  </div>
);
