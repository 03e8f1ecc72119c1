import type { Word } from "../api/types";
import { coloured } from "../parts/colour";
import { aspectById } from "../state/project";
import { pieces } from "../text/pieces";

interface Props {
  id: number;
  text: string;
  words: Word[];
}

/** The sentence with its deciding words marked: tint and underline in the aspect's colour, its name as tooltip. */
export const MarkedText = ({ id, text, words }: Props) => (
  <p class="text" dir="auto" data-sentence={id}>
    {pieces(text, words).map((piece, i) => {
      const marking = piece.marks.map((mark) => aspectById.value.get(mark.aspect)).filter((aspect) => aspect !== undefined);
      if (!marking.length) return piece.text;
      return (
        <mark key={i} style={{ ...coloured(marking[0]), "--w": String(piece.marks[0]!.weight) }} title={marking.map((aspect) => aspect.name).join(", ")}>
          {piece.text}
        </mark>
      );
    })}
  </p>
);
