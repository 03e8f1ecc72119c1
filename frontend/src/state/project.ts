import { batch, computed, signal } from "@preact/signals";
import { Problem } from "../api/http";
import { Studio, getProjects } from "../api/studio";
import type { Aspect, Project, ProjectEntry } from "../api/types";
import { report } from "./messages";
import { resetView } from "./view";

export const projects = signal<ProjectEntry[]>([]);
export const project = signal<Project | null>(null);
export const aspects = computed<Aspect[]>(() => project.value?.aspects ?? []);
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

/** The one asked for last is opened, whichever answer comes first. */
export async function openProject(id: number): Promise<void> {
  askedFor = id;
  try {
    const opened = await new Studio(id).project();
    if (askedFor !== id) return;
    batch(() => {
      if (project.value?.id !== id) resetView();
      project.value = opened;
    });
    document.title = `${opened.name} · fewaspect studio`;
    localStorage.setItem(KEY, String(id));
  } catch (error) {
    report(error);
  }
}

/** At the start: the project of last time, else the first one. */
export async function openSome(): Promise<void> {
  try {
    await readProjects();
    unreachable.value = null;
  } catch (error) {
    unreachable.value = error instanceof Problem ? error : new Problem(0, String(error));
  }
  const last = Number(localStorage.getItem(KEY));
  const chosen = projects.value.find((entry) => entry.id === last) ?? projects.value[0];
  if (chosen) await openProject(chosen.id);
  else project.value = null;
  started.value = true;
}

export async function readProject(): Promise<void> {
  const id = project.value?.id;
  if (id === undefined) return;
  const fresh = await new Studio(id).project();
  if (project.value?.id === id && fresh.revision >= project.value.revision) project.value = fresh;
}
