import { signal } from "@preact/signals";
import type { Studio } from "../api/studio";
import type { Sentence, Tuned } from "../api/types";
import { same } from "./decisions";
import { announce, report, toast } from "./messages";
import { forget, say, stored, trustServer, type Said } from "./pending";
import { aspectById, project, readProject, readProjects, studio } from "./project";
import { dropFromQueue, outdateQueue, rereadQueue } from "./queue";
import { holdSelected, outdate, refresh, updateSentence } from "./sentences";
import { dialog, tab } from "./view";

/** Grows when scores may have changed; details, suggestions and the dashboard read themselves again. */
export const settled = signal(0);
export const tuning = signal(false);
export const tuned = signal<Tuned | null>(null);

let waiting = 0;
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

/** Any change but a correction of a sentence. After it, what was read before no longer counts. */
export function change<A>(work: () => Promise<A>): Promise<A | undefined> {
  unsent = null;
  outdate();
  const turn = () =>
    work().catch(report).finally(() => {
      outdate();
      outdateQueue();
      trustServer();
    });
  return inLine(turn) as Promise<A | undefined>;
}

let settling = 0;
let reading: Promise<void> = Promise.resolve();
let begun = true;

/** One reading at a time; one that has not begun will know of this change, too. */
function settleInTurn(): Promise<void> {
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
  announce(aspects.length ? `Confirmed: ${names(aspects)}` : "Confirmed: none of these");
}

export function release(sentence: Sentence): void {
  correct(sentence, null);
  announce("Released: no longer an example");
}

/** Gone from the queue at once, and not offered again. */
export function skip(sentence: Sentence): void {
  const source = studio();
  dropFromQueue(sentence.id);
  void change(async () => {
    await source.skip(sentence.id);
    toast("Skipped: this sentence is not offered again.", "note", UNDO);
  });
}

/** Shown at once. Of what is said of a sentence while others are on their way, only the newest is sent. */
function correct(sentence: Sentence, aspects: number[] | null): void {
  const said = say(sentence.id, aspects);
  if (unsent?.said.id === said.id) {
    unsent.said = said;
    return;
  }
  const own = (unsent = { said });
  const source = studio();
  void inLine(() => {
    if (unsent === own) unsent = null;
    return send(source, own.said, sentence.text);
  });
}

async function send(source: Studio, said: Said, text: string): Promise<void> {
  try {
    const answer = await (said.aspects ? source.label(said.id, said.aspects) : source.release(said.id));
    said.stored = true;
    updateSentence(said.id, () => answer); // under what was said since
  } catch (error) {
    if (forget(said)) toast(`Your correction of “${text}” was not saved. ${error instanceof Error ? error.message : error}`, "problem");
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

const UNDO = { label: "Undo", run: () => void undo() };

const names = (aspects: number[]) => aspects.map((id) => aspectById.value.get(id)?.name ?? "?").join(", ");
