import { columns } from "../state/columns";
import { charts, choose } from "../state/view";
import { sameConditions } from "../text/conditions";
import { count } from "../text/numbers";

/** Which reviews all charts are about. */
export function SegmentChooser() {
  const known = columns.value ?? [];
  if (!known.length) return null;
  const segments = known.flatMap((column) => column.segments);
  const at = segments.findIndex((segment) => sameConditions(segment.where, charts.value.where));
  let n = 0;
  return (
    <label class="segment-chooser">
      Charts of
      <select value={charts.value.where.length ? String(at) : ""} onChange={(event) => choose({ where: segments[Number(event.currentTarget.value || NaN)]?.where ?? [] })}>
        <option value="">all reviews</option>
        {charts.value.where.length > 0 && at < 0 && <option value="-1">a choice of your own</option>}
        {known.map((column) => (
          <optgroup key={column.name} label={column.name}>
            {column.segments.map((segment) => <option key={segment.label} value={String(n++)}>{column.name}: {segment.label} ({count(segment.reviews)})</option>)}
          </optgroup>
        ))}
      </select>
    </label>
  );
}
