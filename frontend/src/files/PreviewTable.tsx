import type { Preview } from "../api/types";

interface Props {
  preview: Preview;
  text: string;
  date: string;
}

/** The first rows of the file, with the chosen columns marked. */
export function PreviewTable({ preview, text, date }: Props) {
  const mark = (name: string) => (name === text ? "is-text" : name === date ? "is-date" : "");
  return (
    <div class="scroll-x preview" tabIndex={0} role="region" aria-label="First rows of the file">
      <table>
        <thead>
          <tr>{preview.columns.map(({ name }) => <th key={name} class={mark(name)}>{name}{mark(name) && <small>{name === text ? "the review" : "the date"}</small>}</th>)}</tr>
        </thead>
        <tbody>
          {preview.rows.map((row, i) => (
            <tr key={i}>{preview.columns.map(({ name }, c) => <td key={name} class={mark(name)}>{cell(row, name, c)}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cell(row: Record<string, unknown> | unknown[], name: string, position: number): string {
  const value = Array.isArray(row) ? row[position] : row[name];
  return value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}
