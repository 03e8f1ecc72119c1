import type { AspectEvaluation, MistakeKind } from "../api/types";
import { count } from "../text/numbers";

type Props = AspectEvaluation["confusion"] & { shown: MistakeKind | null; onShow: (kind: MistakeKind | null) => void };

/** What is right and what is wrong; the numbers of wrong answers show their sentences. */
export function Confusion({ tp, fp, fn, tn, shown, onShow }: Props) {
  const wrong = (kind: MistakeKind, number: number, words: string) => (
    <td class="wrong">
      {number ? (
        <button type="button" class="linked" aria-expanded={shown === kind} onClick={() => onShow(shown === kind ? null : kind)}><b>{count(number)}</b> {words}</button>
      ) : (
        <><b>0</b> {words}</>
      )}
    </td>
  );
  return (
    <div>
      <h3>Right and wrong</h3>
      <table class="confusion">
        <thead>
          <tr><td /><th scope="col">found</th><th scope="col">not found</th></tr>
        </thead>
        <tbody>
          <tr><th scope="row">is about it</th><td class="right"><b>{count(tp)}</b> right</td>{wrong("missed", fn, "missed")}</tr>
          <tr><th scope="row">is not</th>{wrong("wrong", fp, "wrong")}<td class="right"><b>{count(tn)}</b> right</td></tr>
        </tbody>
      </table>
    </div>
  );
}
