import { Icon } from "../parts/Icon";
import { tune, tuning } from "../state/corrections";
import { aspects, project } from "../state/project";
import { filter, filtered, show } from "../state/view";
import { count } from "../text/numbers";
import { AddAspect } from "./AddAspect";
import { AspectRow } from "./AspectRow";
import { DefaultThreshold } from "./DefaultThreshold";
import { editNone } from "./editing";
import { useGrowth } from "./GrowthMark";
import { Reliance } from "./Reliance";

export function AspectsPanel() {
  const { sentences, promise } = project.value!;
  useGrowth();
  const now = filter.value;
  const most = Math.max(1, ...aspects.value.map((aspect) => aspect.found));
  return (
    <aside class="panel aspects" aria-label="Aspects">
      <div class="panel-head">
        <h2>Aspects</h2>
        <button type="button" class="quiet" disabled={!aspects.value.length || tuning.value} onClick={() => void tune()} title="Set each threshold to what works best on your examples">
          <Icon name="tune" /> {tuning.value ? "Tuning …" : "Tune"}
        </button>
      </div>
      <ul class="filters">
        <FilterRow words="All sentences" number={sentences} on={!filtered(now)} onClick={() => show({})} />
        {promise && <FilterRow words="Needs a look" number={promise.look} on={now.show === "look"} onClick={() => show({ show: "look", q: now.q })} />}
        <FilterRow words="Uncertain" on={now.show === "uncertain"} onClick={() => show({ show: "uncertain", order: "uncertain", q: now.q })} />
        <FilterRow words="None of these" on={now.show === "none"} onClick={() => show({ show: "none", q: now.q })} />
        <FilterRow words="Your examples" on={now.show === "examples"} onClick={() => show({ show: "examples", q: now.q })} />
      </ul>
      {aspects.value.length > 0 && <Reliance />}
      <ul class="aspect-list">
        {aspects.value.map((aspect, i) => (
          <AspectRow key={aspect.id} aspect={aspect} position={i} most={most} />
        ))}
      </ul>
      {aspects.value.length === 0 && <p class="soft">Name what you care about, for example “room cleanliness” or “parking”, and give a few sentences that speak about it.</p>}
      <AddAspect />
      {aspects.value.length > 0 && <DefaultThreshold />}
      <button type="button" class="quiet full" onClick={editNone}>
        <Icon name="quote" /> Examples of “none of these”
      </button>
    </aside>
  );
}

interface FilterProps {
  words: string;
  number?: number;
  on: boolean;
  onClick: () => void;
}

const FilterRow = ({ words, number, on, onClick }: FilterProps) => (
  <li>
    <button type="button" aria-pressed={on} onClick={onClick}>
      <span>{words}</span>
      {number !== undefined && <small>{count(number)}</small>}
    </button>
  </li>
);
