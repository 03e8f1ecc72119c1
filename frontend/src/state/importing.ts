import { signal } from "@preact/signals";
import { stream } from "../api/events";
import { Studio } from "../api/studio";
import type { ImportOptions, Progress } from "../api/types";
import { counted } from "../text/numbers";
import { settle } from "./corrections";
import { announce, report, toast } from "./messages";
import { project, readProject, readProjects } from "./project";
import { refresh } from "./sentences";
import { filter, filtered, show } from "./view";

export const importing = signal<Progress | null>(null);

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

async function follow(studio: Studio, job: number | string): Promise<void> {
  importing.value = { stage: "reading", done: 0, total: 0, skipped: 0, imported: 0, duplicates: 0 };
  let last: Progress = importing.value;
  try {
    for await (const { event, data } of stream(`${studio.path}/jobs/${job}/events`)) {
      if (event === "failed") throw new Error((data as { detail: string }).detail);
      if (event === "progress") {
        importing.value = last = data as Progress;
      }
      if (event === "done") break;
    }
    toast(outcome(last));
  } catch (error) {
    report(error);
  } finally {
    importing.value = null;
    await settle();
    await readProjects().catch(report);
  }
}

/** What became of the rows, in words. */
export function outcome({ imported, duplicates, skipped }: Progress): string {
  const there = duplicates ? `${counted(duplicates, "review")} ${duplicates === 1 ? "was" : "were"} in the project already` : "";
  const empty = skipped ? `${counted(skipped, "row")} without text left out` : "";
  const said = [there, empty].filter(Boolean).join("; ");
  if (!imported) return said ? `Nothing was added: ${said}.` : "Imported.";
  return `${counted(imported, "review")} imported${said ? `; ${said}` : ""}.`;
}

/** While sentences are being scored, counts and lists grow; looked at often. */
export function followScoring(): void {
  let before = "";
  setInterval(async () => {
    const now = project.value;
    if (!now || document.hidden || (now.scored >= 1 && !importing.value)) return;
    await readProject().catch(() => undefined);
    const after = project.value;
    if (!after) return;
    if (after.scored >= 1) announce("All sentences are scored");
    const found = filtered(filter.value) || filter.value.order !== "file" ? after.scored : after.scored >= 1; // what is in view is scored first, and again when the detector has learned
    const state = `${after.id} ${after.sentences} ${found}`;
    if (state !== before) await refresh();
    before = state;
  }, 400);
}
