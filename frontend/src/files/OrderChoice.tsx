import type { DateOrder, Preview } from "../api/types";

interface Props {
  column: Preview["columns"][number] | undefined;
  order: DateOrder | undefined;
  onChange: (order: DateOrder) => void;
}

/** Asked where nothing in the file tells it: 03/04/2025 is in March or in April. */
export function OrderChoice({ column, order, onChange }: Props) {
  const found = column?.date_order;
  const sample = column?.samples.find((own) => partsOf(own)[0] !== partsOf(own)[1]);
  if (!found || !sample) return null;
  return (
    <label class="field">
      {sample} is
      <select value={order ?? found} onChange={(event) => onChange(event.currentTarget.value as DateOrder)}>
        <option value="month_first">{inWords(sample, 0, 1)} (month first)</option>
        <option value="day_first">{inWords(sample, 1, 0)} (day first)</option>
      </select>
    </label>
  );
}

const partsOf = (sample: string) => (sample.match(/\d+/g) ?? []).map(Number);

/** The day and month of a date such as 03/04/2025, of which the places are said. */
function inWords(sample: string, month: 0 | 1, day: 0 | 1): string {
  const parts = partsOf(sample);
  return new Date(2000, parts[month]! - 1, parts[day]).toLocaleDateString("en", { day: "numeric", month: "long" });
}
