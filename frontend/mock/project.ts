import type { Aspect, Example, Sentence, Word } from "../src/api/types";
import { ASPECTS, EXAMPLES, reviews } from "./sentences.ts";

interface State {
  aspects: Omit<Aspect, "examples" | "found">[];
  examples: Example[];
  rejected: { sentence: number; aspect: number }[];
}
interface Row {
  id: number;
  review: number;
  position: number;
  text: string;
}

/** A project in memory whose "detector" counts words that a sentence shares with the examples. */
export class MockProject {
  name = "Sample: hotel and restaurant reviews";
  threshold = 0.45;
  model: string | null = null;
  revision = 1;
  readonly reviews = reviews(240);
  readonly rows: Row[] = [];
  private state: State = { aspects: [], examples: [], rejected: [] };
  private past: [string, State][] = [];
  private future: [string, State][] = [];
  private next = 1;
  private known = new Map<string, Map<string, Set<string>>>();

  constructor(readonly id: number, filled: boolean) {
    if (!filled) this.reviews.length = 0;
    this.reviews.forEach((review, i) => review.sentences.forEach((text, position) => this.rows.push({ id: this.next++, review: i, position, text })));
    for (const name of filled ? ASPECTS : []) this.addAspect(name, `what guests say about ${name}`, EXAMPLES[name]!);
    this.past = [];
  }

  get aspects() { return this.state.aspects; }
  get examples() { return this.state.examples; }
  get canUndo() { return this.past.at(-1)?.[0] ?? null; }
  get canRedo() { return this.future.at(-1)?.[0] ?? null; }

  change(words: string, make: (state: State) => State): void {
    this.past.push([words, this.state]);
    this.future = [];
    this.state = make(this.state);
    this.revision++;
    this.known.clear();
  }

  step(from: "past" | "future"): string | null {
    const [source, target] = from === "past" ? [this.past, this.future] : [this.future, this.past];
    const entry = source.pop();
    if (!entry) return null;
    target.push([entry[0], this.state]);
    this.state = entry[1];
    this.revision++;
    this.known.clear();
    return entry[0];
  }

  addAspect(name: string, description: string, texts: string[]): number {
    const id = this.next++;
    const colour = this.aspects.length % 12;
    this.change(`add “${name}”`, (state) => ({
      ...state,
      aspects: [...state.aspects, { id, name, description, threshold: null, colour, group: "" }],
      examples: [...state.examples, ...texts.map((text) => this.example(text, [id], null))],
    }));
    return id;
  }

  example = (text: string, aspects: number[], sentence_id: number | null): Example => ({ id: this.next++, text, aspects, sentence_id, created: new Date().toISOString() });

  setExample(text: string, aspects: number[], sentence_id: number | null): Example {
    const made = this.example(text, aspects, sentence_id);
    this.change(`example “${text.slice(0, 30)}”`, (state) => ({ ...state, examples: [...state.examples.filter((old) => old.text !== text), made] }));
    return made;
  }

  private vocabulary(): Map<string, Set<string>> {
    const kept = this.known.get("words");
    if (kept) return kept;
    const made = new Map(this.aspects.map(({ id }) => [String(id), new Set(this.examples.filter((e) => e.aspects.includes(id)).flatMap((e) => wordsOf(e.text)))]));
    this.known.set("words", made);
    return made;
  }

  sentence = (row: Row): Sentence => {
    const example = this.examples.find((e) => e.sentence_id === row.id);
    const vocabulary = this.vocabulary();
    const tokens = wordsOf(row.text);
    const scores = Object.fromEntries(this.aspects.map(({ id }) => [id, Math.min(0.99, (tokens.filter((t) => vocabulary.get(String(id))!.has(t)).length * 0.9 + 0.06) / 2)]));
    const found = this.aspects.filter(({ id, threshold }) => scores[id]! >= (threshold ?? this.threshold)).sort((a, b) => scores[b.id]! - scores[a.id]!).map(({ id }) => id);
    const rejected = this.state.rejected.filter((own) => own.sentence === row.id && !example).map((own) => own.aspect);
    const aspects = example?.aspects ?? found.filter((id) => !rejected.includes(id));
    const words: Word[] = aspects.flatMap((aspect) => tokens.filter((t) => vocabulary.get(String(aspect))!.has(t)).slice(0, 2).map((t) => {
      const start = Array.from(row.text.slice(0, row.text.toLowerCase().indexOf(t))).length;
      return { start, end: start + Array.from(t).length, aspect, weight: 0.8 };
    }));
    const name = (id: number) => this.aspects.find((a) => a.id === id)!.name;
    const reason = example ? "you said so" : aspects.map((id) => `${name(id)} ${scores[id]!.toFixed(2)} >= 0.45`).join(", ") || "no aspect reaches its threshold";
    return { id: row.id, review_id: row.review, position: row.position, text: row.text, date: this.reviews[row.review]!.date, aspects, scores, words, reason, example_id: example?.id ?? null, confirmed: !!example, rejected };
  };

  counted = (): Aspect[] => {
    const all = this.rows.map(this.sentence);
    return this.aspects.map((a) => ({ ...a, examples: this.examples.filter((e) => e.aspects.includes(a.id)).length, found: all.filter((s) => s.aspects.includes(a.id)).length }));
  };

  entry = () => ({ id: this.id, name: this.name, created: "2024-05-01T00:00:00Z", aspects: this.aspects.length, examples: this.examples.length, reviews: this.reviews.length, sentences: this.rows.length, revision: this.revision });
  project = () => ({ ...this.entry(), aspects: this.counted(), threshold: this.threshold, scored: 1, can_undo: this.canUndo, can_redo: this.canRedo, dated: true });
}

const COMMON = new Set("there this that with from were have very good could when our the and was for his her him they them into right every single all".split(" "));
const wordsOf = (text: string) => [...new Set(text.toLowerCase().match(/\p{L}{3,}/gu) ?? [])].filter((word) => !COMMON.has(word));
