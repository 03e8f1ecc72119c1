import type { AuditEstimate, AuditResult } from "../api/types";
import { coloured } from "../parts/colour";
import { Help } from "../parts/Help";
import { aspectById } from "../state/project";
import { count, counted } from "../text/numbers";

export const AuditTable = ({ result }: { result: AuditResult }) => (
  <section class="card chart" aria-label="How good it is">
    <h2>From {counted(result.labelled, "checked sentence")} of {count(result.size)}</h2>
    <p class="soft">
      In brackets: the range in which the true number lies in 95 of 100 cases.
      {result.more > 0 && ` To make the range of F1 for all answers half as wide, check about ${count(result.more)} more.`}
    </p>
    <div class="scroll-x">
      <table class="numbers-table">
        <thead>
          <tr>
            <th>Aspect</th><th title="Of the sentences it is found in: how many are right">Precision<Help of="precision" /></th><th title="Of the sentences that have it: how many are found">Recall<Help of="recall" /></th>
            <th title="Precision and recall in one number">F1<Help of="F1" /></th><th title="Sentences it is found in">Found</th><th title="Of these, checked">Checked</th>
            <th title="Check about so many more sentences to make the range of F1 half as wide">To be surer</th>
          </tr>
        </thead>
        <tbody>
          {result.aspects.map((row) => (
            <tr key={row.id} style={coloured(aspectById.value.get(row.id))}>
              <th scope="row"><i class="dot" /> {row.name}</th>
              {[row.precision, row.recall, row.f1].map((value, i) => <td key={i}><Range value={value} /></td>)}
              <td>{count(row.answered)}</td><td>{count(row.checked)}</td><td>{count(row.more)}</td>
            </tr>
          ))}
          <tr class="on">
            <th scope="row">All answers</th>
            {[result.precision, result.recall, result.f1].map((value, i) => <td key={i}><Range value={value} /></td>)}
            <td /><td>{count(result.labelled)}</td><td>{count(result.more)}</td>
          </tr>
        </tbody>
      </table>
    </div>
  </section>
);

const Range = ({ value }: { value: AuditEstimate | null }) =>
  value === null ? <>–</> : <>{value.value.toFixed(2)} <small>({value.low.toFixed(2)} to {value.high.toFixed(2)})</small></>;
