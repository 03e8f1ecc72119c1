import { useState } from "preact/hooks";
import type { AspectEvaluation, CurvePoint, Mistake, MistakeKind } from "../api/types";
import { coloured } from "../parts/colour";
import { aspectById } from "../state/project";
import { probability } from "../text/numbers";
import { Confusion } from "./Confusion";
import { Curve } from "./Curve";
import { Mistakes } from "./Mistakes";

interface Props {
  result: AspectEvaluation;
  mistakes: Mistake[];
  shown: MistakeKind | null;
  onShow: (kind: MistakeKind | null) => void;
  onUse: (id: number, threshold: number) => void;
}

/** One aspect: its confusion, and its curve on which another threshold can be tried. */
export function AspectResult({ result, mistakes, shown, onShow, onUse }: Props) {
  const [tried, setTried] = useState(result.threshold);
  const point = pointAt(result.curve, tried);
  const moved = Math.abs(tried - result.threshold) > 0.001;
  return (
    <section class="card chart result" style={coloured(aspectById.value.get(result.id))} aria-label={result.name}>
      <h2><i class="dot" /> {result.name}</h2>
      <div class="result-parts">
        <Confusion {...result.confusion} shown={shown} onShow={onShow} />
        <div>
          <h3>Precision and recall</h3>
          {result.curve.length === 0 && <p class="soft">None of the sentences is about it, so there is no curve.</p>}
          <Curve curve={result.curve} present={pointAt(result.curve, result.threshold)} tried={moved ? point : null} />
          <label class="field">
            <span>Threshold {probability(tried)}{point && <span class="soft">: precision {probability(point.precision)}, recall {probability(point.recall)}</span>}</span>
            <input type="range" min="0.01" max="0.99" step="0.01" value={tried} onInput={(event) => setTried(Number(event.currentTarget.value))} />
          </label>
          <footer>
            <button type="button" disabled={!moved} onClick={() => onUse(result.id, tried)}>Use this threshold</button>
          </footer>
        </div>
      </div>
      {shown && <Mistakes kind={shown} aspect={result.id} count={shown === "wrong" ? result.confusion.fp : result.confusion.fn} mistakes={mistakes} />}
    </section>
  );
}

/** The curve has a point for each threshold that the slider can take, and for the one in use. */
export const pointAt = (curve: CurvePoint[], threshold: number): CurvePoint | null => curve.find((point) => point.threshold >= threshold - 1e-9) ?? null;
