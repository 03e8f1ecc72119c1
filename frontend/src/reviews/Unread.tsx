import { useState } from "preact/hooks";
import { settle } from "../state/corrections";
import { report } from "../state/messages";
import { project, studio } from "../state/project";
import { listed } from "../text/languages";

/** Says which reviews are in a language that is not read, and offers the model that reads them. */
export function Unread() {
  const [busy, setBusy] = useState(false);
  const unread = project.value?.unread;
  if (!unread) return null;
  const read = async () => {
    setBusy(true);
    try {
      project.value = { ...project.value!, ...(await studio().change({ model: unread.model })) };
      await settle();
    } catch (error) {
      report(error);
    }
    setBusy(false);
  };
  return (
    <aside class="card unread" role="status">
      <p>{listed(unread)}, which this project does not read: hardly anything will be found in them.</p>
      {unread.model && <button type="button" disabled={busy} onClick={() => void read()}>Read other languages too</button>}
    </aside>
  );
}
