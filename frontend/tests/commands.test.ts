import { expect, test } from "vitest";
import { commandFor, type Press } from "../src/state/commands";

const press = (key: string, rest: Partial<Press> = {}) => commandFor({ key, ctrl: false, shift: false, alt: false, focus: "elsewhere", ...rest });

test("digits toggle the aspects in order and 0 means none of these", () => {
  expect(press("1")).toEqual({ name: "toggle", position: 0 });
  expect(press("9")).toEqual({ name: "toggle", position: 8 });
  expect(press("0")).toEqual({ name: "none" });
});

test("what is typed into a field is never a command", () => {
  for (const key of ["j", "1", "0", "/", "Enter", "u"]) expect(press(key, { focus: "text" })).toBeNull();
  expect(press("z", { focus: "text", ctrl: true })).toBeNull();
});

test("a focused button keeps Enter and the arrows to itself", () => {
  for (const key of ["Enter", "ArrowDown", "ArrowUp"]) {
    expect(press(key, { focus: "control" })).toBeNull();
    expect(press(key)).not.toBeNull();
  }
  expect(press("j", { focus: "control" })).toEqual({ name: "next" });
});

test("undo and redo", () => {
  expect(press("z", { ctrl: true })).toEqual({ name: "undo" });
  expect(press("Z", { ctrl: true, shift: true })).toEqual({ name: "redo" });
  expect(press("j", { ctrl: true })).toBeNull();
});

test("signs say what a sentence thinks of an aspect", () => {
  expect(press("-")).toEqual({ name: "polarity", said: "negative" });
  expect(press("+", { shift: true })).toEqual({ name: "polarity", said: "positive" });
  expect(press("p", { focus: "control" })).toEqual({ name: "polarity", said: "next" });
  expect(press("-", { focus: "text" })).toBeNull();
});
