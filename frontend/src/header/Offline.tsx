import { offline } from "../api/http";
import { unsavedCount } from "../state/pending";
import { project } from "../state/project";
import { counted } from "../text/numbers";

/** Stays while the studio does not answer, and says what becomes of one's work. */
export function Offline() {
  if (!offline.value || !project.value) return null;
  const left = unsavedCount();
  return (
    <div class="offline" role="alert">
      <b>The studio does not answer.</b> {left ? `${counted(left, "correction")} not saved yet: kept in this browser and sent when it is back.` : "Corrections are kept in this browser and sent when it is back."} Other changes are not saved.
    </div>
  );
}
