import { expect, test } from "vitest";
import { pieces } from "../src/text/pieces";

const word = (start: number, end: number, aspect = 1, weight = 0.5) => ({ start, end, aspect, weight });
const shown = (text: string, words: ReturnType<typeof word>[]) => pieces(text, words).map((piece) => [piece.text, piece.marks.map((mark) => mark.aspect)]);

test("a text without deciding words is one piece", () => {
  expect(shown("quiet", [])).toEqual([["quiet", []]]);
  expect(shown("", [])).toEqual([]);
});

test("offsets count code points, so an emoji before a word does not shift its mark", () => {
  expect(shown("🥞🥞 good coffee ☕", [word(8, 14)])).toEqual([["🥞🥞 good ", []], ["coffee", [1]], [" ☕", []]]);
});

test("where words of two aspects overlap, both are named, the heavier first", () => {
  expect(shown("warm bread", [word(0, 10, 1, 0.2), word(5, 10, 2, 0.9)])).toEqual([["warm ", [1]], ["bread", [2, 1]]]);
});

test("a word outside the text marks nothing", () => {
  expect(shown("bed", [word(2, 9), word(2, 2)])).toEqual([["bed", []]]);
});
