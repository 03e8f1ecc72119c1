import type { SentenceDetails } from "../api/types";

/** The review around the sentence, and the other columns of the file. */
export function WholeReview({ details: { text, review } }: { details: SentenceDetails }) {
  const at = review.text.indexOf(text);
  const fields = Object.entries(review.fields ?? {}).filter(([, value]) => value !== null && value !== "" && value !== review.text);
  return (
    <section aria-label="The whole review">
      <h3>The whole review</h3>
      <p class="whole" dir="auto">
        {at < 0 ? review.text : <>{review.text.slice(0, at)}<b>{text}</b>{review.text.slice(at + text.length)}</>}
      </p>
      {fields.length > 0 && (
        <dl class="fields">
          {fields.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === "object" ? JSON.stringify(value) : String(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
