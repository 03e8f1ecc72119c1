import type { Said } from "./pending";

const KEY = "fewaspect-unsaved";
/** Corrections that are kept at most; the oldest give way. */
const MOST = 500;

export type Kept = Pick<Said, "id" | "aspects" | "ofOne" | "seen" | "text"> & { project: number };

/** What is not with the server yet is kept in the browser, so that a reload loses nothing. */
export function kept(): Kept[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one?.id === "number" && typeof one.project === "number" && typeof one.text === "string") : [];
  } catch {
    return [];
  }
}

/** In place of what was said of the same before: of the sentence, or of one of its aspects. */
export function keep(project: number, { id, aspects, ofOne, seen, text }: Said): void {
  const others = kept().filter((one) => one.project !== project || one.id !== id || one.ofOne?.aspect !== ofOne?.aspect);
  write([...others, { project, id, aspects, ofOne, seen, text }].slice(-MOST));
}

/** Unless something else was said of the same since. */
export function drop(project: number, said: Pick<Said, "id" | "aspects" | "ofOne">): void {
  write(kept().filter((one) => one.project !== project || one.id !== said.id || word(one) !== word(said)));
}

const word = ({ aspects, ofOne }: Pick<Said, "aspects" | "ofOne">) => JSON.stringify(ofOne ? [ofOne.aspect, ofOne.rejected] : aspects);

function write(all: Kept[]): void {
  try {
    if (all.length) localStorage.setItem(KEY, JSON.stringify(all));
    else localStorage.removeItem(KEY);
  } catch {
    /* a browser without room keeps it in this page only */
  }
}
