import type { Dashboard } from "../api/types";
import { coloured } from "../parts/colour";
import { rove } from "../parts/roving";
import { aspects } from "../state/project";
import { charts, show } from "../state/view";
import { count } from "../text/numbers";

/** From here on the names above the columns stand upright. */
const MANY = 8;

/** Which aspects stand in the same sentence. */
export function Together({ numbers }: { numbers: Dashboard }) {
  const shown = aspects.value;
  if (shown.length < 2) return null;
  const counts = new Map(numbers.together.flatMap(([i, j, n]) => [[`${i} ${j}`, n], [`${j} ${i}`, n]] as [string, number][]));
  const most = Math.max(1, ...counts.values());
  const found = (row: number, column: number) => counts.get(`${row} ${column}`) ?? 0;
  const first = shown.slice(1).flatMap((row, r) => shown.slice(0, r + 1).map((column) => [row.id, column.id] as const)).find(([row, column]) => found(row, column));
  return (
    <section class="card chart" aria-label="Together">
      <h2>Together</h2>
      <p class="soft">{first ? "Sentences about two aspects at once. Click a number to read them." : "No sentence is about two of your aspects at once."}</p>
      {first && <div class="scroll-x">
        <table class={`matrix ${shown.length > MANY ? "many" : ""}`} onKeyDown={rove}>
          <thead>
            <tr>
              <td />
              {shown.slice(0, -1).map((aspect) => <th key={aspect.id} scope="col" title={aspect.name}><span>{aspect.name}</span></th>)}
            </tr>
          </thead>
          <tbody>
            {shown.slice(1).map((row, r) => (
              <tr key={row.id}>
                <th scope="row" style={coloured(row)} title={row.name}><span class="row-name"><i class="dot" /> <span class="clipped">{row.name}</span></span></th>
                {shown.slice(0, -1).map((column, c) => {
                  if (c > r) return <td key={column.id} />;
                  const n = found(row.id, column.id);
                  const stop = row.id === first[0] && column.id === first[1];
                  return (
                    <td key={column.id}>
                      <button type="button" disabled={!n} tabIndex={stop ? 0 : -1} style={{ "--p": `${Math.round((55 * n) / most)}%` }} aria-label={`${row.name} and ${column.name}: ${n} sentences`}
                        title={`${row.name} and ${column.name}`} onClick={() => show({ aspect: row.id, together: column.id, where: charts.value.where })}>
                        {n ? count(n) : "·"}
                      </button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>}
    </section>
  );
}
