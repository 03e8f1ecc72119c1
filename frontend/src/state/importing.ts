import { effect, signal, untracked } from "@preact/signals";
import { stream } from "../api/events";
import { offline, Problem } from "../api/http";
import { Studio } from "../api/studio";
import type { ImportOptions, Progress } from "../api/types";
import { counted } from "../text/numbers";
import { settle } from "./corrections";
import { announce, report, toast } from "./messages";
import { project, readProject, readProjects } from "./project";
import { rereadQueue } from "./queue";
import { listed, refresh } from "./sentences";
import { filter, filtered, show, tab } from "./view";

export const importing = signal<Progress | null>(null);
/** Of the jobs that this page has followed. */
const followed = new Set<string>();

export async function importFile(file: File, how: ImportOptions): Promise<boolean> {
  const studio = new Studio(project.value!.id);
  try {
    const { job } = await studio.import(file, how);
    show({});
    void follow(studio, job);
    return true;
  } catch (error) {
    report(error);
    return false;
  }
}

/** An import that was begun before the page was loaded, or elsewhere, is shown too. */
export function followImports(): void {
  effect(() => {
    const { id, importing: job = null } = project.value ?? {};
    if (id !== undefined && job !== null) untracked(() => followed.has(`${id} ${job}`) || void follow(new Studio(id), job));
  });
}

async function follow(studio: Studio, job: number): Promise<void> {
  followed.add(`${studio.id} ${job}`);
  importing.value = { stage: "reading", done: 0, total: 0, skipped: 0, imported: 0, duplicates: 0 };
  let last: Progress = importing.value;
  let said = () => toast(brokenOff(last), "problem");
  try {
    for await (const { event, data } of stream(`${studio.path}/jobs/${job}/events`)) {
      if (event === "failed") throw new Problem(422, (data as { plain: string }).plain);
      if (event === "progress") {
        importing.value = last = data as Progress;
      }
      if (event === "done") {
        said = () => toast(outcome(last));
        break;
      }
    }
  } catch (error) {
    if (error instanceof Problem) said = () => report(error); // else the stream broke
  }
  importing.value = null;
  await settle();
  said(); // when it can be seen
  await readProjects().catch(report);
}

/** Detection goes on when the studio is back; a file that was being read is there as a whole or not at all. */
const brokenOff = ({ stage }: Progress) =>
  stage === "detecting" ? "The reviews are imported, but the studio stopped while it looked for aspects in them." : "The studio stopped while it read the file. Look in “Imported files”, and import it again if it is not there.";

/** What became of the rows, in words. */
export function outcome({ imported, duplicates, skipped }: Progress): string {
  const [was, repeat] = duplicates === 1 ? ["was", "a repeat"] : ["were", "repeats"]; // of the project, or in the file
  const there = duplicates ? `${counted(duplicates, "review")} ${was} ${imported ? repeat : "there already"}` : "";
  const empty = skipped ? `${counted(skipped, "row")} without text left out` : "";
  const said = [there, empty].filter(Boolean).join("; ");
  if (!imported) return said ? `Nothing was added: ${said}.` : "Imported.";
  return `${counted(imported, "review")} imported${said ? `; ${said}` : ""}.`;
}

const OFTEN = 400; // milliseconds between two looks while sentences are being scored
const SELDOM = 2000; // while only what is listed waits for something

/** While sentences are being scored, counts and lists grow; looked at often, until what is listed has been read when all were. */
export function followScoring(): void {
  let before = "";
  const look = async () => {
    const now = project.value;
    if (!now || document.hidden || offline.value || (now.scored >= 1 && !importing.value && listed())) return OFTEN;
    await readProject().catch(() => undefined);
    const after = project.value;
    if (!after) return OFTEN;
    if (now.scored < 1 && after.scored >= 1) announce("All sentences are looked through");
    const found = filtered(filter.value) || filter.value.order !== "file" ? after.scored : after.scored >= 1; // what is in view is scored first, and again when the detector has learned
    const state = `${after.id} ${after.sentences} ${found}`;
    if (state !== before || (after.scored >= 1 && !listed())) await readAgain();
    before = state;
    return after.scored >= 1 && !importing.value ? SELDOM : OFTEN;
  };
  const again = (pause: number) => void setTimeout(() => void look().then(again, () => again(SELDOM)), pause);
  again(OFTEN);
}

async function readAgain(): Promise<void> {
  await refresh();
  if (tab.value === "label" && project.value && project.value.scored >= 1) await rereadQueue(new Studio(project.value.id)).catch(report);
}
