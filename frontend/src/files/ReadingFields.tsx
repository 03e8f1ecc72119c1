import type { Preview, Reading } from "../api/types";

const ENCODINGS: [string, string][] = [
  ["utf-8", "UTF-8"], ["utf-16-le", "UTF-16"], ["utf-16-be", "UTF-16, big endian"], ["cp1252", "Windows-1252 (Western)"],
  ["cp1250", "Windows-1250 (Central European)"], ["cp1251", "Windows-1251 (Cyrillic)"], ["mac-roman", "Macintosh"], ["shift_jis", "Shift JIS"], ["gb18030", "GB 18030"],
];
const SEPARATORS: [string, string][] = [["comma", "Comma ,"], ["semicolon", "Semicolon ;"], ["tab", "Tab"], ["pipe", "Vertical bar |"], ["none", "Nothing: each line is a review"]];

interface Props {
  preview: Preview;
  disabled: boolean;
  onChange: (change: Reading) => void;
}

/** How the file is read, as it was found out; another choice shows the rows anew. */
export function ReadingFields({ preview, disabled, onChange }: Props) {
  const { encoding, delimiter, sheet, sheets } = preview;
  const encodings = encoding && !ENCODINGS.some(([value]) => value === encoding) ? [[encoding, encoding] as [string, string], ...ENCODINGS] : ENCODINGS;
  return (
    <div class="field-row reading">
      {sheets.length > 1 && <Choice label="Sheet" value={sheet} options={sheets.map((name) => [name, name])} disabled={disabled} onChange={(value) => onChange({ sheet: value })} />}
      {delimiter && <Choice label="Cells are separated by" value={delimiter} options={SEPARATORS} disabled={disabled} onChange={(value) => onChange({ delimiter: value })} />}
      {encoding && <Choice label="Letters are written in" value={encoding} options={encodings} disabled={disabled} onChange={(value) => onChange({ encoding: value })} />}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string | null;
  options: [string, string][];
  disabled: boolean;
  onChange: (value: string) => void;
}

const Choice = ({ label, value, options, disabled, onChange }: ChoiceProps) => (
  <label class="field">
    {label}
    <select value={value ?? ""} disabled={disabled} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([own, words]) => <option key={own} value={own}>{words}</option>)}
    </select>
  </label>
);
