import { beforeEach, expect, test } from "vitest";
import type { Sentence } from "../src/api/types";
import { forget, hold, say, shown, stored, trustServer } from "../src/state/pending";

const read = (id: number, aspects: number[], confirmed = false): Sentence => ({ id, review_id: 1, position: 0, text: `${id}`, date: null, aspects, scores: {}, words: [{ start: 0, end: 1, aspect: 1, weight: 1 }], reason: "", example_id: confirmed ? 9 : null, confirmed });

beforeEach(() => {
  for (const id of [1, 2]) forget(say(id, []));
  trustServer();
});

test("what was said last is shown over whatever is read", () => {
  say(1, [1]);
  say(1, [2, 3]);
  expect(shown(read(1, [1], true))).toMatchObject({ aspects: [2, 3], confirmed: true, words: [] });
  expect(shown(read(2, [1])).aspects).toEqual([1]);
  say(1, null);
  expect(shown(read(1, [1], true))).toMatchObject({ aspects: [1], confirmed: false, example_id: null });
});

test("forgetting what was said does not forget what was said since", () => {
  const first = say(1, [1]);
  const second = say(1, [2]);
  expect(forget(first)).toBe(false);
  expect(shown(read(1, [])).aspects).toEqual([2]);
  expect(forget(second)).toBe(true);
  expect(shown(read(1, [])).aspects).toEqual([]);
});

test("after an undo only what the server has not heard yet is shown over it", () => {
  say(1, [1]).stored = true;
  say(2, [2]);
  expect(stored().map(({ id }) => id)).toEqual([1]);
  trustServer();
  expect(shown(read(1, [])).confirmed).toBe(false);
  expect(shown(read(2, []))).toMatchObject({ aspects: [2], confirmed: true });
});

test("the sentence at hand keeps the aspects that were seen, until it is corrected or left", () => {
  hold(read(1, [1]));
  expect(shown(read(1, [2]))).toMatchObject({ aspects: [1], confirmed: false });
  expect(shown(read(1, [2], true)).aspects).toEqual([2]);
  hold(shown(read(1, [2])));
  expect(shown(read(1, [2])).aspects).toEqual([1]);
  hold(read(2, []));
  expect(shown(read(1, [2])).aspects).toEqual([2]);
  forget(say(2, [3]));
  expect(shown(read(2, [2])).aspects).toEqual([2]);
});

test("the sentence at hand says what needs a look by the newest reading, and what is confirmed needs none", () => {
  hold(read(1, [1, 2]));
  expect(shown({ ...read(1, [2, 3]), look: [3] })).toMatchObject({ aspects: [1, 2], look: [1] });
  say(1, [1]);
  expect(shown({ ...read(1, [1]), look: [1] })).toMatchObject({ confirmed: true, look: [] });
});
