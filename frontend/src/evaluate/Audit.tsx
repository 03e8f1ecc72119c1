import { useEffect, useRef } from "preact/hooks";
import { coloured } from "../parts/colour";
import { Icon } from "../parts/Icon";
import { focusSelected } from "../reviews/focus";
import { answer, askForChecks, audit, auditBusy, propose, readAudit, type Check } from "../state/audit";
import { toggled } from "../state/decisions";
import { onMove } from "../state/keyboard";
import { aspects, project } from "../state/project";
import { selected } from "../state/view";
import { count } from "../text/numbers";
import { AuditTable } from "./AuditTable";

/** Sentences drawn to be checked, and how good the detector is by the answers. They are tests, not examples. */
export function Audit() {
  const box = useRef<HTMLElement>(null);
  const { id, revision, sentences } = project.value!;
  useEffect(() => {
    onMove(() => show(box.current!));
    if (sentences && aspects.value.length) void readAudit();
  }, [id, revision]);
  const { checks = [], size = 0, result = null } = audit.value ?? {};
  const done = checks.filter((check) => check.answered).length;
  const finished = checks.length > 0 && done === checks.length;
  useEffect(() => {
    if (finished) box.current!.querySelector(".chart")?.scrollIntoView({ block: "nearest" });
  }, [finished, result]);
  const ask = async () => {
    await askForChecks();
    if (box.current) show(box.current);
  };
  return (
    <section ref={box} class="audit" aria-label="Check sentences">
      <p class="soft">
        Check a few sentences that are drawn for you, and learn how often the answers are right. What you say here is kept as a test: the detector does not learn from it.
        Add or take away aspects with a click or a number key, then confirm with Enter.
      </p>
      <div class="queue-progress">
        {checks.length > 0 && <span class="track"><i style={{ "--p": `${(100 * done) / checks.length}%` }} /></span>}
        {checks.length > 0 && <span>{done} of {checks.length}</span>}
        <button type="button" class={finished || !checks.length ? "primary" : ""} disabled={auditBusy.value || !sentences || !aspects.value.length} onClick={() => void ask()}>
          {auditBusy.value ? "Drawing …" : checks.length || result ? "Next 10 to check" : "Draw 10 to check"}
        </button>
      </div>
      {(!sentences || !aspects.value.length) && <p class="soft">Import reviews and add an aspect first.</p>}
      {audit.value && !auditBusy.value && !checks.length && size > 0 && result?.labelled === size && <p class="soft">All {count(size)} sentences are checked.</p>}
      {result && <AuditTable result={result} />}
      {checks.length > 0 && (
        <div class="queue">
          <div role="feed" aria-label="Sentences to check">
            {checks.map((check, i) => <CheckCard key={check.sentence.id} check={check} index={i} total={checks.length} />)}
          </div>
        </div>
      )}
    </section>
  );
}

/** The focus on the sentence that is to be checked, and the sentence where it can be seen. */
function show(box: HTMLElement): void {
  focusSelected(box);
  requestAnimationFrame(() => requestAnimationFrame(() => box.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" })));
}

function CheckCard({ check, index, total }: { check: Check; index: number; total: number }) {
  const { sentence, said, answered } = check;
  const current = selected.value === sentence.id;
  const stop = current ? 0 : -1;
  const choose = () => (selected.value = sentence.id);
  return (
    <article class={`card sentence ${current ? "current" : ""} ${answered ? "confirmed" : ""}`} aria-current={current} aria-posinset={index + 1} aria-setsize={total}
      aria-label={sentence.text} tabIndex={stop} onClick={choose} onFocusCapture={choose}>
      <p dir="auto">{sentence.text}</p>
      <div class="sentence-foot">
        <div class="chips">
          {aspects.value.map((aspect, i) => {
            const on = said.includes(aspect.id);
            return (
              <button key={aspect.id} type="button" class={`chip choice ${on ? "" : "off"}`} tabIndex={stop} aria-pressed={on} style={coloured(aspect)}
                onClick={() => propose(check, toggled(said, aspect.id))}>
                {i < 9 && <kbd aria-hidden="true">{i + 1}</kbd>} {aspect.name}
              </button>
            );
          })}
        </div>
        {answered ? (
          <span class="confirmed-mark"><Icon name="check" /> checked</span>
        ) : (
          <button type="button" tabIndex={stop} onClick={() => answer(check, said)}><Icon name="check" /> {said.length ? "These" : "None of these"}</button>
        )}
      </div>
    </article>
  );
}
