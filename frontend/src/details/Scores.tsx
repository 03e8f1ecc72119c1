import type { SentenceDetails } from "../api/types";
import { coloured } from "../parts/colour";
import { aspects, project } from "../state/project";
import { probability } from "../text/numbers";

export function Scores({ details }: { details: SentenceDetails }) {
  if (!aspects.value.length) return null;
  const score = (id: number) => details.scores[id] ?? 0;
  return (
    <section aria-label="How sure it is">
      <h3>How sure it is</h3>
      <ul class="scores">
        {[...aspects.value].sort((a, b) => score(b.id) - score(a.id)).map((aspect) => {
          const threshold = details.thresholds[aspect.id] ?? project.value!.threshold;
          const found = details.aspects.includes(aspect.id);
          const answer = found ? "found" : details.rejected?.includes(aspect.id) ? "not about it, as you said" : "not found";
          return (
            <li key={aspect.id} class={found ? "found" : ""} style={coloured(aspect)} title={`${aspect.name}: ${probability(score(aspect.id))}, threshold ${probability(threshold)}`}>
              <span class="name">{aspect.name}</span>
              <span class="track">
                <i style={{ "--p": `${100 * score(aspect.id)}%` }} />
                <b style={{ "--p": `${100 * threshold}%` }} />
              </span>
              <span class="count">{probability(score(aspect.id))}</span>
              <span class="unseen">{answer}, threshold {probability(threshold)}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
