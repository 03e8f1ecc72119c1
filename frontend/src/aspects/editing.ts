import { signal } from "@preact/signals";
import { dialog } from "../state/view";

/** Whose examples the dialog shows. */
export const edited = signal<number | "none">("none");

export function editAspect(id: number): void {
  edited.value = id;
  dialog.value = "aspect";
}

export function editNone(): void {
  edited.value = "none";
  dialog.value = "aspect";
}
