import { batch, computed, signal } from "@preact/signals";
import { Problem } from "../api/http";
import { Studio, getProjects } from "../api/studio";
import type { Aspect, Project, ProjectEntry } from "../api/types";
import { byGroup } from "./groups";
import { report } from "./messages";
import { resetView } from "./view";

export const projects = signal<ProjectEntry[]>([]);
export const project = signal<Project | null>(null);
/** Those of a group side by side, as all lists show them and the number keys count them. */
export const aspects = computed<Aspect[]>(() => byGroup(project.value?.aspects ?? []).flatMap(([, members]) => members));
export const groups = computed(() => [...new Set(aspects.value.map((aspect) => aspect.group).filter(Boolean))]);
export const aspectById = computed(() => new Map(aspects.value.map((aspect) => [aspect.id, aspect])));

/** Why the studio did not answer at the start. */
export const unreachable = signal<Problem | null>(null);
/** False until the first answer. */
export const started = signal(false);
/** Only changes when another project is opened. */
export const projectId = computed(() => project.value?.id);

const KEY = "fewaspect-project";

export const studio = () => new Studio(project.value!.id);

export async function readProjects(): Promise<void> {
  projects.value = await getProjects();
}

let askedFor = 0;

/** The one asked for last is opened, whichever answer comes first, at the place that `arrive` sets; whether it was. */
export async function openProject(id: number, arrive?: (opened: Project) => void, refused: (error: unknown) => void = report): Promise<boolean> {
  askedFor = id;
  try {
    const opened = await new Studio(id).project();
    if (askedFor !== id) return false;
    batch(() => {
      if (project.value?.id !== id) resetView();
      project.value = opened;
      arrive?.(opened);
    });
    document.title = `${opened.name} · fewaspect studio`;
    localStorage.setItem(KEY, String(id));
    return true;
  } catch (error) {
    (error instanceof Problem && error.status === 404 ? refused : report)(error);
    return false;
  }
}

/** At the start: the one that is wanted, else the project of last time, else the first one; whether the wanted one is there. */
export async function openSome(wanted?: number, arrive?: (opened: Project) => void): Promise<boolean> {
  try {
    await readProjects();
    unreachable.value = null;
  } catch (error) {
    unreachable.value = error instanceof Problem ? error : new Problem(0, String(error));
  }
  const known = (id: number | undefined) => projects.value.find((entry) => entry.id === id);
  const chosen = known(wanted) ?? known(Number(localStorage.getItem(KEY))) ?? projects.value[0];
  const found = chosen !== undefined && chosen.id === wanted;
  if (chosen) await openProject(chosen.id, found ? arrive : undefined);
  else project.value = null;
  started.value = true;
  return found;
}

export async function readProject(): Promise<void> {
  const id = project.value?.id;
  if (id === undefined) return;
  const fresh = await new Studio(id).project();
  if (project.value?.id === id && fresh.revision >= project.value.revision) project.value = fresh;
}
