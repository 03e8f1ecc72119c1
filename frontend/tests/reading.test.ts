import { expect, test } from "vitest";
import { splitEvents } from "../src/api/events";
import { Heights } from "../src/parts/heights";
import { decideAnew } from "../src/state/decisions";
import { labelledLines, lines } from "../src/text/lines";

test("an event is read when it is whole", () => {
  const { events, rest } = splitEvents('event: progress\ndata: {"done": 1}\n\n: still here\n\nevent: done\nda');
  expect(events).toEqual([{ event: "progress", data: { done: 1 } }]);
  expect(rest).toBe("event: done\nda");
});

test("examples are typed one per line", () => {
  expect(lines(" a \n\nb\na\n")).toEqual(["a", "b"]);
});

test("labelled lines may have several aspects or none", () => {
  expect(labelledLines("Clean. | room; staff\nOn Monday. |\n\nNo bar")).toEqual({ texts: ["Clean.", "On Monday.", "No bar"], labels: [["room", "staff"], [], []] });
});

test("rows that were not seen are guessed to be as high as the others", () => {
  const heights = new Heights(100);
  expect(heights.top(3)).toBe(300);
  heights.set(0, 50);
  heights.set(1, 70);
  expect(heights.top(4)).toBe(240);
  expect(heights.at(121, 10)).toBe(2);
  expect(heights.at(-5, 10)).toBe(0);
  expect(heights.at(99999, 10)).toBe(9);
});

test("another threshold changes what is decided, but not what the user confirmed", () => {
  const sentence = { id: 1, review_id: 1, position: 0, text: "", date: null, aspects: [1], scores: { 1: 0.6, 2: 0.4 }, words: [], reason: "", example_id: null, confirmed: false };
  expect(decideAnew(sentence, 2, 0.3).aspects).toEqual([1, 2]);
  expect(decideAnew(sentence, 1, 0.7).aspects).toEqual([]);
  expect(decideAnew({ ...sentence, confirmed: true }, 1, 0.7).aspects).toEqual([1]);
});
