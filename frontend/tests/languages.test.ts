import { expect, test } from "vitest";
import { listed } from "../src/text/languages";

test("one language is named without its number", () => {
  expect(listed({ languages: [{ language: "German", reviews: 6 }], looked_at: 8, model: null })).toBe("6 of 8 reviews are in German");
  expect(listed({ languages: [{ language: "Thai", reviews: 1 }], looked_at: 1, model: null })).toBe("1 of 1 review is in Thai");
});

test("several are named with theirs", () => {
  const languages = [{ language: "German", reviews: 1200 }, { language: "French", reviews: 3 }];
  expect(listed({ languages, looked_at: 5000, model: null })).toBe("1,203 of 5,000 reviews are in German (1,200) and French (3)");
});
