import { useEffect, useState } from "preact/hooks";
import type { Aspect } from "../api/types";
import { IconButton } from "../parts/IconButton";
import { setThreshold } from "../state/corrections";
import { thresholdOf } from "../state/decisions";
import { draft } from "../state/draft";
import { project } from "../state/project";
import { probability } from "../text/numbers";

/** While it moves, the sentences in view are decided anew here; when it is let go, the server is told. */
export function ThresholdSlider({ aspect }: { aspect: Aspect }) {
  const set = thresholdOf(project.value!, aspect);
  const [value, setValue] = useState(set);
  useEffect(() => setValue(set), [set]);
  const move = (threshold: number) => {
    setValue(threshold);
    draft.value = { aspect: aspect.id, threshold };
  };
  const settle = async (threshold: number | null) => {
    if (!(await setThreshold(aspect.id, threshold))) setValue(set);
    draft.value = null;
  };
  return (
    <div class="threshold">
      <IconButton icon="back" class="tiny" label={`Threshold of ${aspect.name} back to ${probability(project.value!.threshold)}`} disabled={aspect.threshold === null}
        onClick={() => void settle(null)} />
      <input type="range" min="0.01" max="0.99" step="0.01" value={value} aria-label={`Threshold of ${aspect.name}`} title={`Found when the detector is at least this sure: ${probability(value)}`}
        onInput={(event) => move(Number(event.currentTarget.value))} onChange={(event) => void settle(Number(event.currentTarget.value))} />
      <output>{probability(value)}</output>
    </div>
  );
}
