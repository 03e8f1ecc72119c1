import { signal } from "@preact/signals";
import type { Charts, Filter } from "../api/types";

export type Tab = "reviews" | "label" | "dashboard" | "evaluate";
/** On a narrow screen one part is shown at a time. */
export type Part = "aspects" | "main" | "details";
export type DialogName = "keys" | "import" | "export" | "project" | "aspect" | "example" | "tuned" | "merge" | "split" | "groups" | "accept" | "filter" | "report" | "imports";

export const EVERYTHING: Filter = { aspect: null, together: null, period: null, group: null, show: "all", q: "", order: "file", like: null, sentiment: null, where: [] };
export const NO_CHOICE: Charts = { where: [], by: null, one: [], other: [], unit: null };

export const tab = signal<Tab>("reviews");
export const part = signal<Part>("main");
export const filter = signal<Filter>(EVERYTHING);
/** What the dashboard shows. */
export const charts = signal<Charts>(NO_CHOICE);
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

/** A section that is brought into view when it is there. */
export const wanted = signal<string | null>(null);

export function goTo(name: Tab, section: string | null = null): void {
  tab.value = name;
  part.value = "main";
  wanted.value = section;
}

export function choose(change: Partial<Charts>): void {
  charts.value = { ...charts.value, ...change };
}

export function resetView(): void {
  filter.value = EVERYTHING;
  charts.value = NO_CHOICE;
  selected.value = null;
}

export const filtered = (of: Filter) => of.aspect !== null || of.period !== null || of.group !== null || of.like !== null || of.show !== "all" || of.where.length > 0 || of.sentiment !== null || of.q.trim() !== "";
