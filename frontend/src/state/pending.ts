import { signal } from "@preact/signals";
import type { Sentence } from "../api/types";
import { byScore, corrected, same, without } from "./decisions";

/** What the person said of one aspect of a sentence: it is not about it, or whether it is may be decided again. */
export interface SaidOfOne {
  aspect: number;
  rejected: boolean;
}

/** What the person said of a sentence: it has exactly these aspects; null: it is no example. */
export interface Said {
  id: number;
  aspects: number[] | null;
  /** This alone was said; `aspects` is what the sentence is an example of after it. */
  ofOne?: SaidOfOne;
  /** While it is no example: what it is about, and what not, as the person sees it. */
  answer?: Pick<Sentence, "aspects" | "rejected">;
  /** What it was an example of when this was said, null: of nothing; undefined: not known any more. */
  seen: number[] | null | undefined;
  text: string;
  /** The server has it; what was read earlier may yet arrive. */
  stored: boolean;
}

/** The newest of each sentence, shown over whatever is read, until a reading that knows of it is there. */
const newest = signal<ReadonlyMap<number, Said>>(new Map());
/** The sentence at hand keeps the aspects that the person saw when they came to it: the keys mean these. */
const held = signal<{ id: number; aspects: number[] } | null>(null);
/** The sentence at hand, once the person has given it aspects. */
let labelled: number | null = null;

export function say(id: number, aspects: number[] | null, text = "", seen?: number[] | null): Said {
  return remember({ id, aspects, seen, text, stored: false });
}

/** As the sentence is shown without the aspect, or with it again; the others are what they were. */
export function sayOfOne(sentence: Sentence, ofOne: SaidOfOne, seen?: number[] | null): Said {
  const { aspect, rejected } = ofOne;
  const others = without(sentence.aspects, aspect);
  const answer = rejected
    ? { aspects: others, rejected: [...without(sentence.rejected ?? [], aspect), aspect] }
    : { aspects: byScore(sentence, [...others, aspect]), rejected: without(sentence.rejected ?? [], aspect) };
  const aspects = sentence.confirmed && others.length ? answer.aspects : null;
  return remember({ id: sentence.id, aspects, ofOne, answer, seen, text: sentence.text, stored: false });
}

function remember(said: Said): Said {
  newest.value = new Map(newest.value).set(said.id, said);
  if (held.value?.id === said.id) held.value = null;
  labelled = said.aspects || said.ofOne ? said.id : null;
  return said;
}

/** Withdrawn or known to what was read; what was said since stays. Whether nothing was. */
export function forget(said: Said): boolean {
  if (newest.value.get(said.id) !== said) return false;
  const others = new Map(newest.value);
  others.delete(said.id);
  newest.value = others;
  return true;
}

/** What the person said of it last, if it is not known to have been read. */
export const saidOf = (id: number) => newest.value.get(id);

export const unsavedCount = () => [...newest.value.values()].filter((said) => !said.stored).length;

/** After it was stored what is shown changes. */
export function markStored(said: Said): void {
  said.stored = true;
  newest.value = new Map(newest.value);
}

export const stored = () => [...newest.value.values()].filter((said) => said.stored);

export const labelledAtHand = (id: number) => labelled === id;

export function hold(sentence: Sentence | undefined): void {
  if (labelled !== sentence?.id) labelled = null;
  held.value = sentence && !sentence.confirmed ? { id: sentence.id, aspects: sentence.aspects } : null;
}

/** After another change, such as undo, what the server says counts, but for what it has not heard yet. */
export function trustServer(): void {
  stored().forEach(forget);
  held.value = labelled = null;
}

function answered(sentence: Sentence, answer: Said["answer"]): Sentence {
  if (!answer) return sentence;
  const has = (id: number) => answer.aspects.includes(id);
  return { ...sentence, ...answer, words: sentence.words.filter((word) => has(word.aspect)), ...(sentence.look ? { look: sentence.look.filter(has) } : {}) };
}

/** A sentence as read, with what the person said of it since. */
export function shown(sentence: Sentence): Sentence {
  const said = newest.value.get(sentence.id);
  const unsaved = said && !said.stored ? { unsaved: true } : {};
  if (said?.aspects === null) return { ...answered(sentence, said.answer), confirmed: false, example_id: null, ...unsaved };
  if (said) return sentence.confirmed && same(sentence.aspects, said.aspects) ? sentence : { ...corrected(sentence, said.aspects), ...unsaved };
  if (sentence.confirmed || held.value?.id !== sentence.id) return sentence;
  const { aspects } = held.value;
  const look = sentence.look && { look: aspects.filter((id) => sentence.look!.includes(id) || !sentence.aspects.includes(id)) };
  return { ...corrected(sentence, aspects), ...look, confirmed: false };
}
