import { useEffect, useState } from "preact/hooks";
import { Problem } from "../api/http";
import type { SentenceDetails } from "../api/types";
import { settled } from "../state/corrections";
import { report } from "../state/messages";
import { aspectById, project, studio } from "../state/project";
import { dialog, selected, show } from "../state/view";
import { Icon } from "../parts/Icon";
import { Nearest } from "./Nearest";
import { Scores } from "./Scores";
import { WholeReview } from "./WholeReview";
import { why } from "./why";

export function DetailsPanel() {
  const details = useDetails(selected.value);
  return (
    <aside class="panel details" aria-label="Details of the sentence">
      <div class="panel-head">
        <h2>Details</h2>
        {details && (
          <button type="button" class="quiet" onClick={() => (dialog.value = "example")}>
            <Icon name="quote" /> Use words
          </button>
        )}
      </div>
      {details ? (
        <>
          <blockquote dir="auto">{details.text}</blockquote>
          <button type="button" class="quiet" onClick={() => show({ like: details.id })}>
            <Icon name="search" /> Similar sentences
          </button>
          <section aria-label="Why">
            <h3>Why</h3>
            <p class="reason">{why(details, aspectById.value)}</p>
          </section>
          <Scores details={details} />
          <Nearest details={details} />
          <WholeReview details={details} />
        </>
      ) : (
        selected.value === null && <p class="soft">Choose a sentence to see why it has its aspects, your nearest examples and the whole review.</p>
      )}
    </aside>
  );
}

/** What is shown stays until the next is there; scores follow every change. */
function useDetails(id: number | null): SentenceDetails | null {
  const [details, setDetails] = useState<SentenceDetails | null>(null);
  const { revision, scored = 0 } = project.value ?? {};
  const progress = Math.floor(10 * scored);
  useEffect(() => {
    if (id === null) return setDetails(null);
    let wanted = true;
    studio().sentence(id, revision).then((answer) => wanted && setDetails(answer), (error) => {
      if (error instanceof Problem && error.status === 404) setDetails(null); // removed; the list will say so
      else if (wanted) report(error);
    });
    return () => void (wanted = false);
  }, [id, revision, progress, settled.value]);
  return id === null ? null : details;
}
