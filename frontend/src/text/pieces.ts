import type { Word } from "../api/types";

/** A run of text under the same marks, heaviest aspect first. */
export interface Piece {
  text: string;
  marks: { aspect: number; weight: number }[];
}

/** Cuts a text at the borders of its deciding words. Words count code points; JavaScript strings count UTF-16 units. */
export function pieces(text: string, words: readonly Word[]): Piece[] {
  const points = Array.from(text);
  const inside = words.filter((word) => word.start < word.end && word.start >= 0 && word.end <= points.length);
  const cuts = new Set([0, points.length, ...inside.flatMap((word) => [word.start, word.end])]);
  const borders = [...cuts].sort((a, b) => a - b);
  return borders.slice(1).map((end, i) => {
    const start = borders[i]!;
    const over = inside.filter((word) => word.start <= start && end <= word.end).sort((a, b) => b.weight - a.weight);
    return { text: points.slice(start, end).join(""), marks: over.map(({ aspect, weight }) => ({ aspect, weight })) };
  });
}
