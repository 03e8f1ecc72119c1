import { useId, useRef } from "preact/hooks";
import { placeNear } from "./place";

const WORDS = {
  F1: "puts precision and recall into one number from 0 to 1: it is high only if both are.",
  precision: "is the share of the sentences in which the aspect was found that are really about it.",
  recall: "is the share of the sentences that are really about the aspect in which it was found.",
  "average precision": "says how well the sentences that are about an aspect stand before all others, if they are sorted by how sure the detector is: at 1, all of them come first.",
  "calibration error": "says how far the numbers beside the answers can be trusted: at 0, of the answers given with 0.80 exactly 80 in 100 are right.",
  threshold: "is how sure the detector must be before it says that a sentence is about the aspect: lower finds more, higher is wrong less often.",
};

/** A question mark beside a word of the trade; it says in a sentence what the word means. */
export function Help({ of }: { of: keyof typeof WORDS }) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const toggled = (event: Event) => {
    const open = (event as ToggleEvent).newState === "open";
    button.current?.setAttribute("aria-expanded", String(open));
    if (open) placeNear(box.current!, button.current!.getBoundingClientRect());
  };
  return (
    <>
      <button ref={button} type="button" class="help-button" aria-label={`What is ${of}?`} aria-expanded="false" aria-controls={id} popovertarget={id}>?</button>
      <div ref={box} id={id} class="menu help-text" role="note" popover="auto" onToggle={toggled}>
        <p><b>{of}</b> {WORDS[of]}</p>
      </div>
    </>
  );
}
