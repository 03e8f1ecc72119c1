import type { Said } from "./pending";

const KEY = "fewaspect-unsaved";
/** Corrections that are kept at most; the oldest give way. */
const MOST = 500;

export type Kept = Pick<Said, "id" | "aspects" | "seen" | "text"> & { project: number };

/** What is not with the server yet is kept in the browser, so that a reload loses nothing. */
export function kept(): Kept[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one?.id === "number" && typeof one.project === "number" && typeof one.text === "string") : [];
  } catch {
    return [];
  }
}

export function keep(project: number, { id, aspects, seen, text }: Said): void {
  write([...without(project, id), { project, id, aspects, seen, text }].slice(-MOST));
}

export const drop = (project: number, id: number) => write(without(project, id));

const without = (project: number, id: number) => kept().filter((one) => one.project !== project || one.id !== id);

function write(all: Kept[]): void {
  try {
    if (all.length) localStorage.setItem(KEY, JSON.stringify(all));
    else localStorage.removeItem(KEY);
  } catch {
    /* a browser without room keeps it in this page only */
  }
}
