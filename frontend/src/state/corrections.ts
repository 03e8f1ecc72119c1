import { signal } from "@preact/signals";
import type { Sentence, Tuned } from "../api/types";
import { corrected } from "./decisions";
import { announce, report, toast } from "./messages";
import { aspectById, project, readProject, readProjects, studio } from "./project";
import { rereadQueue } from "./queue";
import { outdate, refresh, updateSentence } from "./sentences";
import { dialog, tab } from "./view";

/** Grows when scores may have changed; details, suggestions and the dashboard read themselves again. */
export const settled = signal(0);
export const tuning = signal(false);
export const tuned = signal<Tuned | null>(null);

let waiting = 0;
let line: Promise<unknown> = Promise.resolve();

/** Changes go to the server one after the other; when the last is done, everything visible is read again. */
export function change<A>(work: () => Promise<A>): Promise<A | undefined> {
  waiting++;
  outdate();
  const turn = line.then(work).catch(report).finally(() => --waiting || settle());
  line = turn;
  return turn as Promise<A | undefined>;
}

export async function settle(): Promise<void> {
  if (!project.value) return;
  settled.value++;
  const queued = tab.value === "label" ? rereadQueue(studio()).catch(report) : undefined;
  await Promise.all([readProject().catch(report), refresh(), queued]);
}

export function label(sentence: Sentence, aspects: number[]): Promise<unknown> {
  updateSentence(sentence.id, (old) => corrected(old, aspects));
  announce(aspects.length ? `Confirmed: ${names(aspects)}` : "Confirmed: none of these");
  return change(async () => {
    const answer = await studio().label(sentence.id, aspects);
    updateSentence(sentence.id, () => answer);
  });
}

export function release(sentence: Sentence): Promise<unknown> {
  announce("Released: no longer an example");
  return change(async () => {
    const answer = await studio().release(sentence.id);
    updateSentence(sentence.id, () => answer);
  });
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
  if (!what && !waiting) return Promise.resolve(announce(`Nothing to ${way}`));
  return change(async () => {
    const { did, project: after } = await studio()[way]();
    project.value = { ...project.value!, ...after };
    toast(`${way === "undo" ? "Undone" : "Redone"}: ${did}`);
    await readProjects();
  });
}

const UNDO = { label: "Undo", run: () => void undo() };

const names = (aspects: number[]) => aspects.map((id) => aspectById.value.get(id)?.name ?? "?").join(", ");
