import type { Duplicates, Preview } from "../api/types";
import { counted, day } from "../text/numbers";

const CHOICES: [Duplicates, string][] = [
  ["skip", "Leave them out"],
  ["replace", "Replace the old ones by them"],
  ["add", "Add them a second time"],
];

interface Props {
  preview: Preview;
  value: Duplicates;
  onChange: (value: Duplicates) => void;
}

/** Asked before anything is doubled. */
export function DuplicateChoice({ preview, value, onChange }: Props) {
  const { duplicates, same_file } = preview;
  if (!duplicates && !same_file) return null;
  const file = same_file && (same_file.name ? `“${same_file.name}” was imported on ${day(same_file.created)} and has the same content. ` : "The same file was imported before. ");
  return (
    <fieldset class="duplicates">
      <legend>{file}{duplicates ? `${counted(duplicates, "review")} of this file ${duplicates === 1 ? "is" : "are"} in the project already.` : ""}</legend>
      {CHOICES.map(([choice, words]) => (
        <label key={choice}>
          <input type="radio" name="duplicates" checked={value === choice} onChange={() => onChange(choice)} /> {words}
        </label>
      ))}
    </fieldset>
  );
}
