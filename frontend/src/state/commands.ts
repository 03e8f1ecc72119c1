export type Command =
  | { name: "next" | "previous" | "confirm" | "none" | "skip" | "release" | "example" | "search" | "undo" | "redo" | "keys" }
  | { name: "toggle"; position: number }
  | { name: "polarity"; said: "negative" | "positive" | "next" };

/** The part of a keyboard event that matters, and where the focus was. */
export interface Press {
  key: string;
  ctrl: boolean;
  shift: boolean;
  alt: boolean;
  focus: "text" | "control" | "elsewhere";
}

const PLAIN: Record<string, Exclude<Command["name"], "toggle" | "polarity">> = {
  j: "next", k: "previous", "0": "none", s: "skip", r: "release", e: "example", "/": "search", u: "undo", "?": "keys",
};
/** Keys that a focused button, slider or menu needs itself. */
const BARE: Record<string, Exclude<Command["name"], "toggle" | "polarity">> = { ArrowDown: "next", ArrowUp: "previous", Enter: "confirm" };

const SAID: Record<string, "negative" | "positive" | "next"> = { "-": "negative", "+": "positive", p: "next" };

export const HELP: [string, string][] = [
  ["j or ↓", "next sentence"],
  ["k or ↑", "previous sentence"],
  ["1 … 9", "add or take away the aspect with this number, and confirm the sentence"],
  ["0", "none of these"],
  ["Enter", "confirm the aspects as they are"],
  ["s", "skip: do not ask for it in Label next again"],
  ["− or +", "negative or positive about its first aspect, or about the one in focus"],
  ["p", "what it thinks of that aspect: negative, mixed, neutral, positive in turn"],
  ["r", "take back: no longer an example"],
  ["e", "use some of its words as an example"],
  ["/", "search"],
  ["u or Ctrl+Z", "undo"],
  ["Ctrl+Shift+Z", "redo"],
  ["?", "these keys"],
];

export function commandFor({ key, ctrl, shift, alt, focus }: Press): Command | null {
  if (alt || focus === "text") return null;
  if (ctrl) return key.toLowerCase() === "z" ? { name: shift ? "redo" : "undo" } : key.toLowerCase() === "y" ? { name: "redo" } : null;
  if (/^[1-9]$/.test(key)) return { name: "toggle", position: Number(key) - 1 };
  const said = SAID[key];
  if (said) return { name: "polarity", said };
  const name = PLAIN[key] ?? (focus === "elsewhere" ? BARE[key] : undefined);
  return name ? { name } : null;
}
