import type { Polarity, Sentence } from "../api/types";
import { change, refused } from "../state/corrections";
import { announce } from "../state/messages";
import { aspectById, studio } from "../state/project";
import { updateSentence } from "../state/sentences";
import { nextPolarity, withPolarity } from "./polarity";

/** Shown at once; null leaves it to the model again. */
export function sayPolarity(sentence: Sentence, aspect: number, polarity: Polarity | null): void {
  if (refused()) return;
  const source = studio();
  const name = aspectById.value.get(aspect)?.name ?? "?";
  updateSentence(sentence.id, (now) => withPolarity(now, aspect, polarity));
  announce(polarity ? `${polarity} about ${name}` : `${name}: left to the detector`);
  void change(() => (polarity ? source.sayPolarity(sentence.id, aspect, polarity) : source.takePolarityBack(sentence.id, aspect)));
}

/** By key: about the aspect in focus, else about the first one. Whether there was one. */
export function sayByKey(sentence: Sentence, said: "negative" | "positive" | "next"): boolean {
  const focused = Number(document.activeElement?.closest("[data-aspect]")?.getAttribute("data-aspect"));
  const aspect = sentence.aspects.includes(focused) ? focused : sentence.aspects[0];
  if (!sentence.sentiment || aspect === undefined) return false;
  sayPolarity(sentence, aspect, said === "next" ? nextPolarity(sentence.sentiment[aspect]?.polarity) : said);
  return true;
}
