import type { Polarity } from "../api/types";
import { project } from "../state/project";
import { filter, refine } from "../state/view";
import { POLARITIES, SIGNS } from "./polarity";

/** Narrows the list to what is thought of the aspect, or of any. */
export function PolarityFilter() {
  if (!project.value?.sentiment) return null;
  const now = filter.value.sentiment;
  return (
    <label class="order">
      <span>Opinion</span>
      <select value={now ?? ""} onChange={(event) => refine({ sentiment: (event.currentTarget.value || null) as Polarity | null })}>
        <option value="">any opinion</option>
        {POLARITIES.map((one) => <option key={one} value={one}>{SIGNS[one]} {one}</option>)}
      </select>
    </label>
  );
}
