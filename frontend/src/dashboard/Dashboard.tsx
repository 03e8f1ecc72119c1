import { useEffect, useState } from "preact/hooks";
import type { Dashboard as Numbers } from "../api/types";
import { settled } from "../state/corrections";
import { report } from "../state/messages";
import { project, studio } from "../state/project";
import { percent, count } from "../text/numbers";
import { Frequencies } from "./Frequencies";
import { NotNamed } from "./NotNamed";
import { OverTime } from "./OverTime";
import { Together } from "./Together";

export function Dashboard() {
  const [numbers, setNumbers] = useState<Numbers | null>(null);
  const { id, revision, scored, reviews } = project.value!;
  const progress = Math.floor(10 * scored);
  useEffect(() => {
    let wanted = true;
    studio().dashboard().then((answer) => wanted && setNumbers(answer), report);
    return () => void (wanted = false);
  }, [id, revision, progress, settled.value]);
  if (!numbers) return <p class="empty soft">Counting …</p>;
  const some = numbers.sentences - numbers.none;
  return (
    <div class="scroll dashboard">
      <div class="numbers">
        <Figure number={count(reviews)} words="reviews" />
        <Figure number={count(numbers.sentences)} words="sentences" />
        <Figure number={percent(numbers.sentences ? some / numbers.sentences : 0)} words="with one of your aspects" />
      </div>
      <Frequencies numbers={numbers} />
      <NotNamed />
      <Together numbers={numbers} />
      <OverTime numbers={numbers} />
    </div>
  );
}

export const Figure = ({ number, words }: { number: string; words: string }) => (
  <div class="card number">
    <b>{number}</b>
    <span>{words}</span>
  </div>
);
