import type { AnswerPromise } from "../api/types";
import { change } from "../state/corrections";
import { project, studio } from "../state/project";
import { count, counted } from "../text/numbers";

const TARGETS: [number, string][] = [[0.8, "at least 8 of 10 right"], [0.9, "at least 9 of 10 right"], [0.95, "at least 19 of 20 right"]];

/** How right answers must be that nobody looks at, and what that leaves to look at. */
export function Reliance() {
  const { promise } = project.value!;
  const known = promise && !TARGETS.some(([target]) => target === promise.precision) ? [...TARGETS, [promise.precision, `at least ${Math.round(100 * promise.precision)} of 100 right`] as [number, string]] : TARGETS;
  const chosen = promise ? String(promise.precision) : "";
  const choose = async (box: HTMLSelectElement) => {
    const { value } = box;
    if (!(await change(() => studio().change({ target_precision: value ? Number(value) : null })))) box.value = chosen;
  };
  return (
    <section class="reliance" aria-label="Answers to rely on">
      <label>
        <span>Accept without a look</span>
        <select value={chosen} onChange={(event) => void choose(event.currentTarget)}>
          <option value="">nothing</option>
          {known.map(([target, words]) => <option key={target} value={String(target)}>{words}</option>)}
        </select>
      </label>
      {promise && <p class="soft" role="status">{state(promise)}</p>}
    </section>
  );
}

function state(promise: AnswerPromise): string {
  if (!promise.ready) return "Working it out from your examples …";
  if (promise.promised) return `${counted(promise.accepted, "answer")} of ${count(promise.answers)} accepted; ${needs(promise)}.`;
  const hope = promise.more === null ? "More examples alone would hardly help, because the answers are not right often enough." : `Confirm about ${count(promise.more)} more sentences.`;
  return `Your ${counted(promise.labels, "example")} are too few to promise that. ${hope} Until then all answers need a look.`;
}

const needs = ({ look }: AnswerPromise) => (look === 1 ? "1 sentence needs a look" : `${count(look)} sentences need a look`);
