import { Help } from "../parts/Help";
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { Evaluation, MistakeKind } from "../api/types";
import { Figure } from "../dashboard/Dashboard";
import { FileDrop } from "../parts/FileDrop";
import { setThreshold } from "../state/corrections";
import { announce, report } from "../state/messages";
import { aspects, project, studio } from "../state/project";
import { labelledLines } from "../text/lines";
import { percent, probability } from "../text/numbers";
import { AspectResult } from "./AspectResult";
import { Audit } from "./Audit";
import { ExampleIssues } from "./ExampleIssues";
import { ResultTable } from "./ResultTable";

/** Outlive the tab, so that looking elsewhere loses nothing. */
const typed = signal("");
const answered = signal<{ project: number; evaluation: Evaluation; again: () => Promise<Evaluation> } | null>(null);

export function Evaluate() {
  const [busy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<number | null>(null);
  const [mistakes, setMistakes] = useState<MistakeKind | null>(null);
  const choose = (id: number, kind: MistakeKind | null = null) => {
    setChosen(id);
    setMistakes(kind);
    if (kind) requestAnimationFrame(() => document.querySelector(".mistakes")?.scrollIntoView({ block: "nearest" }));
  };
  const evaluation = answered.value?.project === project.value!.id ? answered.value.evaluation : null;
  const run = async (work: () => Promise<Evaluation>) => {
    setBusy(true);
    try {
      answered.value = { project: project.value!.id, evaluation: await work(), again: work };
      announce(`Evaluated: macro F1 ${probability(answered.value.evaluation.macro_f1)}`);
    } catch (error) {
      report(error);
    } finally {
      setBusy(false);
    }
  };
  const paste = (event: Event) => {
    event.preventDefault();
    const { texts, labels } = labelledLines(typed.value);
    void run(() => studio().evaluateLines(texts, labels));
  };
  const use = async (id: number, threshold: number) => {
    await setThreshold(id, threshold);
    await run(answered.value!.again);
  };
  const unknown = Object.entries(evaluation?.unknown_aspects ?? {});
  const leftOut = evaluation?.without_texts ?? [];
  const shown = evaluation?.aspects.find((aspect) => aspect.id === chosen) ?? evaluation?.aspects[0];
  return (
    <div class="scroll evaluate">
      <div class="intro">
        <h2>How good is it?</h2>
      </div>
      <Audit />
      <div class="intro">
        <h2>On labelled sentences</h2>
        <p class="soft">Give sentences with the aspects that are right for them, other than your examples, and see where the detector agrees.</p>
      </div>
      <div class="evaluate-input">
        <FileDrop label="Choose or drop a labelled file" hint="CSV or JSON lines with a text and a labels column" accept=".csv,.tsv,.jsonl,.json" onFile={(file) => void run(() => studio().evaluateFile(file))} />
        <form onSubmit={paste}>
          <label class="field">
            or paste lines: sentence | aspect; aspect
            <textarea rows={4} required value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)}
              placeholder={`The bathroom was spotless. | ${aspects.value[0]?.name ?? "cleanliness"}\nWe came on Monday. |`} />
          </label>
          <footer>
            <button type="submit" class="primary" disabled={busy}>{busy ? "Evaluating …" : "Evaluate"}</button>
          </footer>
        </form>
      </div>
      {evaluation && (
        <div class={busy ? "loading" : ""}>
          <div class="numbers">
            <Figure number={probability(evaluation.macro_f1)} words="macro F1"><Help of="F1" /></Figure>
            <Figure number={probability(evaluation.micro_f1)} words="micro F1" />
            <Figure number={probability(evaluation.mean_average_precision)} words="mean average precision" />
            <Figure number={evaluation.right_empties === null ? "–" : percent(evaluation.right_empties)} words="of “none” right" />
            <Figure number={probability(evaluation.calibration_error)} words="calibration error"><Help of="calibration error" /></Figure>
            <Figure number={String(evaluation.texts)} words="texts" />
          </div>
          {unknown.length > 0 && <p class="remark">Not among your aspects, so not counted: {unknown.map(([name, n]) => `${name} (${n})`).join(", ")}.</p>}
          {leftOut.length > 0 && <p class="remark">None of the texts is about {leftOut.join(", ")}: left out of macro F1.</p>}
          <ResultTable evaluation={evaluation} chosen={shown?.id ?? null} onChoose={choose} />
          {shown && <AspectResult key={`${shown.id} ${shown.threshold}`} result={shown} mistakes={evaluation.mistakes ?? []} shown={mistakes} onShow={setMistakes} onUse={use} />}
        </div>
      )}
      <ExampleIssues />
    </div>
  );
}
