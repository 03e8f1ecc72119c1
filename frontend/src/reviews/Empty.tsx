import { project } from "../state/project";
import { dialog, show } from "../state/view";

export const Empty = () => (
  <div class="empty">
    {project.value?.sentences ? (
      <>
        <h2>No sentence like this</h2>
        <button type="button" onClick={() => show({})}>Show all sentences</button>
      </>
    ) : (
      <>
        <h2>No reviews yet</h2>
        <p>Import a file (CSV, TSV, JSON lines, Parquet or plain text). It stays on this computer.</p>
        <button type="button" class="primary" onClick={() => (dialog.value = "import")}>Import reviews</button>
      </>
    )}
  </div>
);
