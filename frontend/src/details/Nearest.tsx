import type { SentenceDetails } from "../api/types";
import { coloured } from "../parts/colour";
import { aspects } from "../state/project";
import { probability } from "../text/numbers";

const SHOWN = 3;

/** The examples that lie nearest: of the aspects found, then of those that come closest. */
export function Nearest({ details }: { details: SentenceDetails }) {
  const closest = (id: number) => Math.max(0, ...(details.nearest[id] ?? []).map((near) => near.similarity));
  const found = (id: number) => Number(details.aspects.includes(id));
  const shown = [...aspects.value].filter((aspect) => details.nearest[aspect.id]?.length).sort((a, b) => found(b.id) - found(a.id) || closest(b.id) - closest(a.id)).slice(0, SHOWN);
  if (!shown.length) return null;
  return (
    <section aria-label="Nearest examples">
      <h3>Nearest examples</h3>
      {shown.map((aspect) => (
        <div key={aspect.id} class="nearest" style={coloured(aspect)}>
          <h4>{aspect.name}</h4>
          <ul>
            {details.nearest[aspect.id]!.slice(0, SHOWN).map((near) => (
              <li key={near.example_id}>
                <span>{near.text}</span> <small>{probability(near.similarity)}</small>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}
