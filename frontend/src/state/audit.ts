import { computed, signal } from "@preact/signals";
import type { AuditResult, Sentence } from "../api/types";
import type { Command } from "./commands";
import { toggled } from "./decisions";
import { announce, report, toast } from "./messages";
import { aspectById, aspects, project, studio } from "./project";
import { selected } from "./view";

const AT_ONCE = 10;

/** A sentence to check, the aspects as the person has them now, and whether they are with the server. */
export interface Check {
  sentence: Sentence;
  said: number[];
  answered: boolean;
}

/** Of one project; they outlive the tab. */
const state = signal<{ project: number; checks: Check[]; checked: number; size: number; result: AuditResult | null } | null>(null);
export const audit = computed(() => (state.value?.project === project.value?.id ? state.value : null));
export const auditBusy = signal(false);

/** The next sentences, and what those that were checked say. */
export async function askForChecks(): Promise<void> {
  const source = studio();
  auditBusy.value = true;
  selected.value = null; // Enter means none of the old ones any more
  try {
    await sent;
    const [next, { result }] = await Promise.all([source.toCheck(AT_ONCE), source.auditResult()]);
    if (source.id !== project.value?.id) return;
    const checks = next.sentences.map((sentence) => ({ sentence, said: sentence.aspects, answered: false }));
    state.value = { project: source.id, checks, checked: next.checked, size: next.size, result };
    selected.value = checks[0]?.sentence.id ?? null;
  } catch (error) {
    report(error);
  } finally {
    auditBusy.value = false;
  }
}

/** Only what the checked sentences say. */
export async function readAudit(): Promise<void> {
  const source = studio();
  try {
    await sent;
    const { result } = await source.auditResult();
    if (source.id !== project.value?.id) return;
    const before = audit.value ?? { project: source.id, checks: [], checked: result?.labelled ?? 0, size: result?.size ?? 0 };
    state.value = { ...before, result };
  } catch (error) {
    report(error);
  }
}

let sent: Promise<unknown> = Promise.resolve();

/** Shown at once, stored one after the other; if it cannot be stored, the page says so and asks again. */
export function answer(check: Check, said: number[]): void {
  const { id, text } = check.sentence;
  const source = studio();
  update(id, { said, answered: true });
  announce(said.length ? `Checked: ${said.map((one) => aspectById.value.get(one)?.name ?? "?").join(", ")}` : "Checked: none of these");
  sent = sent.then(() => source.check(id, said)).catch((error) => {
    update(id, { answered: false });
    toast(`Your answer to “${text}” was not saved. ${error instanceof Error ? error.message : error}`, "problem");
  });
  if (audit.value?.checks.every((one) => one.answered)) void readAudit();
}

/** Before it is confirmed, a change is not sent; after that, at once. */
export function propose(check: Check, said: number[]): void {
  if (check.answered) answer(check, said);
  else update(check.sentence.id, { said });
}

function update(id: number, change: Partial<Check>): void {
  if (!state.value) return;
  state.value = { ...state.value, checks: state.value.checks.map((one) => (one.sentence.id === id ? { ...one, ...change } : one)) };
}

/** The keys of “Label next”, for the sentences to check. */
export function auditKey(command: Command, follow: () => void): boolean {
  const checks = audit.value?.checks ?? [];
  const at = checks.findIndex((one) => one.sentence.id === selected.value);
  const check = checks[at];
  if (!check) return false;
  const move = (by: number) => {
    selected.value = checks[Math.min(checks.length - 1, Math.max(0, at + by))]!.sentence.id;
    follow();
    return true;
  };
  switch (command.name) {
    case "next": return move(1);
    case "previous": return move(-1);
    case "confirm": answer(check, check.said); return move(1);
    case "none": propose(check, []); return true;
    case "toggle": {
      const aspect = aspects.value[command.position];
      if (aspect) propose(check, toggled(check.said, aspect.id));
      return !!aspect;
    }
  }
  return false;
}
