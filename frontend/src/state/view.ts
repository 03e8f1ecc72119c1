import { signal } from "@preact/signals";
import type { Filter } from "../api/types";

export type Tab = "reviews" | "label" | "dashboard" | "evaluate";
/** On a narrow screen one part is shown at a time. */
export type Part = "aspects" | "main" | "details";
export type DialogName = "keys" | "import" | "export" | "project" | "aspect" | "example" | "tuned";

const EVERYTHING: Filter = { aspect: null, together: null, period: null, show: "all", q: "", order: "file" };

export const tab = signal<Tab>("reviews");
export const part = signal<Part>("main");
export const filter = signal<Filter>(EVERYTHING);
export const selected = signal<number | null>(null);
export const dialog = signal<DialogName | null>(null);

export function show(change: Partial<Filter>): void {
  const { order, show } = filter.value;
  filter.value = { ...EVERYTHING, order: show === "uncertain" ? "file" : order, ...change };
  tab.value = "reviews";
  part.value = "main";
}

export function refine(change: Partial<Filter>): void {
  filter.value = { ...filter.value, ...change };
}

export function resetView(): void {
  filter.value = EVERYTHING;
  selected.value = null;
}

export const filtered = (of: Filter) => of.aspect !== null || of.period !== null || of.show !== "all" || of.q.trim() !== "";
