import type { ComponentChildren } from "preact";
import { Icon } from "../parts/Icon";
import { Opinions } from "../sentiment/Opinions";
import { studio } from "../state/project";
import { charts, dialog } from "../state/view";
import { percent, count } from "../text/numbers";
import { Comparison } from "./Comparison";
import { Frequencies } from "./Frequencies";
import { NotNamed } from "./NotNamed";
import { OverTime } from "./OverTime";
import { SegmentChooser } from "./SegmentChooser";
import { Segments } from "./Segments";
import { Together } from "./Together";
import { useCounts } from "./useCounts";

export function Dashboard() {
  const { where } = charts.value;
  const numbers = useCounts(() => studio().dashboard(where), where);
  if (!numbers) return <p class="empty soft">Counting …</p>;
  const some = numbers.sentences - numbers.none;
  return (
    <div class="scroll dashboard">
      <div class="dashboard-head">
        <SegmentChooser />
        <button type="button" onClick={() => (dialog.value = "report")}><Icon name="download" /> Report …</button>
      </div>
      {numbers.scored < 1 && <p class="soft" role="status">Counted so far: {percent(numbers.scored)} of the sentences. The others still count as “none of these”.</p>}
      <div class="numbers">
        <Figure number={count(numbers.reviews)} words="reviews" />
        <Figure number={count(numbers.sentences)} words="sentences" />
        <Figure number={percent(numbers.reviews ? 1 - numbers.reviews_none / numbers.reviews : 0)} words="reviews with one of your aspects" />
        <Figure number={percent(numbers.sentences ? some / numbers.sentences : 0)} words="sentences with one of your aspects" />
      </div>
      <Frequencies numbers={numbers} />
      <Opinions />
      <Segments />
      <Comparison />
      <OverTime />
      <NotNamed />
      <Together numbers={numbers} />
    </div>
  );
}

export const Figure = ({ number, words, children }: { number: string; words: string; children?: ComponentChildren }) => (
  <div class="card number">
    <b>{number}</b>
    <div><span>{words}</span>{children}</div>
  </div>
);
