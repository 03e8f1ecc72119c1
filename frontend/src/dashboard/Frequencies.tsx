import type { Dashboard } from "../api/types";
import { coloured } from "../parts/colour";
import { aspectById } from "../state/project";
import { charts, show } from "../state/view";
import { count, counted, percent } from "../text/numbers";

/** How many reviews mention each aspect. */
export function Frequencies({ numbers }: { numbers: Dashboard }) {
  const rows = [...numbers.aspects].sort((a, b) => b.reviews - a.reviews || b.count - a.count);
  const { where } = charts.value;
  const bar = (words: string, reviews: number, sentences: number, open: () => void, style?: Record<string, string>) => (
    <button key={words} type="button" class="bar" style={style} onClick={open} title={`${counted(reviews, "review")}. Show these ${counted(sentences, "sentence")}`}>
      <span class="name">{words}</span>
      {style ? <span class="track"><i style={{ "--p": `${100 * share(reviews)}%` }} /></span> : <span class="no-track" />}
      <span class="count">{percent(share(reviews))} <small>{count(reviews)}</small></span>
    </button>
  );
  const share = (reviews: number) => (numbers.reviews ? reviews / numbers.reviews : 0);
  return (
    <section class="card chart" aria-label="How often">
      <h2>How often</h2>
      <p class="soft">Share and number of the reviews that mention each aspect. Click a bar to read their sentences.</p>
      {rows.map((row) => {
        const aspect = aspectById.value.get(row.id);
        return aspect && bar(aspect.name, row.reviews, row.count, () => show({ aspect: row.id, where }), coloured(aspect));
      })}
      {numbers.groups.length > 0 && (
        <>
          <h3>Groups</h3>
          {numbers.groups.map((row) => bar(row.group, row.reviews, row.count, () => show({ group: row.group, where }), { "--c": "var(--soft)" }))}
          <h3>No aspect</h3>
        </>
      )}
      {bar("none of these", numbers.reviews_none, numbers.none, () => show({ show: "none", where }))}
    </section>
  );
}
