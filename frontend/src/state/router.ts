import { batch, effect } from "@preact/signals";
import type { Project } from "../api/types";
import { report, toast } from "./messages";
import { fromHash, isStep, toHash, type Place } from "./place";
import { openProject, openSome, project, projectId, studio } from "./project";
import { missing, seek } from "./sentences";
import { charts, dialog, filter, part, selected, tab } from "./view";

/** How far a chart was scrolled; a list of sentences is at its sentence. */
let scrolled = 0;
/** What the address says now. */
let at: Place | null = null;
/** The view is being set to what the address says. */
let arriving = true;

/** From now on the address says what is shown, and Back, Forward, reload and a link show what it says. */
export async function followAddress(): Promise<void> {
  history.scrollRestoration = "manual";
  addEventListener("popstate", (event) => void arrive(event.state === null)); // an address that was typed has no state
  addEventListener("pagehide", keepScroll);
  document.addEventListener("scroll", ({ target }) => target instanceof Element && target.matches("#tab > .scroll") && (scrolled = target.scrollTop), true);
  missing.subscribe((id) => id !== null && void sayMissing(id));
  await start();
  effect(() => {
    void [projectId.value, tab.value, part.value, filter.value, selected.value, charts.value];
    queueMicrotask(write); // when all that belongs to one click is set
  });
}

/** The place that the address names; without one, the project of last time. Also when a token was entered. */
export async function start(): Promise<void> {
  arriving = true;
  const link = fromHash(location.hash);
  const shown = tab.value;
  const chosen = () => (tab.value === shown ? {} : { tab: tab.value }); // a tab that was clicked meanwhile stays
  const found = await openSome(link?.place.project ?? undefined, (opened) => settleAt({ ...link!.place, ...chosen() }, opened, true));
  if (link && project.value) sayWhatIsGone(link.known, found);
  if (found) restoreScroll();
  arriving = false;
  write();
}

/** Back, Forward, or a link that was entered while the page is open. */
async function arrive(linked: boolean): Promise<void> {
  const link = fromHash(location.hash);
  if (!link) return write();
  const { place, known } = link;
  const there = (opened: Project) => settleAt(place, opened, linked);
  dialog.value = null;
  arriving = true;
  let found = place.project !== null;
  if (place.project === project.value?.id) batch(() => there(project.value!));
  else if (place.project !== null) found = await openProject(place.project, there, () => undefined);
  sayWhatIsGone(known, found);
  arriving = false;
  if (found) restoreScroll();
  write();
}

function sayWhatIsGone(known: boolean, found: boolean): void {
  if (!known) sayGone("This link leads to nothing that the studio has.");
  else if (!found) sayGone("The project of this link is not here any more.");
}

function settleAt(place: Place, opened: Project, linked: boolean): void {
  const own = new Set(opened.aspects.map(({ id }) => id));
  const gone = [place.filter.aspect, place.filter.together].some((id) => id !== null && !own.has(id));
  if (gone) sayGone("The aspect of this link is not here any more.");
  const there = (id: number | null) => (id !== null && own.has(id) ? id : null);
  tab.value = place.tab;
  part.value = place.part;
  filter.value = { ...place.filter, aspect: there(place.filter.aspect), together: there(place.filter.together) };
  if (place.tab === "dashboard") charts.value = place.charts;
  if (place.tab === "reviews") seek(place.sentence, linked);
}

/** The address follows the view. */
function write(): void {
  if (arriving || !project.value) return;
  const now: Place = { project: project.value.id, tab: tab.value, part: part.value, filter: filter.value, sentence: selected.value, charts: charts.value };
  const hash = toHash(now);
  if (hash !== location.hash) {
    const step = at !== null && isStep(at, now);
    if (step) keepScroll();
    if (step) scrolled = 0;
    history[step ? "pushState" : "replaceState"]({ scroll: scrolled }, "", hash);
  }
  at = now;
}

const keepScroll = () => history.replaceState({ scroll: scrolled }, "");

/** Charts come later than the view; whoever scrolls meanwhile is left alone. */
function restoreScroll(): void {
  const wanted = (history.state as { scroll?: number } | null)?.scroll ?? 0;
  scrolled = wanted;
  if (!wanted) return;
  const until = performance.now() + 3000;
  const stop = new AbortController();
  for (const kind of ["wheel", "touchmove", "keydown"]) addEventListener(kind, () => stop.abort(), { once: true, signal: stop.signal });
  const look = () => {
    const box = document.querySelector("#tab > .scroll");
    if (stop.signal.aborted || performance.now() > until) return stop.abort();
    if (box && box.scrollHeight - box.clientHeight >= wanted) {
      box.scrollTop = wanted;
      return stop.abort();
    }
    requestAnimationFrame(look);
  };
  look();
}

async function sayMissing(id: number): Promise<void> {
  missing.value = null;
  try {
    await studio().sentence(id);
    sayGone("The sentence of this link is not in this list any more.");
  } catch (error) {
    if ((error as { status?: number }).status === 404) sayGone("The sentence of this link is not here any more; its reviews may have been removed.");
    else report(error);
  }
}

const sayGone = (text: string) => toast(text, "problem");
