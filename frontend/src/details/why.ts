import type { Aspect, SentenceDetails } from "../api/types";
import { best } from "../state/decisions";

/** Why a sentence has its aspects, or none; the detector's own words are for programs. */
export function why({ confirmed, aspects, scores, thresholds, foreign, rejected = [] }: SentenceDetails, known: ReadonlyMap<number, Aspect>): string {
  if (confirmed) return "You said so: this is one of your examples.";
  if (foreign) return "It seems to be in a language that the detector does not read, so its answers say little. If your reviews are in other languages, say so under “Rename or delete …” in the project menu.";
  const near = best({ scores, rejected });
  const name = (id: number) => known.get(id)?.name ?? "?";
  const both = (id: number) => {
    const [sure, least] = [scores[id] ?? 0, thresholds[id] ?? 0];
    const digits = sure.toFixed(2) === least.toFixed(2) ? 4 : 2; // as many as it takes to tell them apart
    return [sure.toFixed(digits), least.toFixed(digits)];
  };
  const wrong = rejected.length ? `You said that it is not about ${rejected.map(name).join(" or ")}. ` : "";
  if (!near) return wrong || "There are no aspects yet.";
  if (!near.score) return "There are no words to go by.";
  if (!aspects.length) return `${wrong}The nearest is ${name(near.aspect)}, with ${both(near.aspect).join("; its threshold is ")}.`;
  return `${wrong}${aspects.map((id) => `${name(id)}: ${both(id).join(", and its threshold is ")}`).join("; ")}.`;
}
