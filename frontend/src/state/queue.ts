import { signal } from "@preact/signals";
import { Studio } from "../api/studio";
import type { Suggestion } from "../api/types";

/** The sentences whose labels would teach the most, as asked last. */
export const queue = signal<Suggestion[]>([]);

/** The same sentences, as they are decided now. */
export async function rereadQueue(studio: Studio): Promise<void> {
  const fresh = await Promise.all(queue.value.map(({ sentence }) => studio.sentence(sentence.id)));
  const byId = new Map(fresh.map((sentence) => [sentence.id, sentence]));
  queue.value = queue.value.map((entry) => ({ ...entry, sentence: byId.get(entry.sentence.id) ?? entry.sentence }));
}
