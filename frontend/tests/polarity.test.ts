import { expect, test } from "vitest";
import type { Sentence } from "../src/api/types";
import { nextPolarity, withPolarity } from "../src/sentiment/polarity";

const told = { polarity: "positive", negative: 0.1, neutral: 0.1, positive: 0.8, own: false } as const;
const sentence = { id: 1, aspects: [3, 4], sentiment: { 3: told, 4: told } } as unknown as Sentence;

test("a key goes through all four and begins again", () => {
  expect(nextPolarity(undefined)).toBe("negative");
  expect(nextPolarity("negative")).toBe("mixed");
  expect(nextPolarity("positive")).toBe("negative");
});

test("what is said of one aspect leaves the other", () => {
  const after = withPolarity(sentence, 3, "negative");
  expect(after.sentiment![3]).toEqual({ ...told, polarity: "negative", own: true });
  expect(after.sentiment![4]).toEqual(told);
  expect(withPolarity(after, 3, null).sentiment![3]!.own).toBe(false);
});

test("where it is not told nothing is shown", () => {
  expect(withPolarity({ ...sentence, sentiment: null }, 3, "negative").sentiment).toBeNull();
});
