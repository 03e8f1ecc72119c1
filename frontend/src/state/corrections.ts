import { effect, signal, untracked } from "@preact/signals";
import { offline, Problem } from "../api/http";
import type { Studio } from "../api/studio";
import type { Sentence, Tuned } from "../api/types";
import { persistently } from "./connection";
import { same } from "./decisions";
import { announce, report, toast } from "./messages";
import { forget, markStored, saidOf, say, sayOfOne, shown, stored, trustServer, type Said } from "./pending";
import { aspectById, project, projectId, readProject, readProjects, studio } from "./project";
import { dropFromQueue, outdateQueue, rereadQueue } from "./queue";
import { holdSelected, outdate, refresh, updateSentence } from "./sentences";
import { drop, keep, kept } from "./unsaved";
import { dialog, tab } from "./view";

/** Grows when scores may have changed; details, suggestions and the dashboard read themselves again. */
export const settled = signal(0);
export const tuning = signal(false);
export const tuned = signal<Tuned | null>(null);

let waiting = 0;
/** Changes in line that are no corrections; what a sentence is an example of after them is not known. */
let changing = 0;
let line: Promise<unknown> = Promise.resolve();
/** The last in line, while it is a correction that was not sent: what is said of the same sentence goes with it. */
let unsent: { said: Said } | null = null;

/** Changes go to the server one after the other; when the last is done, everything visible is read again. */
function inLine<A>(work: () => Promise<A>): Promise<A> {
  waiting++;
  const turn = line.then(work);
  line = turn.catch(() => undefined);
  return turn.finally(() => --waiting || settleInTurn());
}

/** When everything said so far is with the server. */
export const saved = () => line;

/** Any change but a correction of a sentence. After it, what was read before no longer counts. What is refused or fails is undefined. */
export function change<A>(work: () => Promise<A>): Promise<A | undefined> {
  if (refused()) return Promise.resolve(undefined);
  unsent = null;
  changing++;
  outdate();
  const turn = () =>
    work().catch(reportChange).finally(() => {
      outdate();
      outdateQueue();
      trustServer();
    }) as Promise<A | undefined>;
  return unlessGone(turn).finally(() => changing--);
}

/** Whether the studio does not answer, which is said: a change would wait behind corrections, and be lost with the page. */
export function refused(): boolean {
  if (offline.value) toast(NOT_SAVED, "problem");
  return offline.value;
}

/** In line; but when the studio stops answering before its turn, it is not done at all. */
function unlessGone<A>(turn: () => Promise<A>): Promise<A | undefined> {
  return new Promise((resolve) => {
    let given = false;
    const stop = offline.subscribe((gone) => {
      if (!gone) return;
      given = true;
      resolve(undefined);
      refused();
    });
    void inLine(async () => {
      stop();
      if (!given) resolve(await turn());
    });
  });
}

const NOT_SAVED = "Your last change was not saved: the studio does not answer.";

function reportChange(error: unknown): void {
  if (error instanceof Problem && error.status === 0) toast(NOT_SAVED, "problem");
  else report(error);
}

let settling = 0;
let reading: Promise<void> = Promise.resolve();
let begun = true;

/** One reading at a time; one that has not begun will know of this change, too. */
export function settleInTurn(): Promise<void> {
  if (!begun) return reading;
  begun = false;
  return (reading = reading.then(() => {
    begun = true;
    return waiting ? undefined : settle();
  }));
}

export async function settle(): Promise<void> {
  if (!project.value) return;
  settling++;
  settled.value++;
  const known = stored();
  const queued = tab.value !== "label" || rereadQueue(studio()).catch(report);
  const [, inList, inQueue] = await Promise.all([readProject().catch(report), refresh(), queued]);
  if (inList && inQueue) known.forEach(forget);
  holdSelected();
  settling--;
}

export function label(sentence: Sentence, aspects: number[]): void {
  if (!sentence.confirmed || !same(sentence.aspects, aspects)) correct(sentence, aspects);
  else announce(inWordsOf(aspects));
}

export const release = (sentence: Sentence) => correct(sentence, null);

/** It is not about this aspect; nothing is said of its others, and it becomes no example. */
export const reject = (sentence: Sentence, aspect: number) => sayOne(sentence, aspect, true);

/** Left to the detector again. */
export const restore = (sentence: Sentence, aspect: number) => sayOne(sentence, aspect, false);

/** What is said of one aspect goes by itself, after what was said before. */
function sayOne(sentence: Sentence, aspect: number, rejected: boolean): void {
  unsent = null;
  enqueue(studio(), sayOfOne(sentence, { aspect, rejected }, seenOf(sentence)));
}

function seenOf(sentence: Sentence): number[] | null | undefined {
  const before = saidOf(sentence.id);
  return changing ? undefined : before ? before.aspects : sentence.confirmed ? sentence.aspects : null;
}

const inWords = ({ aspects, ofOne }: Said) => (ofOne ? `${ofOne.rejected ? "Not about" : "Left to the detector"}: ${names([ofOne.aspect])}` : inWordsOf(aspects));
const inWordsOf = (aspects: number[] | null) => (aspects ? `Confirmed: ${aspects.length ? names(aspects) : "none of these"}` : "Taken back: no longer an example");

/** Gone from the queue at once, and not offered again. */
export function skip(sentence: Sentence): void {
  if (refused()) return;
  const source = studio();
  dropFromQueue(sentence.id);
  void change(async () => {
    await source.skip(sentence.id);
    toast("Skipped: you are not asked about this sentence again.", "note", UNDO);
  });
}

/** Shown at once. Of what is said of a sentence while others are on their way, only the newest is sent. */
function correct(sentence: Sentence, aspects: number[] | null): void {
  const merged = !changing && unsent?.said.id === sentence.id;
  const seen = merged ? unsent!.said.seen : seenOf(sentence);
  enqueue(studio(), say(sentence.id, aspects, sentence.text, seen));
}

function enqueue(source: Studio, said: Said): void {
  keep(source.id, said);
  if (unsent?.said.id === said.id) {
    unsent.said = said;
    return;
  }
  const own = { said };
  unsent = said.ofOne ? null : own;
  void inLine(() => {
    if (unsent === own) unsent = null;
    return send(source, own.said);
  });
}

/** As long as the studio does not answer, it waits, and all that was said after it. */
async function send(source: Studio, said: Said): Promise<void> {
  try {
    const answer = await persistently(() => store(source, said));
    markStored(said);
    updateSentence(said.id, () => answer); // under what was said since
    announce(inWords(said));
  } catch (error) {
    if (forget(said) || said.ofOne) toast(`Your correction of “${said.text}” was not saved. ${error instanceof Error ? error.message : error}`, "problem");
  }
  drop(source.id, said);
}

function store(source: Studio, { id, aspects, ofOne, seen }: Said): Promise<Sentence> {
  if (ofOne) return ofOne.rejected ? source.reject(id, ofOne.aspect, seen) : source.restore(id, ofOne.aspect);
  return aspects ? source.label(id, aspects, seen) : source.release(id, seen);
}

/** Of each project that is opened. */
export const followKept = () => effect(() => void (projectId.value !== undefined && untracked(sendKept)));

/** What was not saved when the page was left, unless its sentence has gone. */
async function sendKept(): Promise<void> {
  const source = studio();
  const again = new Set<Said | undefined>([undefined]);
  for (const one of kept().filter((own) => own.project === source.id)) {
    const { id, aspects, ofOne, seen, text } = one;
    if (!again.has(saidOf(id))) continue;
    const now = await persistently(() => source.sentence(id)).catch((error) => (error instanceof Problem && error.status === 404 ? null : undefined));
    if (!again.has(saidOf(id))) continue; // said again meanwhile
    if (now?.text === text) {
      const said = ofOne ? sayOfOne(shown(now), ofOne, seen) : say(id, aspects, text, seen);
      again.add(said);
      enqueue(source, said);
    } else if (now !== undefined) {
      drop(source.id, one);
      toast(`Your correction of “${text}” was not saved: the sentence is no longer there.`, "problem");
    }
  }
}

export const addExample = (text: string, aspects: number[]) =>
  change(async () => {
    await studio().addExample(text, aspects);
    toast(`“${text}” is now an example of ${aspects.length ? names(aspects) : "none of these"}.`, "note", UNDO);
    return true;
  });

export const removeAspect = (id: number, name: string) =>
  change(async () => {
    await studio().removeAspect(id);
    toast(`Removed “${name}”.`, "note", UNDO);
  });

export const setThreshold = (id: number, threshold: number | null) => change(() => studio().changeAspect(id, { threshold }));

export function tune(): Promise<unknown> {
  tuning.value = true;
  return change(async () => {
    tuned.value = await studio().tune();
    dialog.value = "tuned";
  }).finally(() => (tuning.value = false));
}

export const undo = () => step("undo");
export const redo = () => step("redo");

function step(way: "undo" | "redo"): Promise<unknown> {
  const what = way === "undo" ? project.value?.can_undo : project.value?.can_redo;
  if (!what && !waiting && !settling) return Promise.resolve(announce(`Nothing to ${way}`));
  const source = studio();
  return change(async () => {
    const { did, project: after } = await source[way]();
    if (project.value?.id === after.id) project.value = { ...project.value, ...after };
    toast(`${way === "undo" ? "Undone" : "Redone"}: ${did}`);
    await readProjects();
  });
}

export const UNDO = { label: "Undo", run: () => void undo() };

const names = (aspects: number[]) => aspects.map((id) => aspectById.value.get(id)?.name ?? "?").join(", ");
