import { useEffect, useState } from "preact/hooks";
import { Help } from "../parts/Help";
import { change } from "../state/corrections";
import { project, studio } from "../state/project";
import { probability } from "../text/numbers";

/** For every aspect that has no threshold of its own. */
export function DefaultThreshold() {
  const set = project.value!.threshold;
  const [value, setValue] = useState(set);
  useEffect(() => setValue(set), [set]);
  const settle = async (threshold: number) => {
    if (!(await change(() => studio().change({ threshold })))) setValue(set);
  };
  return (
    <div class="default-threshold" title="For every aspect that has no threshold of its own">
      <span><label for="default-threshold">Default threshold</label><Help of="threshold" /></span>
      <input id="default-threshold" type="range" min="0.01" max="0.99" step="0.01" value={value} onInput={(event) => setValue(Number(event.currentTarget.value))}
        onChange={(event) => void settle(Number(event.currentTarget.value))} />
      <output>{probability(value)}</output>
    </div>
  );
}
