import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { coloured } from "../src/parts/colour";
import { COLOURS } from "../src/state/decisions";

type Triple = [number, number, number];
const css = readFileSync("src/styles/theme.css", "utf8");
const themes = css.split(':root[data-theme="dark"]').map((part) => (name: string) => new RegExp(`--${name}: ([^;]+);`).exec(part)![1]!);
const fromHex = (hex: string) => (hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit) : hex.match(/[0-9a-f]{2}/g)!).map((two) => parseInt(two, 16) / 255) as Triple;

const toLinear = (rgb: Triple) => rgb.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)) as Triple;
const luminance = (linear: Triple) => 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
const contrast = (one: Triple, other: Triple) => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
};
const times = (m: Triple[], v: Triple) => m.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) as Triple;
function toOklab(linear: Triple): Triple {
  const lms = times([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]], linear).map(Math.cbrt) as Triple;
  return times([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]], lms);
}
function toLinearRgb(lab: Triple): Triple {
  const lms = times([[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.291485548]], lab).map((v) => v ** 3) as Triple;
  return times([[4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965], [-0.0041960863, -0.7034186147, 1.707614701]], lms).map((v) => Math.min(1, Math.max(0, v))) as Triple;
}

/** The colours as the style sheet computes them, in OKLab as they come out on a screen. */
function palette(read: (name: string) => string): Triple[] {
  const [tone, step, strength] = ["tone", "tone-step", "strength"].map((name) => parseFloat(read(name)) / (read(name).endsWith("%") ? 100 : 1)) as Triple;
  return Array.from({ length: COLOURS }, (_, colour) => {
    const style = coloured({ colour })!;
    const angle = (Number(style["--h"]) * Math.PI) / 180;
    return toOklab(toLinearRgb([tone + Number(style["--t"]) * step, strength * Math.cos(angle), strength * Math.sin(angle)]));
  });
}

test.each(themes.map((read, i) => [i ? "dark" : "light", read] as const))("in the %s theme no two colours look the same", (_, read) => {
  const colours = palette(read);
  const distances = colours.flatMap((one, i) => colours.slice(i + 1).map((other) => Math.hypot(...one.map((v, k) => v - other[k]!))));
  expect(Math.min(...distances)).toBeGreaterThan(0.04); // about twice what an eye can just tell apart
});

test.each(themes.map((read, i) => [i ? "dark" : "light", read] as const))("in the %s theme every colour can be read on its chip", (_, read) => {
  const card = toOklab(toLinear(fromHex(read("card"))));
  const wash = parseFloat(read("wash")) / 100;
  for (const colour of palette(read)) {
    const chip = colour.map((v, k) => wash * v + (1 - wash) * card[k]!) as Triple;
    expect(contrast(toLinearRgb(colour), toLinearRgb(chip))).toBeGreaterThanOrEqual(4.5);
  }
});
