import { useEffect, useState } from "preact/hooks";
import type { CountsOverTime, Unit } from "../api/types";
import { coloured } from "../parts/colour";
import { rove } from "../parts/roving";
import { aspects, project, studio } from "../state/project";
import { charts, choose, show } from "../state/view";
import { counted, percent } from "../text/numbers";
import { useAgain, useCounts } from "./useCounts";

const UNITS: Unit[] = ["day", "week", "month", "quarter", "year"];

/** One small chart for each aspect, all with the same axes: the share of a period's reviews that mention it. */
export function OverTime() {
  const { unit, where } = charts.value;
  const [told, setTold] = useState<CountsOverTime | null>(null);
  const tick = useAgain(told !== null && told.told < 1, told);
  const counts = useCounts(() => (project.value!.dated ? studio().periods(unit, where) : null), unit, where, tick);
  useEffect(() => setTold(counts), [counts]);
  if (!project.value!.dated || !counts) return null;
  return (
    <section class="card chart" aria-label="Over time">
      <div class="panel-head">
        <h2>Over time</h2>
        <label class="order">
          By
          <select value={counts.unit} onChange={(event) => choose({ unit: event.currentTarget.value as Unit })}>
            {UNITS.map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
        </label>
      </div>
      <Multiples counts={counts} />
    </section>
  );
}

function Multiples({ counts: { periods } }: { counts: CountsOverTime }) {
  const of = (id: number, i: number) => periods[i]!.aspects.find((own) => own.id === id);
  const share = (id: number, i: number) => of(id, i)?.share ?? 0;
  const total = (id: number) => periods.reduce((sum, period) => sum + (period.aspects.find((own) => own.id === id)?.reviews ?? 0), 0);
  const shown = [...aspects.value].sort((a, b) => total(b.id) - total(a.id));
  const most = Math.max(0.01, ...shown.flatMap(({ id }) => periods.map((_, i) => share(id, i))));
  const told = periods.some(({ aspects: own }) => own.some(({ negative }) => negative !== null));
  return (
    <>
      <p class="soft">Share of the reviews of each period that mention it; the highest column stands for {percent(most)}. {told && "The dark part of a column are those that complain of it. "}Click a column to read them.</p>
      <div class="multiples">
        {shown.map((aspect) => (
          <figure key={aspect.id} style={coloured(aspect)}>
            <figcaption>{aspect.name}</figcaption>
            <div class="columns" onKeyDown={rove}>
              {periods.map(({ label, period, reviews }, i) => {
                const own = of(aspect.id, i);
                const complaints = own?.reviews && own.negative !== null ? own.negative / own.reviews : null;
                const words = `${label}: ${own?.reviews ?? 0} of ${counted(reviews, "review")}, ${percent(share(aspect.id, i))}${complaints === null ? "" : `; ${percent(complaints)} of these complain`}`;
                return (
                  <button key={period} type="button" tabIndex={i === 0 ? 0 : -1} aria-label={words} title={words} onClick={() => show({ aspect: aspect.id, period, where: charts.value.where })}>
                    <i class={complaints === null ? "" : "told"} style={{ "--p": `${(100 * share(aspect.id, i)) / most}%`, "--n": `${100 * (complaints ?? 0)}%` }} />
                  </button>
                );
              })}
            </div>
            <div class="axis" aria-hidden="true">
              <span>{periods[0]?.label}</span>
              {periods.length > 1 && <span>{periods.at(-1)!.label}</span>}
            </div>
          </figure>
        ))}
      </div>
    </>
  );
}
