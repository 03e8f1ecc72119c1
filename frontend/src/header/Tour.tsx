import { useEffect, useRef } from "preact/hooks";
import { endTour, STEPS, step } from "../state/tour";
import { part } from "../state/view";

/** Four steps beside the page, which can be used meanwhile. Escape ends it. */
export function Tour() {
  const now = step.value;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = now === null ? null : STEPS[now]!;
  useEffect(() => {
    if (!shown) return;
    part.value = shown.part;
    heading.current?.focus();
    let marked: Element | null = null;
    const frame = requestAnimationFrame(() => {
      marked = document.querySelector(shown.at);
      marked?.classList.add("toured");
    });
    return () => (cancelAnimationFrame(frame), marked?.classList.remove("toured"));
  }, [now]);
  if (!shown || now === null) return null;
  const last = now === STEPS.length - 1;
  return (
    <section class="tour" aria-label={`Tour, step ${now + 1} of ${STEPS.length}`} onKeyDown={(event) => event.key === "Escape" && endTour()}>
      <h2 ref={heading} tabIndex={-1}>{shown.title}</h2>
      <p>{shown.words}</p>
      <footer>
        <small>{now + 1} of {STEPS.length}</small>
        {!last && <button type="button" onClick={endTour}>Skip</button>}
        {now > 0 && <button type="button" onClick={() => (step.value = now - 1)}>Back</button>}
        <button type="button" class="primary" onClick={() => (last ? endTour() : (step.value = now + 1))}>{last ? "Done" : "Next"}</button>
      </footer>
    </section>
  );
}
