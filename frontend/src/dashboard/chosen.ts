import { computed } from "@preact/signals";
import type { Column } from "../api/types";
import { columns } from "../state/columns";
import { charts } from "../state/view";
import { condition, readCondition, sameConditions } from "../text/conditions";

/** The column that reviews are divided by: the one chosen, else the first with few values. */
export const dividing = computed<Column | undefined>(() => {
  const known = columns.value ?? [];
  return known.find(({ name }) => name === charts.value.by) ?? known.find(({ kind, segments }) => kind === "label" && segments.length > 1) ?? known[0];
});

/** All reviews but those of a segment that is one value; others have no conditions of their own. */
export function complement(where: string[]): string[] | null {
  const only = where.length === 1 ? readCondition(where[0]!) : null;
  return only?.operator === "=" ? [condition({ ...only, operator: "!=" })] : null;
}

/** The two segments of it that are compared: those chosen, else the largest. */
export const compared = computed<{ one: string[]; other: string[] } | null>(() => {
  const segments = dividing.value?.segments ?? [];
  const known = (where: string[]) => segments.some((segment) => sameConditions(segment.where, where));
  const largest = [...segments].sort((a, b) => b.reviews - a.reviews).map(({ where }) => where);
  const one = known(charts.value.one) ? charts.value.one : largest[0];
  if (!one) return null;
  const chosen = charts.value.other;
  const rest = complement(one);
  const usable = !sameConditions(chosen, one) && (known(chosen) || (rest && sameConditions(rest, chosen)));
  const other = usable ? chosen : largest.find((where) => !sameConditions(where, one));
  return other ? { one, other } : null;
});
