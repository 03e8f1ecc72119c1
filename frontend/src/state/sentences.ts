import { effect, signal, untracked } from "@preact/signals";
import { PAGE, Studio } from "../api/studio";
import type { Filter, Sentence, SentencePage } from "../api/types";
import { announce, report } from "./messages";
import { PageCache } from "./page-cache";
import { hold, labelledAtHand, shown } from "./pending";
import { project, projectId } from "./project";
import { queue, updateQueue } from "./queue";
import { filter, selected, tab } from "./view";

const cache = new PageCache(PAGE);
/** Counts up whenever the cache has changed, so that what is shown is drawn again. */
export const changes = signal(0);
export const loading = signal(false);
/** Counts up when the list starts anew and should be scrolled to its beginning. */
export const restarts = signal(0);

/** The filter of what is listed; another one is being asked for while it is not that of the view. */
const answered = signal<Filter | null>(null);
export const looking = () => answered.value !== filter.value;

let visible: [number, number] = [0, 0];
/** Answers to questions of an older generation come too late. */
let generation = 0;
const asked = new Set<number>();

export const total = () => (changes.value, cache.total);
export function sentenceAt(index: number): Sentence | undefined {
  const sentence = (changes.value, cache.at(index));
  return sentence && shown(sentence);
}
export const indexOf = (id: number) => cache.indexOf(id);
/** Whether what is listed was read when all sentences had their results. */
export const listed = () => cache.scored >= 1;

export function selectedSentence(): Sentence | undefined {
  const id = selected.value;
  if (id === null) return undefined;
  if (tab.value === "label") return queue.value.find(({ sentence }) => sentence.id === id)?.sentence;
  return sentenceAt(cache.indexOf(id));
}

export function updateSentence(id: number, change: (sentence: Sentence) => Sentence): void {
  cache.update(id, change);
  updateQueue((sentence) => (sentence.id === id ? change(sentence) : sentence));
  changes.value++;
}

/** Reads the pages of the rows that came into view. */
export function need(first: number, last: number): void {
  visible = [first, last];
  for (const page of cache.missing(first, last)) if (!asked.has(page)) void readPage(page);
}

async function readPage(page: number): Promise<void> {
  const now = generation;
  let late = false;
  asked.add(page);
  try {
    const answer = await current().sentences(filter.value, page, cache.revision);
    if (now !== generation) return;
    late = answer.revision < cache.revision; // a change has been read meanwhile
    if (late) return;
    cache.put(page, answer);
    changes.value++;
  } catch (error) {
    report(error);
  } finally {
    if (now === generation) asked.delete(page);
    if (late) need(...visible);
  }
}

/** What is shown stays until what replaces it is there; whether it came to be. */
export async function refresh(): Promise<boolean> {
  const now = outdate();
  const source = current();
  const words = filter.value;
  loading.value = true;
  try {
    const pages = cache.covering(...visible);
    const answers = await Promise.all(pages.map((page) => source.sentences(words, page)));
    if (now !== generation) return false;
    const before = selected.value === null ? -1 : cache.indexOf(selected.value);
    const atHand = cache.at(before);
    cache.replaceAll(new Map<number, SentencePage>(pages.map((page, i) => [page, answers[i]!])));
    const lost = selected.value === null || (atHand && cache.indexOf(atHand.id) < 0);
    if (lost && tab.value === "reviews") {
      // the person may give it yet another aspect: it stays until they have gone on
      if (atHand && labelledAtHand(atHand.id)) cache.insert(before, atHand);
      else selected.value = cache.at(Math.max(0, Math.min(before, cache.total - 1)))?.id ?? null;
    }
    answered.value = words;
    changes.value++;
    return true;
  } catch (error) {
    report(error);
    return false;
  } finally {
    if (now === generation) {
      loading.value = false;
      need(...visible); // rows may have come into view meanwhile
    }
  }
}

/** Answers still on their way no longer count. */
export function outdate(): number {
  asked.clear();
  return ++generation;
}

const current = () => new Studio(project.value!.id);

/** The sentence of a link that is not in the list. */
export const missing = signal<number | null>(null);
/** To be selected when the list is there, wherever in it; `linked`: whoever comes wants to know that it is missing. */
let sought: { id: number; linked: boolean } | null = null;

export function seek(id: number | null, linked: boolean): void {
  sought = id === null ? null : { id, linked };
}

/** A new project or filter starts the list anew. */
export function followFilter(): void {
  let open: number | undefined;
  effect(() => {
    const id = projectId.value;
    const words = filter.value;
    untracked(() => {
      if (id === undefined) return;
      if (open !== id) cache.replaceAll(new Map());
      open = id;
      hold(undefined);
      void begin(words);
    });
  });
}

/** At the first sentence, or at the one that is sought. */
async function begin(words: Filter): Promise<void> {
  const wanted = sought;
  visible = [0, 0];
  if (wanted) {
    const found = await current().locate(words, wanted.id).catch(report);
    if (filter.value !== words) return;
    visible = [found?.position ?? 0, found?.position ?? 0];
  }
  await refresh();
  if (filter.value !== words) return;
  sought = null;
  restarts.value++;
  announce(`${cache.total} sentences`);
  if (tab.value !== "reviews") return;
  const found = wanted && cache.indexOf(wanted.id) >= 0;
  selected.value = found ? wanted.id : (cache.at(0)?.id ?? null);
  if (wanted?.linked && !found) missing.value = wanted.id;
}

/** The person comes to a sentence: what is found in it does not change under their hands. */
export function followSelection(): void {
  effect(() => {
    void [selected.value, tab.value];
    untracked(holdSelected);
  });
}

export const holdSelected = () => hold(selectedSentence());
