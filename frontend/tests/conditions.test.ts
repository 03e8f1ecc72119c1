import { expect, test } from "vitest";
import type { Column } from "../src/api/types";
import { condition, inWords, periodInWords, readCondition } from "../src/text/conditions";

const words = (where: string[], columns: Column[] | null = null) => inWords(where, columns).map((own) => own.words);

test("a condition is read as it was written, whatever the column is called", () => {
  for (const column of ["country", "a=b", "<x>!", "100 %3D"]) {
    for (const operator of ["=", "!=", ">=", "<="] as const) {
      expect(readCondition(condition({ column, operator, value: "1=2" }))).toEqual({ column, operator, value: "1=2" });
    }
  }
});

test("conditions are said in words, those of a column together", () => {
  expect(words(["country=Spain", "rating>=4"])).toEqual(["country: Spain", "rating: 4 or more"]);
  expect(words(["day>=2024-01-01", "day<=2024-03-31"])).toEqual(["day: 2024-01-01 to 2024-03-31"]);
  expect(words(["price<=20"])).toEqual(["price: up to 20"]);
  expect(words(["country="])).toEqual(["country: not given"]);
  expect(words(["country!=Spain", "country!="])).toEqual(["country: other than Spain, not given"]);
});

test("a segment is called by its name", () => {
  const rest = { label: "others (8)", where: ["country!=Spain", "country!="], reviews: 3 };
  const column: Column = { name: "country", kind: "label", values: 9, least: null, greatest: null, segments: [rest] };
  expect(words(["country!=Spain", "country!="], [column])).toEqual(["country: others (8)"]);
});

test("a period is said as its days", () => {
  expect(["2024-03", "2024-01-01..2024-03-31", "2024-01-01..2024-01-01"].map(periodInWords)).toEqual(["2024-03", "2024-01-01 to 2024-03-31", "2024-01-01"]);
});
