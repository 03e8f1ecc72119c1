import { useEffect } from "preact/hooks";
import { growthOf, readExampleChecks } from "../state/example-checks";
import { aspects, project } from "../state/project";

const FEWEST = 8;
const PAUSE = 4000; // milliseconds after the last change: it takes the server a second
const MARKS = { growing: "↗", level: "✓", contradictory: "≠", "too few": "" };

/** Whether more examples of an aspect may help, in a sign that says more when it is pointed at. */
export function GrowthMark({ id }: { id: number }) {
  const found = growthOf.value.get(id);
  const mark = found && MARKS[found.signal];
  return mark ? <small class={`growth ${found.signal}`} role="img" aria-label={`${found.signal}: ${found.reason}`} title={found.reason}>{mark}</small> : null;
}

/** Reads what the marks say, once the examples have not changed for a while. */
export function useGrowth(): void {
  const some = aspects.value.some((aspect) => aspect.examples >= FEWEST);
  const { id, revision } = project.value!;
  useEffect(() => {
    if (!some) return;
    const timer = setTimeout(() => void readExampleChecks(), PAUSE);
    return () => clearTimeout(timer);
  }, [id, revision, some]);
}
