import { computed, effect, signal, untracked } from "@preact/signals";
import { Studio } from "../api/studio";
import type { Column } from "../api/types";
import { report } from "./messages";
import { project } from "./project";

/** The columns that the reviews were imported with, to filter and compare by; null until they are there. */
export const columns = signal<Column[] | null>(null);

const reviews = computed(() => project.value && `${project.value.id} ${project.value.reviews} ${project.value.sentences}`);

/** Read again when other reviews are there. */
export function followColumns(): void {
  effect(() => {
    const now = reviews.value;
    untracked(async () => {
      if (!project.value) return void (columns.value = null);
      const found = await new Studio(project.value.id).columns().catch(report);
      if (reviews.value === now) columns.value = found ?? [];
    });
  });
}
