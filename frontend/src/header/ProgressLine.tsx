import { importing } from "../state/importing";
import { project } from "../state/project";
import { count, percent } from "../text/numbers";

/** What the studio is busy with: how far, and in words. */
function progress(): { share: number; words: string } | null {
  const job = importing.value;
  const scored = project.value?.scored ?? 1;
  if (job) {
    const words = `${job.stage === "reading" ? "Reading reviews" : "Looking for aspects"}: ${count(job.done)}${job.total ? ` of ${count(job.total)}` : ""}`;
    return { share: job.total ? job.done / job.total : 0, words };
  }
  return scored < 1 ? { share: scored, words: `Looking through all sentences: ${percent(scored)}` } : null;
}

export function ProgressLine() {
  const now = progress();
  if (!now) return null;
  return (
    <div class="progress" role="progressbar" aria-label="Detection" aria-valuetext={now.words} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(100 * now.share)}>
      <i style={{ "--p": `${100 * now.share}%` }} />
    </div>
  );
}

export function ProgressWords() {
  const now = progress();
  return now && <div class="toast progress-words">{now.words}</div>;
}
