import type { Aspect, Project, Sentence } from "../api/types";

export const NONE_COLOUR = -1;
const ORDER = [0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11]; // of twelve angles: the first three, and the first six, are as far apart as can be

/** How many colours there are; every twelve of them another tone. */
export const COLOURS = 24;
const OF_ONE_TONE = 12;

export const tone = (colour: number) => Math.floor(colour / OF_ONE_TONE) % (COLOURS / OF_ONE_TONE);

/** The angle of an aspect's colour. */
export const hue = (colour: number) => (215 + 30 * ORDER[colour % OF_ONE_TONE]! + 15 * tone(colour)) % 360;

export const thresholdOf = (project: Project, aspect: Aspect) => aspect.threshold ?? project.threshold;

/** What would be decided with another threshold of one aspect; what the user confirmed stays. */
export function decideAnew(sentence: Sentence, aspect: number, threshold: number): Sentence {
  if (sentence.confirmed || sentence.rejected?.includes(aspect)) return sentence;
  const found = (sentence.scores[aspect] ?? 0) >= threshold;
  if (found === sentence.aspects.includes(aspect)) return sentence;
  const aspects = found ? byScore(sentence, [...sentence.aspects, aspect]) : without(sentence.aspects, aspect);
  return { ...sentence, aspects };
}

/** Aspects of a sentence, the likeliest first. */
export const byScore = ({ scores }: Sentence, aspects: number[]) => [...aspects].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));

export const without = (aspects: number[], aspect: number) => aspects.filter((id) => id !== aspect);

export const toggled = (aspects: number[], aspect: number) => (aspects.includes(aspect) ? without(aspects, aspect) : [...aspects, aspect]);

export const same = (one: number[], other: number[]) => one.length === other.length && one.every((id) => other.includes(id));

/** How the sentence looks before the server has answered a correction. */
export function corrected(sentence: Sentence, aspects: number[]): Sentence {
  return { ...sentence, aspects, confirmed: true, ...(sentence.look ? { look: [] } : {}), words: sentence.words.filter((word) => aspects.includes(word.aspect)) };
}

/** The best aspect of a sentence and its score, but for those that were rejected. */
export function best(sentence: Pick<Sentence, "scores" | "rejected">): { aspect: number; score: number } | null {
  let found: { aspect: number; score: number } | null = null;
  for (const [id, score] of Object.entries(sentence.scores)) {
    if ((!found || score > found.score) && !sentence.rejected?.includes(Number(id))) found = { aspect: Number(id), score };
  }
  return found;
}
