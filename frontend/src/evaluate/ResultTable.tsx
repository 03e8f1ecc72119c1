import type { Evaluation, MistakeKind } from "../api/types";
import { coloured } from "../parts/colour";
import { Help } from "../parts/Help";
import { aspectById } from "../state/project";
import { count, probability } from "../text/numbers";

interface Props {
  evaluation: Evaluation;
  chosen: number | null;
  onChoose: (id: number, mistakes?: MistakeKind) => void;
}

export const ResultTable = ({ evaluation, chosen, onChoose }: Props) => (
  <section class="card chart" aria-label="Each aspect">
    <h2>Each aspect</h2>
    <div class="scroll-x">
      <table class="numbers-table">
        <thead>
          <tr>
            <th>Aspect</th><th>Precision<Help of="precision" /></th><th>Recall<Help of="recall" /></th><th>F1<Help of="F1" /></th><th>Average precision<Help of="average precision" /></th><th title="Sentences that are about it">About it</th>
            <th>Found, right</th><th>Found, wrong</th><th>Missed</th>
          </tr>
        </thead>
        <tbody>
          {evaluation.aspects.map((row) => (
            <tr key={row.id} class={row.id === chosen ? "on" : ""} style={coloured(aspectById.value.get(row.id))}>
              <th scope="row">
                <button type="button" class="linked" aria-pressed={row.id === chosen} onClick={() => onChoose(row.id)}><i class="dot" /> {row.name}</button>
              </th>
              {[row.precision, row.recall, row.f1, row.average_precision].map((value, i) => <td key={i}>{probability(value)}</td>)}
              <td>{count(row.support)}</td>
              <td>{count(row.confusion.tp)}</td>
              <td><Wrong number={row.confusion.fp} words={`Show what was found as ${row.name}, but is not`} onClick={() => onChoose(row.id, "wrong")} /></td>
              <td><Wrong number={row.confusion.fn} words={`Show what was missed of ${row.name}`} onClick={() => onChoose(row.id, "missed")} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);

const Wrong = ({ number, words, onClick }: { number: number; words: string; onClick: () => void }) =>
  number ? <button type="button" class="linked" aria-label={`${number}: ${words}`} title={words} onClick={onClick}>{count(number)}</button> : <>0</>;
