import { useEffect, useState } from "preact/hooks";
import { settled } from "../state/corrections";
import { report } from "../state/messages";
import { project } from "../state/project";

/** What the server counts, asked again when that changes or `choice` does; the old stays until the new is there. */
export function useCounts<A>(ask: () => Promise<A> | null, ...choice: unknown[]): A | null {
  const [counts, setCounts] = useState<A | null>(null);
  const { id, revision, scored, sentences } = project.value!;
  const progress = Math.floor(10 * scored);
  useEffect(() => {
    let wanted = true;
    const answer = ask();
    if (!answer) setCounts(null);
    answer?.then((found) => wanted && setCounts(found), (error) => wanted && report(error));
    return () => void (wanted = false);
  }, [id, revision, sentences, progress, settled.value, JSON.stringify(choice)]);
  return counts;
}

const AGAIN = 2000; // milliseconds

/** Grows as long as something is waited for that the server works out in the background. */
export function useAgain(waiting: boolean, answer: unknown): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => setTick((n) => n + 1), AGAIN);
    return () => clearTimeout(timer);
  }, [waiting, answer]);
  return tick;
}
