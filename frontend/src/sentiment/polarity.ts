import type { Polarity, Sentence, SentimentOfAspect } from "../api/types";

/** In the order of charts; a sign needs no colour. */
export const SIGNS: Record<Polarity, string> = { negative: "−", mixed: "±", neutral: "○", positive: "+" };
export const POLARITIES = Object.keys(SIGNS) as Polarity[];

/** What a key makes of an answer: one after the other. */
export const nextPolarity = (now: Polarity | undefined): Polarity => POLARITIES[(now ? POLARITIES.indexOf(now) + 1 : 0) % POLARITIES.length]!;

/** How the sentence looks before the server has answered; null: left to the model, which the server asks. */
export function withPolarity(sentence: Sentence, aspect: number, polarity: Polarity | null): Sentence {
  if (!sentence.sentiment) return sentence;
  const before = sentence.sentiment[aspect];
  const said: SentimentOfAspect = { ...(before ?? { negative: 0, neutral: 0, positive: 0 }), polarity: polarity ?? before?.polarity ?? "neutral", own: polarity !== null };
  return { ...sentence, sentiment: { ...sentence.sentiment, [aspect]: said } };
}
