import { useEffect, useState } from "preact/hooks";
import type { ColumnCounts } from "../api/types";
import { coloured } from "../parts/colour";
import { rove } from "../parts/roving";
import { SIGNS } from "../sentiment/polarity";
import { columns } from "../state/columns";
import { aspects, studio } from "../state/project";
import { charts, choose, show } from "../state/view";
import { count, percent } from "../text/numbers";
import { dividing } from "./chosen";
import { useAgain, useCounts } from "./useCounts";

/** How many of the reviews of each segment mention each aspect. */
export function Segments() {
  const { where } = charts.value;
  const column = dividing.value?.name;
  const [told, setTold] = useState<ColumnCounts | null>(null);
  const tick = useAgain(told !== null && told.told < 1, told);
  const counts = useCounts(() => (column === undefined ? null : studio().segments(column, where)), column, where, tick);
  useEffect(() => setTold(counts), [counts]);
  if (!columns.value?.length) {
    return (
      <section class="card chart" aria-label="By segment">
        <h2>By segment</h2>
        <p class="soft">When your file has other columns, such as country, rating or product, their reviews can be compared here.</p>
      </section>
    );
  }
  if (!counts) return null;
  const first = counts.segments.findIndex((segment) => segment.reviews > 0);
  const most = Math.max(0.01, ...counts.segments.flatMap((segment) => segment.aspects.map(({ share }) => share)));
  return (
    <section class="card chart" aria-label="By segment">
      <div class="panel-head">
        <h2>By segment</h2>
        <label class="order">
          Column
          <select value={column} onChange={(event) => choose({ by: event.currentTarget.value, one: [], other: [] })}>
            {columns.value.map(({ name }) => <option key={name} value={name}>{name}</option>)}
          </select>
        </label>
      </div>
      <p class="soft">Share of the reviews of each segment that mention the aspect. {counts.segments.some((segment) => segment.aspects.some(({ negative }) => negative !== null)) && ` Below it (${SIGNS.negative}), how many of these complain of it.`} Click a number to read them.</p>
      <div class="scroll-x">
        <table class="matrix segments" onKeyDown={rove}>
          <thead>
            <tr>
              <td />
              {counts.segments.map((segment) => <th key={segment.label} scope="col">{segment.label}<small>{count(segment.reviews)}</small></th>)}
            </tr>
          </thead>
          <tbody>
            {aspects.value.map((aspect, r) => (
              <tr key={aspect.id}>
                <th scope="row" style={coloured(aspect)}><i class="dot" /> {aspect.name}</th>
                {counts.segments.map((segment, c) => {
                  const own = segment.aspects.find(({ id }) => id === aspect.id);
                  if (!own || !segment.reviews) return <td key={segment.label} class="soft">–</td>;
                  const words = `${aspect.name}, ${segment.label}: ${count(own.reviews)} of ${count(segment.reviews)} reviews, ${percent(own.share)} (${percent(own.low)} to ${percent(own.high)})`;
                  return (
                    <td key={segment.label}>
                      <button type="button" tabIndex={r === 0 && c === first ? 0 : -1} style={{ "--p": `${Math.round((40 * own.share) / most)}%` }} aria-label={words} title={words}
                        onClick={() => show({ aspect: aspect.id, where: segment.where })}>
                        {percent(own.share)}
                      </button>
                      {own.negative !== null && own.reviews > 0 && (
                        <button type="button" class="complaints" tabIndex={-1} aria-label={`${aspect.name}, ${segment.label}: ${count(own.negative)} of these ${count(own.reviews)} reviews complain`}
                          title={`${count(own.negative)} of these ${count(own.reviews)} reviews complain`} onClick={() => show({ aspect: aspect.id, where: segment.where, sentiment: "negative" })}>
                          {SIGNS.negative} {percent(own.negative / own.reviews)}
                        </button>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
