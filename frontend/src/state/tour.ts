import { effect, signal } from "@preact/signals";
import { project, started } from "./project";
import { tab, type Part } from "./view";

const KEY = "fewaspect-tour";
const SAMPLE = "Sample: ";

interface Step {
  title: string;
  words: string;
  part: Part;
  /** What it speaks about. */
  at: string;
}

export const STEPS: Step[] = [
  { title: "Your aspects", words: "This is what you want to know about. This sample has a few, each with some sentences as examples. Add your own: a name is enough.", part: "aspects", at: ".panel.aspects" },
  { title: "Sentences and their answers", words: "Reviews are split into sentences. The coloured labels say what each is about, and the marked words say why.", part: "main", at: ".reviews" },
  { title: "Correct and confirm", words: "Is a label wrong? Click it: it is taken away, and the others stay as they are. Is one missing? Press +. Is all right? Press the check mark. Each correction counts at once, and everything can be undone.", part: "main", at: ".sentence.current" },
  { title: "Go on from here", words: "Label next asks what is most useful to know, the Dashboard counts, and Evaluate says how good the answers are. Import your own reviews from the project menu.", part: "main", at: ".tabs" },
];

/** Which step of the tour is shown; null: none. */
export const step = signal<number | null>(null);

export function startTour(): void {
  tab.value = "reviews";
  step.value = 0;
}

export function endTour(): void {
  localStorage.setItem(KEY, "seen");
  step.value = null;
}

/** On the first visit, if the sample is open. */
export function offerTour(): void {
  let asked = false;
  effect(() => {
    if (asked || !started.value || !project.value) return;
    asked = true;
    if (localStorage.getItem(KEY) === null && project.value.name.startsWith(SAMPLE)) step.value = 0;
  });
}
