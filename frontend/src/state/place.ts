import type { Charts, Filter, Unit } from "../api/types";
import { POLARITIES } from "../sentiment/polarity";
import { EVERYTHING, NO_CHOICE, type Part, type Tab } from "./view";

/** A view of the studio, as its address has it. */
export interface Place {
  /** null: whichever is open. */
  project: number | null;
  tab: Tab;
  part: Part;
  filter: Filter;
  sentence: number | null;
  charts: Charts;
}

/** The first of each is the plain one. */
const TABS: readonly Tab[] = ["reviews", "label", "dashboard", "evaluate"];
const PARTS: readonly Part[] = ["main", "aspects", "details"];
const SHOWN: readonly Filter["show"][] = ["all", "none", "uncertain", "look", "examples"];
const ORDERS: readonly Filter["order"][] = ["file", "uncertain", "certain"];

const UNITS: readonly Unit[] = ["day", "week", "month", "quarter", "year"];
/** As the server reads it. */
const CONDITION = /^[^=<>!]+(!?=[^\r\n]*|[<>]=(-?\d{1,15}(\.\d{1,9})?|\d{4}-\d{2}-\d{2}))$/;
const PERIOD = /^(\d{4}(-\d{2}){0,2}|\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2})$/;

/** What follows “#”; only what differs from the plain view is named. */
export function toHash({ project, tab, part, filter, sentence, charts }: Place): string {
  const query = new URLSearchParams();
  const set = (name: string, value: string | number | null, plain: string | number | null) => value !== plain && query.set(name, String(value));
  const add = (name: string, values: string[]) => values.forEach((value) => query.append(name, value));
  if (tab === "reviews") {
    set("aspect", filter.aspect, null);
    set("together", filter.together, null);
    set("period", filter.period, null);
    set("group", filter.group, null);
    set("show", filter.show, "all");
    set("order", filter.order, "file");
    set("like", filter.like, null);
    set("q", filter.q.trim(), "");
    set("sentiment", filter.sentiment, null);
    add("where", filter.where);
    set("sentence", sentence, null);
  }
  if (tab === "dashboard") {
    add("where", charts.where);
    set("by", charts.by, null);
    add("one", charts.one);
    add("other", charts.other);
    set("unit", charts.unit, null);
  }
  set("part", part, "main");
  const words = query.toString();
  return `#/projects/${project}/${tab}${words && `?${words}`}`;
}

/** The place that an address names, null if none; `known`: the studio has all that it names. What it has not is left out. */
export function fromHash(hash: string): { place: Place; known: boolean } | null {
  if (!hash.startsWith("#/")) return null;
  const [path = "", words = ""] = hash.slice(1).split("?", 2);
  const query = new URLSearchParams(words);
  const named = /^\/projects\/(\d{1,10})(?:\/(\w+))?\/?$/.exec(path);
  let known = named !== null;
  const read = <T>(value: string | null | undefined, otherwise: T, convert: (value: string) => T | undefined): T => {
    const found = value === null || value === undefined ? otherwise : convert(value);
    if (found === undefined) known = false;
    return found ?? otherwise;
  };
  const one = <T extends string>(value: string | null | undefined, all: readonly T[]) => read<T>(value, all[0]!, (text) => all.find((other) => other === text));
  const number = (name: string) => read(query.get(name), null, (text) => (/^\d{1,10}$/.test(text) ? Number(text) : undefined));
  const conditions = (name: string) => query.getAll(name).flatMap((text) => read<string[]>(text, [], () => (CONDITION.test(text) ? [text] : undefined))).slice(0, 40);
  const tab = one(named?.[2], TABS);
  const filter: Filter = {
    ...EVERYTHING,
    aspect: number("aspect"),
    together: number("together"),
    period: read(query.get("period"), null, (text) => (PERIOD.test(text) ? text : undefined)),
    group: query.get("group")?.slice(0, 100) || null,
    show: one(query.get("show"), SHOWN),
    order: one(query.get("order"), ORDERS),
    sentiment: query.has("sentiment") ? one(query.get("sentiment"), POLARITIES) : null,
    like: number("like"),
    q: (query.get("q") ?? "").slice(0, 200),
    where: tab === "reviews" ? conditions("where") : [],
  };
  const charts: Charts = tab === "dashboard" ? { where: conditions("where"), by: query.get("by"), one: conditions("one"), other: conditions("other"), unit: query.has("unit") ? one(query.get("unit"), UNITS) : null } : NO_CHOICE;
  const place = { project: named && Number(named[1]), tab, part: one(query.get("part"), PARTS), filter, sentence: number("sentence"), charts };
  return { place, known };
}

/** Whether going from one to the other is a step that Back takes back: not from sentence to sentence, nor from letter to letter of a search. */
export function isStep(from: Place, to: Place): boolean {
  const typing = from.filter.q.trim() && to.filter.q.trim();
  const plain = (place: Place) => toHash({ ...place, sentence: null, filter: typing ? { ...place.filter, q: "" } : place.filter });
  return plain(from) !== plain(to);
}
