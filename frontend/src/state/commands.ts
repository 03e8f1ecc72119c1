export type Command =
  | { name: "next" | "previous" | "confirm" | "none" | "skip" | "release" | "example" | "search" | "undo" | "redo" | "keys" }
  | { name: "toggle"; position: number };

/** The part of a keyboard event that matters, and where the focus was. */
export interface Press {
  key: string;
  ctrl: boolean;
  shift: boolean;
  alt: boolean;
  focus: "text" | "control" | "elsewhere";
}

const PLAIN: Record<string, Exclude<Command["name"], "toggle">> = {
  j: "next", k: "previous", "0": "none", s: "skip", r: "release", e: "example", "/": "search", u: "undo", "?": "keys",
};
/** Keys that a focused button, slider or menu needs itself. */
const BARE: Record<string, Exclude<Command["name"], "toggle">> = { ArrowDown: "next", ArrowUp: "previous", Enter: "confirm" };

export const HELP: [string, string][] = [
  ["j or ↓", "next sentence"],
  ["k or ↑", "previous sentence"],
  ["1 … 9", "add or take away the aspect with this number"],
  ["0", "none of these"],
  ["Enter", "confirm the aspects as they are"],
  ["s", "skip: do not offer it in Label next again"],
  ["r", "release: no longer an example"],
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
  const name = PLAIN[key] ?? (focus === "elsewhere" ? BARE[key] : undefined);
  return name ? { name } : null;
}
