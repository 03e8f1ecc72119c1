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
import { count, percent, probability } from "../text/numbers";
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
      announce(`Evaluated: F1 ${probability(answered.value.evaluation.macro_f1)}`);
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
        <h2>On sentences with labels</h2>
        <p class="soft">If you have sentences for which you know the right aspects, other than your examples, see where the detector agrees.</p>
      </div>
      <div class="evaluate-input">
        <FileDrop label="Drop a file with labels here, or choose one" hint="Excel or CSV with two columns: text, and labels (its aspects, separated by semicolons)" accept=".xlsx,.xlsm,.csv,.tsv,.tab,.jsonl,.ndjson,.parquet,.pq" onFile={(file) => void run(() => studio().evaluateFile(file))} />
        <form onSubmit={paste}>
          <label class="field">
            or paste lines: sentence | aspect; another aspect
            <textarea rows={4} required value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)}
              placeholder={`A sentence about it. | ${aspects.value[0]?.name ?? "cleanliness"}\nA sentence about none of them. |`} />
          </label>
          <footer>
            <button type="submit" class="primary" disabled={busy}>{busy ? "Evaluating …" : "Evaluate"}</button>
          </footer>
        </form>
      </div>
      {evaluation && (
        <div class={busy ? "loading" : ""}>
          <div class="numbers">
            <Figure number={probability(evaluation.macro_f1)} words="F1, mean of the aspects"><Help of="F1" /></Figure>
            <Figure number={probability(evaluation.micro_f1)} words="F1, all answers" />
            <Figure number={probability(evaluation.mean_average_precision)} words="average precision"><Help of="average precision" /></Figure>
            <Figure number={evaluation.right_empties === null ? "–" : percent(evaluation.right_empties)} words="of the sentences without an aspect are right" />
            <Figure number={probability(evaluation.calibration_error)} words="calibration error"><Help of="calibration error" /></Figure>
            <Figure number={count(evaluation.texts)} words={evaluation.texts === 1 ? "sentence" : "sentences"} />
          </div>
          {unknown.length > 0 && <p class="remark">Not among your aspects, so not counted: {unknown.map(([name, n]) => `“${name}” (${n})`).join(", ")}.</p>}
          {leftOut.length > 0 && <p class="remark">None of the sentences is about {leftOut.map((name) => `“${name}”`).join(", ")}, so the mean of the aspects leaves {leftOut.length === 1 ? "it" : "them"} out.</p>}
          <ResultTable evaluation={evaluation} chosen={shown?.id ?? null} onChoose={choose} />
          {shown && <AspectResult key={`${shown.id} ${shown.threshold}`} result={shown} mistakes={evaluation.mistakes ?? []} shown={mistakes} onShow={setMistakes} onUse={use} />}
        </div>
      )}
      <ExampleIssues />
    </div>
  );
}
