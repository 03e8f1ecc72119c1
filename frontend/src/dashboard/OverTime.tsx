import type { Dashboard } from "../api/types";
import { coloured } from "../parts/colour";
import { rove } from "../parts/roving";
import { aspectById } from "../state/project";
import { show } from "../state/view";
import { counted, percent } from "../text/numbers";

/** One small chart for each aspect, all with the same axes: the share of a period's sentences that is about it. */
export function OverTime({ numbers }: { numbers: Dashboard }) {
  const periods = numbers.over_time;
  if (!periods.length) return null;
  const share = (id: number, i: number) => (periods[i]!.counts[id] ?? 0) / Math.max(1, periods[i]!.total);
  const ids = [...numbers.aspects].sort((a, b) => b.count - a.count).map((row) => row.id).filter((id) => aspectById.value.has(id));
  const most = Math.max(0.01, ...ids.flatMap((id) => periods.map((_, i) => share(id, i))));
  return (
    <section class="card chart" aria-label="Over time">
      <h2>Over time</h2>
      <p class="soft">Share of the sentences of each period; the highest column stands for {percent(most)}. Click a column to read them.</p>
      <div class="multiples">
        {ids.map((id) => (
          <figure key={id} style={coloured(aspectById.value.get(id))}>
            <figcaption>{aspectById.value.get(id)!.name}</figcaption>
            <div class="columns" onKeyDown={rove}>
              {periods.map(({ period, counts }, i) => {
                const words = `${period}: ${counted(counts[id] ?? 0, "sentence")}, ${percent(share(id, i))}`;
                return (
                  <button key={period} type="button" tabIndex={i === 0 ? 0 : -1} aria-label={words} title={words} onClick={() => show({ aspect: id, period })}>
                    <i style={{ "--p": `${(100 * share(id, i)) / most}%` }} />
                  </button>
                );
              })}
            </div>
            <div class="axis" aria-hidden="true">
              <span>{periods[0]!.period}</span>
              {periods.length > 1 && <span>{periods.at(-1)!.period}</span>}
            </div>
          </figure>
        ))}
      </div>
    </section>
  );
}
