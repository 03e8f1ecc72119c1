import { expect, test } from "vitest";
import { fromHash, isStep, toHash, type Place } from "../src/state/place";
import { EVERYTHING, NO_CHOICE } from "../src/state/view";

const plain: Place = { project: 3, tab: "reviews", part: "main", filter: EVERYTHING, sentence: null, charts: NO_CHOICE };
const place = (change: Partial<Place>): Place => ({ ...plain, ...change });

test("a place is read from its own address", () => {
  const filter = { aspect: 4, together: 5, period: "2024-03", group: "Room & bath", show: "none", q: "café & bar #1?", order: "certain", like: 12, sentiment: "negative", where: ["a%3Db=x=y&z", "price>=-2.5"] } as const;
  const charts = { where: ["country="], by: "the country", one: ["country=Spain"], other: ["country!=Spain", "country!="], unit: "week" } as const;
  for (const one of [plain, place({ filter: { ...filter, where: [...filter.where] }, sentence: 17 }), place({ tab: "dashboard" }), place({ tab: "dashboard", charts: { ...charts, where: [...charts.where], one: [...charts.one], other: [...charts.other] } }), place({ tab: "label", part: "details" })]) {
    expect(fromHash(toHash(one))).toEqual({ known: true, place: one });
  }
});

test("the address of the plain view is short", () => {
  expect(toHash(plain)).toBe("#/projects/3/reviews");
  expect(toHash(place({ tab: "evaluate", sentence: 17 }))).toBe("#/projects/3/evaluate");
});

test("an address without a place is told from one that leads nowhere", () => {
  for (const hash of ["", "#", "#token=secret", "#tab"]) expect(fromHash(hash)).toBeNull();
  for (const hash of ["#/", "#/projects/x"]) expect(fromHash(hash)).toMatchObject({ known: false, place: { project: null } });
});

test("of a link what the studio does not have is left out", () => {
  for (const hash of ["#/projects/3/nothing", "#/projects/3/reviews?aspect=x", "#/projects/3/reviews?show=x", "#/projects/3/reviews?period=March", "#/projects/3/reviews?where=nothing"]) {
    expect(fromHash(hash)).toEqual({ known: false, place: plain });
  }
});

test("sentences and letters of a search are no steps to go back", () => {
  const searching = (q: string) => place({ filter: { ...EVERYTHING, q } });
  expect(isStep(place({ sentence: 1 }), place({ sentence: 2 }))).toBe(false);
  expect(isStep(searching("wi"), searching("wifi"))).toBe(false);
  expect(isStep(plain, searching("wi"))).toBe(true);
  expect(isStep(plain, place({ tab: "dashboard" }))).toBe(true);
  expect(isStep(plain, place({ project: 4 }))).toBe(true);
  expect(isStep(plain, place({ part: "details" }))).toBe(true);
});
