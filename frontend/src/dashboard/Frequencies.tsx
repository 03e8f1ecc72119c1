import type { Dashboard } from "../api/types";
import { coloured } from "../parts/colour";
import { aspectById } from "../state/project";
import { show } from "../state/view";
import { count, percent } from "../text/numbers";

/** How many sentences each aspect was found in. */
export function Frequencies({ numbers }: { numbers: Dashboard }) {
  const rows = [...numbers.aspects].sort((a, b) => b.count - a.count);
  const most = Math.max(1, ...rows.map((row) => row.count));
  const bar = (words: string, n: number, open: () => void, style?: Record<string, string>) => (
    <button key={words} type="button" class="bar" style={style} onClick={open} title={`Show these ${count(n)} sentences`}>
      <span class="name">{words}</span>
      {style ? <span class="track"><i style={{ "--p": `${(100 * n) / most}%` }} /></span> : <span class="no-track" />}
      <span class="count">{count(n)} <small>{percent(numbers.sentences ? n / numbers.sentences : 0)}</small></span>
    </button>
  );
  return (
    <section class="card chart" aria-label="How often">
      <h2>How often</h2>
      <p class="soft">Sentences about each aspect. Click a bar to read them.</p>
      {rows.map((row) => {
        const aspect = aspectById.value.get(row.id);
        return aspect && bar(aspect.name, row.count, () => show({ aspect: row.id }), coloured(aspect));
      })}
      {bar("none of these", numbers.none, () => show({ show: "none" }))}
    </section>
  );
}
