import { useEffect } from "preact/hooks";
import { coloured } from "../parts/colour";
import { correctExample, issues, keepExample, readExampleChecks, removeExample } from "../state/example-checks";
import { aspectById, project } from "../state/project";

const FIRST = 10;

/** Examples whose aspects the other examples contradict. */
export function ExampleIssues() {
  const { id, revision, examples } = project.value!;
  useEffect(() => void (examples && readExampleChecks()), [id, revision]);
  const found = issues.value;
  return (
    <section class="card chart example-issues" aria-label="Examples to check">
      <h2>Examples to check</h2>
      <p class="soft">{state(examples, found?.length)}</p>
      <ul>
        {(found ?? []).slice(0, FIRST).map((issue) => (
          <li key={issue.example_id}>
            <blockquote dir="auto">{issue.text}</blockquote>
            <p class="why-asked">{issue.reason}</p>
            <div class="chips">
              <span>given:</span> <Names ids={issue.given} /> <span>rather:</span> <Names ids={issue.suggested} />
              <span class="choices">
                <button type="button" aria-label={`Keep: ${issue.text}`} onClick={() => void keepExample(issue)}>Keep</button>
                <button type="button" aria-label={`Change: ${issue.text}`} onClick={() => correctExample(issue)}>Change</button>
                <button type="button" aria-label={`Remove: ${issue.text}`} onClick={() => removeExample(issue)}>Remove</button>
              </span>
            </div>
          </li>
        ))}
      </ul>
      {found && found.length > FIRST && <p class="soft">{found.length - FIRST} more when these are done.</p>}
    </section>
  );
}

function state(examples: number, found: number | undefined): string {
  if (!examples) return "There are no examples yet.";
  if (found === undefined) return "Looking …";
  return found ? "Your other examples contradict these. Some will be right as they are: keep them." : "None of your examples contradicts the others.";
}

const Names = ({ ids }: { ids: number[] }) =>
  ids.length ? <>{ids.map((id) => <span key={id} class="chip" style={coloured(aspectById.value.get(id))}>{aspectById.value.get(id)?.name}</span>)}</> : <span class="chip unsure">none</span>;
