import type { Sentence } from "../api/types";
import { auditKey } from "./audit";
import { commandFor, type Command, type Press } from "./commands";
import { label, redo, release, skip, undo } from "./corrections";
import { toggled } from "./decisions";
import { sayByKey } from "../sentiment/saying";
import { aspects } from "./project";
import { queue } from "./queue";
import { indexOf, selectedSentence, sentenceAt, total } from "./sentences";
import { dialog, part, selected, tab } from "./view";

/** Where the focus should go after the selection moved by key. */
export let follow: () => void = () => undefined;
export const onMove = (run: () => void) => {
  follow = run;
};

export function listenToKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || dialog.value) return;
    const ctrl = event.ctrlKey || event.metaKey;
    const command = commandFor({ key: event.key, ctrl, shift: event.shiftKey, alt: event.altKey, focus: focusOf(event.target) });
    if (command && run(command)) event.preventDefault();
  });
}

function focusOf(target: EventTarget | null): Press["focus"] {
  if (!(target instanceof HTMLElement)) return "elsewhere";
  if (target.matches("textarea, select, input:not([type=range], [type=checkbox], [type=radio])")) return "text";
  if (target.matches("[role=tab][aria-selected=true]")) return "elsewhere"; // to press it again would do nothing
  return target.closest("button, a, input, summary, [role=menu], [role=tablist]") ? "control" : "elsewhere";
}

function run(command: Command): boolean {
  switch (command.name) {
    case "undo": return done(undo());
    case "redo": return done(redo());
    case "keys": return !!(dialog.value = "keys");
    case "search": return search();
  }
  if (tab.value === "evaluate") return auditKey(command, follow);
  if (tab.value !== "reviews" && tab.value !== "label") return false;
  if (command.name === "next" || command.name === "previous") return move(command.name === "next" ? 1 : -1);
  const sentence = selectedSentence();
  if (!sentence) return false;
  switch (command.name) {
    case "confirm": return confirm(sentence);
    case "none": return done(label(sentence, []));
    case "skip": return tab.value === "label" && !sentence.confirmed ? passOver(sentence) : false;
    case "release": return sentence.confirmed ? done(release(sentence)) : false;
    case "example": return !!(dialog.value = "example");
    case "polarity": return sayByKey(sentence, command.said);
    case "toggle": {
      const aspect = aspects.value[command.position];
      return aspect ? done(label(sentence, toggled(sentence.aspects, aspect.id))) : false;
    }
  }
}

/** A confirmed sentence makes way for the next one. */
function confirm(sentence: Sentence): boolean {
  label(sentence, sentence.aspects);
  return move(1);
}

/** The next one takes its place; after the last, the one before it. */
export function passOver(sentence: Sentence): boolean {
  const ids = queue.value.map((entry) => entry.sentence.id);
  const at = ids.indexOf(sentence.id);
  selected.value = ids[at + 1] ?? ids[at - 1] ?? null;
  skip(sentence);
  follow();
  return true;
}

const done = (_: unknown) => true;

function search(): boolean {
  tab.value = "reviews";
  part.value = "main";
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>("#search")?.focus());
  return true;
}

function move(by: number): boolean {
  const ids = queue.value.map((entry) => entry.sentence.id);
  if (tab.value === "label") {
    const at = ids.indexOf(selected.value ?? -1);
    selected.value = ids[Math.min(ids.length - 1, Math.max(0, at + by))] ?? null;
  } else {
    const at = selected.value === null ? -1 : indexOf(selected.value);
    selected.value = sentenceAt(Math.min(total() - 1, Math.max(0, at + by)))?.id ?? selected.value;
  }
  follow();
  return true;
}
