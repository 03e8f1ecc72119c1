import { project } from "../state/project";
import { filter, goTo, show } from "../state/view";
import { count } from "../text/numbers";

/** What to ask of the answers, one click away. */
export function Shortcuts() {
  const { promise } = project.value!;
  const now = filter.value;
  return (
    <ul class="filters" aria-label="What to look at next">
      <li>
        <button type="button" aria-pressed={now.show === "look"} title="Sentences whose answers are too unsure to be relied on" onClick={() => show({ show: "look", q: now.q, where: now.where })}>
          <span>Needs a look</span>
          {promise && <small>{count(promise.look)}</small>}
        </button>
      </li>
      <li><button type="button" title="What people write about that none of your aspects names" onClick={() => goTo("dashboard", "not-named")}><span>Not named yet</span></button></li>
      <li><button type="button" title="Check some sentences and learn how often the answers are right" onClick={() => goTo("evaluate")}><span>How good is it?</span></button></li>
    </ul>
  );
}
