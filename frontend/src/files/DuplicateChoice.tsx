import type { Duplicates, Preview } from "../api/types";
import { counted, day } from "../text/numbers";

const CHOICES: [Duplicates, string][] = [
  ["skip", "Leave them out"],
  ["replace", "Replace the old ones by them"],
  ["add", "Add them all the same"],
];

interface Props {
  preview: Preview;
  value: Duplicates;
  onChange: (value: Duplicates) => void;
}

/** Asked before anything is doubled. */
export function DuplicateChoice({ preview, value, onChange }: Props) {
  const { duplicates, repeated, same_file } = preview;
  const file = same_file && duplicates !== 0 && (same_file.name ? `“${same_file.name}” was imported on ${day(same_file.created)} and has the same content. ` : "The same file was imported before. ");
  if (!duplicates && !repeated && !file) return null;
  return (
    <fieldset class="duplicates">
      <legend>
        {file}{duplicates ? `${counted(duplicates, "review")} of this file ${duplicates === 1 ? "is" : "are"} in the project already. ` : ""}
        {repeated ? `${counted(repeated, "review")} of this file ${repeated === 1 ? "repeats" : "repeat"} an earlier one word for word.` : ""}
      </legend>
      {CHOICES.filter(([choice]) => choice !== "replace" || duplicates || file).map(([choice, words]) => (
        <label key={choice}>
          <input type="radio" name="duplicates" checked={value === choice} onChange={() => onChange(choice)} /> {words}
        </label>
      ))}
    </fieldset>
  );
}
