import { importing } from "../state/importing";
import { project } from "../state/project";
import { count, percent } from "../text/numbers";

/** What the studio is busy with, under the header. */
export function ProgressLine() {
  const job = importing.value;
  const scored = project.value?.scored ?? 1;
  if (!job && scored >= 1) return null;
  const reading = job?.stage === "reading";
  const share = job ? (job.total ? job.done / job.total : 0) : scored;
  const words = job ? `${reading ? "Reading reviews" : "Detecting"}: ${count(job.done)} of ${job.total ? count(job.total) : "…"}` : `Scoring all sentences: ${percent(scored)}`;
  return (
    <div class="progress" role="progressbar" aria-label={words} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(100 * share)}>
      <i style={{ "--p": `${100 * share}%` }} />
      <span>{words}</span>
    </div>
  );
}
