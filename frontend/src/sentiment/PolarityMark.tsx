import type { Sentence } from "../api/types";
import { Menu, MenuItem } from "../parts/Menu";
import { aspectById } from "../state/project";
import { probability } from "../text/numbers";
import { POLARITIES, SIGNS } from "./polarity";
import { sayPolarity } from "./saying";

/** What a sentence thinks of one of its aspects; a click says otherwise. */
export function PolarityMark({ sentence, id, tabIndex }: { sentence: Sentence; id: number; tabIndex: number }) {
  const aspect = aspectById.value.get(id);
  const told = sentence.sentiment?.[id];
  if (!aspect || !told) return null;
  const words = `${told.polarity} about ${aspect.name}${told.own ? ", as you said" : ""}. Change it`;
  return (
    <span data-aspect={id}>
      <Menu label={words} tabIndex={tabIndex} class={`polarity ${told.polarity} ${told.own ? "own" : ""}`} face={<b aria-hidden="true">{SIGNS[told.polarity]}</b>}>
        {POLARITIES.map((one) => (
          <MenuItem key={one} checked={told.polarity === one} onClick={() => sayPolarity(sentence, id, one)}>
            <b class={`sign ${one}`} aria-hidden="true">{SIGNS[one]}</b> {one} {one !== "mixed" && <small>{probability(told[one])}</small>}
          </MenuItem>
        ))}
        {told.own && (
          <>
            <hr />
            <MenuItem onClick={() => sayPolarity(sentence, id, null)}>Leave it to the detector</MenuItem>
          </>
        )}
      </Menu>
    </span>
  );
}
