import { expect, test } from "vitest";
import type { Sentence, SentencePage } from "../src/api/types";
import { PageCache } from "../src/state/page-cache";

const sentence = (id: number): Sentence => ({ id, review_id: 1, position: 0, text: `${id}`, date: null, aspects: [], scores: {}, words: [], reason: "", example_id: null, confirmed: false });
const page = (first: number, n: number, total: number, revision = 1): SentencePage => ({ total, revision, scored: 1, sentences: Array.from({ length: n }, (_, i) => sentence(first + i)) });

test("only the pages that are not there are asked for", () => {
  const cache = new PageCache(10);
  cache.put(0, page(100, 10, 35));
  expect(cache.missing(5, 25)).toEqual([1, 2]);
  expect(cache.missing(30, 99)).toEqual([3]);
  expect(cache.missing(0, 9)).toEqual([]);
});

test("a row is found by its place and by its id", () => {
  const cache = new PageCache(10);
  cache.put(2, page(200, 10, 35));
  expect(cache.at(23)?.id).toBe(203);
  expect(cache.at(3)).toBeUndefined();
  expect(cache.indexOf(207)).toBe(27);
  expect(cache.indexOf(1)).toBe(-1);
});

test("the pages read longest ago are forgotten first", () => {
  const cache = new PageCache(10, 2);
  for (const n of [0, 1, 2]) cache.put(n, page(n * 10, 10, 30));
  expect(cache.at(0)).toBeUndefined();
  expect(cache.at(29)?.id).toBe(29);
});

test("a list is as new as the newest of its pages", () => {
  const cache = new PageCache(10);
  cache.put(0, page(0, 10, 30, 7));
  cache.put(1, page(10, 10, 30, 6));
  expect(cache.revision).toBe(7);
  cache.replaceAll(new Map());
  expect(cache.revision).toBe(0);
});

test("after a change only what was read anew counts", () => {
  const cache = new PageCache(10);
  cache.put(0, page(0, 10, 20));
  cache.put(1, page(10, 10, 20));
  cache.replaceAll(new Map([[1, page(10, 5, 15)]]));
  expect(cache.total).toBe(15);
  expect(cache.at(0)).toBeUndefined();
});

test("a correction shows at once", () => {
  const cache = new PageCache(10);
  cache.put(0, page(0, 10, 10));
  cache.update(4, (old) => ({ ...old, aspects: [7] }));
  expect(cache.at(4)?.aspects).toEqual([7]);
  expect(cache.at(5)?.aspects).toEqual([]);
});

test("a row can be put between others; of a full page the last gives way", () => {
  const cache = new PageCache(10);
  cache.put(0, page(0, 10, 13));
  cache.put(1, page(10, 3, 13));
  cache.insert(4, sentence(99));
  expect([cache.at(3)?.id, cache.at(4)?.id, cache.at(5)?.id, cache.at(10)?.id, cache.total]).toEqual([3, 99, 4, 10, 13]);
  cache.insert(11, sentence(98));
  expect([cache.at(11)?.id, cache.at(13)?.id, cache.total]).toEqual([98, 12, 14]);
});
