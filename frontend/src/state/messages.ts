import { signal } from "@preact/signals";
import { Problem } from "../api/http";
import { dialog } from "./view";

export interface Toast {
  id: number;
  text: string;
  kind: "note" | "problem";
  action?: { label: string; run: () => void };
}

export const toasts = signal<Toast[]>([]);
/** Said by screen readers, not shown. */
export const announced = signal("");

const TO_READ = 100; // milliseconds for each letter
let last = 0;

export function toast(text: string, kind: Toast["kind"] = "note", action?: Toast["action"]): void {
  const shown: Toast = { id: ++last, text, kind, ...(action ? { action } : {}) };
  toasts.value = [...toasts.value.filter((other) => other.text !== text).slice(-1), shown];
  setTimeout(() => dismiss(shown.id), kind === "problem" || action ? Math.max(9000, TO_READ * text.length) : 4500);
}

export const dismiss = (id: number) => {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
};

/** What was wrong before is no longer of interest. */
export const dismissProblems = () => {
  toasts.value = toasts.value.filter((shown) => shown.kind !== "problem");
};

export const announce = (text: string) => {
  announced.value = text;
};

/** That the studio does not answer is said once, for as long as it is so; a dialog covers where it is said. */
export function report(error: unknown): void {
  if (error instanceof Problem && error.status === 0 && !dialog.value) return;
  toast(error instanceof Error ? error.message : String(error), "problem");
}
