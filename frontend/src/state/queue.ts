import { computed, signal } from "@preact/signals";
import { Studio } from "../api/studio";
import type { Sentence, Suggestion, Suggestions } from "../api/types";
import { shown } from "./pending";

/** As read; null until the first are there. */
const suggestions = signal<Suggestion[] | null>(null);
/** Sentences that are worth a label, as asked last. */
export const queue = computed(() => (suggestions.value ?? []).map((entry) => ({ ...entry, sentence: shown(entry.sentence) })));
/** What the last labels have changed; null while that cannot be said. */
export const settling = signal<Pick<Suggestions, "changed" | "settled"> | null>(null);
export const nothingToLabel = computed(() => suggestions.value?.length === 0);

/** Only the answers to the last questions count. */
let asked = 0;
let reread = 0;

/** What is being read of the same sentences no longer counts. */
export const outdateQueue = () => ++reread;

export function clearQueue(): void {
  asked++;
  suggestions.value = null;
  settling.value = null;
}

/** Whether they are there: others may have been asked for meanwhile. */
export async function readQueue(studio: Studio, n: number): Promise<boolean> {
  const now = ++asked;
  const answer = await studio.suggestions(n);
  if (now !== asked) return false;
  outdateQueue();
  suggestions.value = answer.suggestions;
  settling.value = answer;
  return true;
}

/** The same sentences, as they are decided now; whether they are there. */
export async function rereadQueue(studio: Studio): Promise<boolean> {
  const now = outdateQueue();
  const fresh = await Promise.all(queue.value.map(({ sentence }) => studio.sentence(sentence.id)));
  if (now !== reread) return false;
  const byId = new Map(fresh.map((sentence) => [sentence.id, sentence]));
  updateQueue((sentence) => byId.get(sentence.id) ?? sentence);
  return true;
}

export function dropFromQueue(id: number): void {
  suggestions.value = suggestions.value && suggestions.value.filter((entry) => entry.sentence.id !== id);
}

export function updateQueue(change: (sentence: Sentence) => Sentence): void {
  suggestions.value = suggestions.value && suggestions.value.map((entry) => ({ ...entry, sentence: change(entry.sentence) }));
}
