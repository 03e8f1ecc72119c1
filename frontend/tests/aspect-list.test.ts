import { describe, expect, test } from "vitest";
import { byGroup } from "../src/state/groups";
import { aspectList } from "../src/text/aspect-list";

const names = (text: string) => aspectList(text).map((aspect) => aspect.name);

describe("a pasted list of aspects", () => {
  test("has a name in each line", () => {
    expect(names("parking\n\n noise \r\nbreakfast")).toEqual(["parking", "noise", "breakfast"]);
  });
  test("may have descriptions behind a colon", () => {
    expect(aspectList("parking: garage, valet: fees")).toEqual([{ name: "parking", description: "garage, valet: fees", examples: [] }]);
  });
  test("may have examples below a name", () => {
    expect(aspectList("parking\n- no valet\n  garage full\nnoise")).toEqual([
      { name: "parking", description: "", examples: ["no valet", "garage full"] },
      { name: "noise", description: "", examples: [] },
    ]);
  });
  test("may be bulleted or numbered as a whole", () => {
    expect(names("- parking\n- noise")).toEqual(["parking", "noise"]);
    expect(names("1. parking\n2) noise")).toEqual(["parking", "noise"]);
  });
  test("may come from a spreadsheet", () => {
    expect(aspectList("parking\tgarage\tno valet\tgarage full")).toEqual([{ name: "parking", description: "garage", examples: ["no valet", "garage full"] }]);
  });
  test("has each name once, whatever its case", () => {
    expect(aspectList("Noise\nnoise: loud")).toEqual([{ name: "Noise", description: "loud", examples: [] }]);
  });
  test("without a name has nothing", () => {
    expect(aspectList(" \n: only a description\n")).toEqual([]);
  });
});

test("members of a group stand side by side, those of none first", () => {
  const of = (name: string, group: string) => ({ name, group });
  const found = byGroup([of("bed", "Room"), of("price", ""), of("soup", "Food"), of("bath", "Room")]);
  expect(found.map(([group, members]) => [group, ...members.map((one) => one.name)])).toEqual([["", "price"], ["Room", "bed", "bath"], ["Food", "soup"]]);
});
