import { computed, signal } from "@preact/signals";
import type { ExampleIssue, ExamplesToCheck } from "../api/types";
import { change, refused } from "./corrections";
import { report } from "./messages";
import { project, studio } from "./project";

const state = signal<{ project: number; found: ExamplesToCheck } | null>(null);
const found = computed(() => (state.value?.project === project.value?.id ? state.value!.found : null));
export const issues = computed(() => found.value?.issues ?? null);
export const growthOf = computed(() => new Map((found.value?.growth ?? []).map((row) => [row.id, row])));

export async function readExampleChecks(): Promise<void> {
  const source = studio();
  try {
    const answer = await source.examplesToCheck();
    if (source.id === project.value?.id) state.value = { project: source.id, found: answer };
  } catch (error) {
    report(error);
  }
}

/** Its aspects are right as they are. */
export async function keepExample(issue: ExampleIssue): Promise<void> {
  drop(issue);
  await studio().keepExample(issue.example_id).catch(report);
}

export function correctExample(issue: ExampleIssue): void {
  if (refused()) return;
  drop(issue);
  void change(() => studio().correctExample(issue.example_id, issue.suggested));
}

export function removeExample(issue: ExampleIssue): void {
  if (refused()) return;
  drop(issue);
  void change(() => studio().removeExample(issue.example_id));
}

function drop(issue: ExampleIssue): void {
  if (!state.value) return;
  const { found } = state.value;
  state.value = { ...state.value, found: { ...found, issues: found.issues.filter((one) => one.example_id !== issue.example_id) } };
}
