import type { AspectEvaluation } from "../api/types";
import { count } from "../text/numbers";

export const Confusion = ({ tp, fp, fn, tn }: AspectEvaluation["confusion"]) => (
  <div>
    <h3>Confusion</h3>
    <table class="confusion">
      <thead>
        <tr><td /><th scope="col">found</th><th scope="col">not found</th></tr>
      </thead>
      <tbody>
        <tr><th scope="row">is about it</th><td class="right"><b>{count(tp)}</b> right</td><td class="wrong"><b>{count(fn)}</b> missed</td></tr>
        <tr><th scope="row">is not</th><td class="wrong"><b>{count(fp)}</b> too many</td><td class="right"><b>{count(tn)}</b> right</td></tr>
      </tbody>
    </table>
  </div>
);
