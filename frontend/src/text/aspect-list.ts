import type { NewAspect } from "../api/types";

const BULLET = /^\s*(?:[-*•–]|\d+[.)])\s+/;
const INDENTED = /^(?:\s{2,}|\t)/;

/**
 * A list of aspects as people have one: a name in each line, perhaps ": description" behind it, or cells of a spreadsheet
 * (name, description, examples). Lines below a name that are indented or begin with a dash are its examples.
 */
export function aspectList(text: string): NewAspect[] {
  const rows = text.split(/\r?\n/).filter((line) => line.trim());
  const allBulleted = rows.every((line) => BULLET.test(line));
  const found: NewAspect[] = [];
  for (const row of rows) {
    const below = !allBulleted && (BULLET.test(row) || INDENTED.test(row));
    const last = found.at(-1);
    if (below && last) last.examples.push(row.replace(BULLET, "").trim());
    else found.push(named(row.replace(BULLET, "").trim()));
  }
  return joined(found.filter((aspect) => aspect.name));
}

function named(line: string): NewAspect {
  if (line.includes("\t")) {
    const [name = "", description = "", ...examples] = line.split("\t").map((cell) => cell.trim());
    return { name, description, examples: examples.filter(Boolean) };
  }
  const colon = line.indexOf(":");
  return colon < 0 ? { name: line, description: "", examples: [] } : { name: line.slice(0, colon).trim(), description: line.slice(colon + 1).trim(), examples: [] };
}

/** The same name twice is one aspect. */
function joined(those: NewAspect[]): NewAspect[] {
  const found = new Map<string, NewAspect>();
  for (const one of those) {
    const before = found.get(sameName(one.name));
    if (!before) found.set(sameName(one.name), one);
    else Object.assign(before, { description: before.description || one.description, examples: [...before.examples, ...one.examples] });
  }
  return [...found.values()];
}

/** Equal for names that differ in case or spacing alone. */
export const sameName = (name: string) => name.trim().replace(/\s+/g, " ").toLowerCase();
