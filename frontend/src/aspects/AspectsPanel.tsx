import { Icon } from "../parts/Icon";
import { tune, tuning } from "../state/corrections";
import { byGroup } from "../state/groups";
import { aspects, project } from "../state/project";
import { dialog, filter, filtered, show } from "../state/view";
import { count } from "../text/numbers";
import { AddAspect } from "./AddAspect";
import { AspectRow } from "./AspectRow";
import { DefaultThreshold } from "./DefaultThreshold";
import { editNone } from "./editing";
import { useGrowth } from "./GrowthMark";
import { Reliance } from "./Reliance";
import { Shortcuts } from "./Shortcuts";

export function AspectsPanel() {
  const { sentences } = project.value!;
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
        <FilterRow words="Uncertain" on={now.show === "uncertain"} onClick={() => show({ show: "uncertain", order: "uncertain", q: now.q, where: now.where })} />
        <FilterRow words="None of these" on={now.show === "none"} onClick={() => show({ show: "none", q: now.q, where: now.where })} />
        <FilterRow words="Your examples" on={now.show === "examples"} onClick={() => show({ show: "examples", q: now.q, where: now.where })} />
      </ul>
      <Shortcuts />
      {aspects.value.length > 0 && <Reliance />}
      {byGroup(aspects.value).map(([group, members]) => (
        <section key={group} class="aspect-group" aria-label={group || "Aspects"}>
          {group && (
            <h3>
              <button type="button" aria-pressed={now.group === group} title={`Show the sentences about any of ${group}`} onClick={() => show(now.group === group ? { q: now.q } : { group, q: now.q })}>{group}</button>
            </h3>
          )}
          <ul class="aspect-list">
            {members.map((aspect) => (
              <AspectRow key={aspect.id} aspect={aspect} position={aspects.value.indexOf(aspect)} most={most} />
            ))}
          </ul>
        </section>
      ))}
      {aspects.value.length === 0 && <p class="soft">Name what you care about, for example “room cleanliness” or “parking”, and give a few sentences that speak about it.</p>}
      <AddAspect />
      {aspects.value.length > 1 && (
        <button type="button" class="quiet full" onClick={() => (dialog.value = "groups")}>
          <Icon name="folder" /> Group aspects …
        </button>
      )}
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
