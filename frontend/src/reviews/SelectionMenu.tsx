import { useEffect, useRef, useState } from "preact/hooks";
import { ByGroup } from "../parts/ByGroup";
import { coloured } from "../parts/colour";
import { moveInMenu } from "../parts/Menu";
import { placeNear } from "../parts/place";
import { addExample } from "../state/corrections";
import { aspects } from "../state/project";

const LONGEST_SHOWN = 60;
const PAUSE = 120;

/** Appears beside words selected in a sentence: "this is an example of ...". */
export function SelectionMenu() {
  const box = useRef<HTMLDivElement>(null);
  const [words, setWords] = useState("");
  useEffect(() => {
    let pressed = false;
    let later = 0;
    const look = () => {
      clearTimeout(later);
      later = window.setTimeout(() => pressed || box.current?.contains(document.activeElement) || setWords(selectedWords()), PAUSE);
    };
    const press = (event: Event) => (pressed = event.type === "pointerdown");
    const listening: [string, (event: Event) => void][] = [
      ["selectionchange", look], // on a phone the selection grows without any pointer event
      ["pointerdown", press],
      ["pointercancel", press],
      ["pointerup", (event) => (press(event), look())],
    ];
    for (const [name, listener] of listening) document.addEventListener(name, listener);
    return () => listening.forEach(([name, listener]) => document.removeEventListener(name, listener));
  }, []);
  useEffect(() => {
    if (!words || !box.current) return;
    placeNear(box.current, getSelection()!.getRangeAt(0).getBoundingClientRect());
  }, [words]);
  if (!words) return null;
  const close = () => (getSelection()?.removeAllRanges(), setWords(""));
  const take = (of: number[]) => (close(), void addExample(words, of));
  return (
    <div ref={box} class="menu floating" role="menu" aria-label="Example of" onKeyDown={(event) => (event.key === "Escape" ? close() : moveInMenu(event))}>
      <p>“{words.length > LONGEST_SHOWN ? `${words.slice(0, LONGEST_SHOWN)}…` : words}” is an example of</p>
      <ByGroup aspects={aspects.value}>
        {(aspect) => (
          <button key={aspect.id} type="button" role="menuitem" onClick={() => take([aspect.id])}>
            <i class="dot" style={coloured(aspect)} /> {aspect.name}
          </button>
        )}
      </ByGroup>
      <button type="button" role="menuitem" onClick={() => take([])}><i class="dot" /> None of these</button>
    </div>
  );
}

/** The selection, when it lies inside one sentence. */
function selectedWords(): string {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return "";
  const inside = (node: Node | null) => (node instanceof Element ? node : node?.parentElement)?.closest("[data-sentence]");
  const sentence = inside(selection.anchorNode);
  return sentence && sentence === inside(selection.focusNode) ? selection.toString().trim() : "";
}
