import { useId, useState } from "preact/hooks";
import type { Column } from "../api/types";
import { closeDialog, Dialog } from "../parts/Dialog";
import { columns } from "../state/columns";
import { filter, refine } from "../state/view";
import { condition, readCondition, sameConditions } from "../text/conditions";
import { count } from "../text/numbers";

/** Values to choose from; of more, one can be typed. */
const FEW = 12;

/** Narrows the list by the columns that the reviews were imported with. */
export function ColumnFilters() {
  const [where, setWhere] = useState(filter.value.where);
  const of = (name: string) => where.filter((text) => readCondition(text)?.column === name);
  const set = (name: string, own: string[]) => setWhere((now) => [...now.filter((text) => readCondition(text)?.column !== name), ...own]);
  const submit = (event: Event) => {
    event.preventDefault();
    refine({ where });
    closeDialog();
  };
  return (
    <Dialog title="Filter by column">
      <form class="column-filters" onSubmit={submit}>
        {columns.value?.map((column) => {
          const Field = column.kind !== "label" ? Range : column.values > FEW ? Typed : Choice;
          return <Field key={column.name} column={column} where={of(column.name)} onChange={(own) => set(column.name, own)} />;
        })}
        <footer>
          <button type="button" onClick={() => setWhere([])}>Clear</button>
          <button type="submit" class="primary">Show the sentences</button>
        </footer>
      </form>
    </Dialog>
  );
}

interface Props {
  column: Column;
  where: string[];
  onChange: (where: string[]) => void;
}

const Choice = ({ column, where, onChange }: Props) => {
  const at = column.segments.findIndex((segment) => sameConditions(segment.where, where));
  return (
    <label class="field">
      {column.name}
      <select value={String(at)} onChange={(event) => onChange(column.segments[Number(event.currentTarget.value)]?.where ?? [])}>
        <option value="-1">any</option>
        {column.segments.map((segment, i) => <option key={segment.label} value={String(i)}>{segment.label} ({count(segment.reviews)})</option>)}
      </select>
    </label>
  );
};

function Typed({ column, where, onChange }: Props) {
  const id = useId();
  const value = where.map(readCondition).find((own) => own?.operator === "=")?.value ?? "";
  return (
    <label class="field">
      {column.name}
      <input list={id} value={value} placeholder={`one of ${count(column.values)} values`} autocomplete="off" maxLength={300}
        onChange={(event) => onChange(event.currentTarget.value.trim() ? [condition({ column: column.name, operator: "=", value: event.currentTarget.value.trim() })] : [])} />
      <datalist id={id}>
        {column.segments.map(({ where: own }) => (own.length === 1 ? readCondition(own[0]!)?.value : "")).filter(Boolean).map((known) => <option key={known} value={known} />)}
      </datalist>
    </label>
  );
}

function Range({ column, where, onChange }: Props) {
  const ends = where.map(readCondition);
  const end = (operator: ">=" | "<=") => ends.find((own) => own?.operator === operator)?.value ?? "";
  const set = (operator: ">=" | "<=", value: string) => {
    const both = { ">=": end(">="), "<=": end("<="), [operator]: value };
    onChange(([">=", "<="] as const).filter((way) => both[way]).map((way) => condition({ column: column.name, operator: way, value: both[way] })));
  };
  const input = (operator: ">=" | "<=", words: string) => (
    <label>
      {words}
      <input type={column.kind} step="any" value={end(operator)} placeholder={(operator === ">=" ? column.least : column.greatest) ?? ""} min={column.kind === "date" ? column.least ?? "" : undefined} max={column.kind === "date" ? column.greatest ?? "" : undefined}
        onChange={(event) => set(operator, event.currentTarget.value)} />
    </label>
  );
  return (
    <fieldset class="range">
      <legend>{column.name}</legend>
      {input(">=", "from")}
      {input("<=", "to")}
    </fieldset>
  );
}
