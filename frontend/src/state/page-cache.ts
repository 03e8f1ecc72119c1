import type { Sentence, SentencePage } from "../api/types";

/** The pages of a long list that have been read; the list itself stays on the server. */
export class PageCache {
  total = 0;
  /** The newest among the pages. */
  revision = 0;
  /** Below 1 if any of the pages was read before all sentences had results that stay. */
  scored = 1;
  private pages = new Map<number, Sentence[]>();

  constructor(
    readonly size: number,
    readonly most = 20,
  ) {}

  at(index: number): Sentence | undefined {
    return this.pages.get(Math.floor(index / this.size))?.[index % this.size];
  }

  indexOf(id: number): number {
    for (const [page, sentences] of this.pages) {
      const i = sentences.findIndex((sentence) => sentence.id === id);
      if (i >= 0) return page * this.size + i;
    }
    return -1;
  }

  /** Page numbers that the rows first..last lie on. */
  covering(first: number, last: number): number[] {
    const from = Math.floor(Math.max(0, first) / this.size);
    const to = Math.floor(Math.max(0, last) / this.size);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  }

  missing(first: number, last: number): number[] {
    const end = Math.min(last, this.total - 1);
    return end < first ? [] : this.covering(first, end).filter((page) => !this.pages.has(page));
  }

  put(page: number, answer: SentencePage): void {
    this.total = answer.total;
    this.revision = Math.max(this.revision, answer.revision);
    this.scored = Math.min(this.scored, answer.scored);
    this.pages.delete(page);
    this.pages.set(page, answer.sentences);
    for (const oldest of this.pages.keys()) {
      if (this.pages.size <= this.most) break;
      this.pages.delete(oldest);
    }
  }

  /** After a change only these pages are right. */
  replaceAll(answers: ReadonlyMap<number, SentencePage>): void {
    this.pages.clear();
    this.revision = 0;
    this.scored = 1;
    for (const [page, answer] of answers) this.put(page, answer);
  }

  /** Of a full page the last row gives way. */
  insert(index: number, sentence: Sentence): void {
    const page = Math.floor(index / this.size);
    const rows = this.pages.get(page)?.slice();
    if (!rows) return;
    rows.splice(index % this.size, 0, sentence);
    if (rows.length > this.size) rows.pop();
    else this.total++;
    this.pages.set(page, rows);
  }

  update(id: number, change: (sentence: Sentence) => Sentence): void {
    for (const [page, sentences] of this.pages) {
      if (sentences.some((sentence) => sentence.id === id)) {
        this.pages.set(page, sentences.map((sentence) => (sentence.id === id ? change(sentence) : sentence)));
      }
    }
  }
}
