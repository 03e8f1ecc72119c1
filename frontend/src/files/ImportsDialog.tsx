import { useEffect, useState } from "preact/hooks";
import type { ImportEntry } from "../api/types";
import { Dialog } from "../parts/Dialog";
import { IconButton } from "../parts/IconButton";
import { change, settled, undo } from "../state/corrections";
import { report, toast } from "../state/messages";
import { readProjects, studio } from "../state/project";
import { count, counted, day } from "../text/numbers";

/** Every import, to be removed by itself or with all others; both can be undone. */
export function ImportsDialog() {
  const [imports, setImports] = useState<ImportEntry[] | null>(null);
  const [asked, setAsked] = useState<ImportEntry | "all" | null>(null);
  useEffect(() => {
    studio().imports().then(setImports, report);
  }, [settled.value]);
  const all = imports ?? [];
  return (
    <Dialog title="Imported files" wide>
      {imports && !all.length && <p class="soft">Nothing was imported yet.</p>}
      {asked ? <Removal asked={asked} imports={all} onDone={() => setAsked(null)} /> : all.length > 0 && (
        <>
          <div class="scroll-x">
            <table class="imports">
              <thead>
                <tr><th>File</th><th>Reviews</th><th>Labels</th><th><span class="unseen">Remove</span></th></tr>
              </thead>
              <tbody>
                {all.map((entry) => (
                  <tr key={entry.id}>
                    <td>{nameOf(entry)}<small>imported {day(entry.created)}</small></td>
                    <td>{count(entry.reviews)}</td>
                    <td>{count(entry.labels)}</td>
                    <td><IconButton icon="close" label={`Remove ${nameOf(entry)}`} onClick={() => setAsked(entry)} /></td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <footer><button type="button" onClick={() => setAsked("all")}>Remove all reviews …</button></footer>
        </>
      )}
    </Dialog>
  );
}

interface RemovalProps {
  asked: ImportEntry | "all";
  imports: ImportEntry[];
  onDone: () => void;
}

function Removal({ asked, imports, onDone }: RemovalProps) {
  const [labels, setLabels] = useState<"keep" | "remove">("keep");
  const those = asked === "all" ? imports : [asked];
  const reviews = those.reduce((sum, entry) => sum + entry.reviews, 0);
  const labelled = those.reduce((sum, entry) => sum + entry.labels, 0);
  const remove = async () => {
    const done = await change(async () => {
      await (asked === "all" ? studio().removeReviews(labels) : studio().removeImport(asked.id, labels));
      toast(`${counted(reviews, "review")} removed.`, "note", { label: "Undo", run: () => void undo() });
      return true;
    });
    if (!done) return;
    await readProjects().catch(report);
    onDone();
  };
  return (
    <div class="removal">
      <p>Remove the {counted(reviews, "review")} of {asked === "all" ? "all imports" : nameOf(asked)}? It can be undone.</p>
      {labelled > 0 && (
        <fieldset>
          <legend>You labelled {counted(labelled, "sentence")} of them.</legend>
          <label><input type="radio" name="labels" checked={labels === "keep"} onChange={() => setLabels("keep")} /> Keep these labels as examples</label>
          <label><input type="radio" name="labels" checked={labels === "remove"} onChange={() => setLabels("remove")} /> Remove the labels, too</label>
        </fieldset>
      )}
      <footer>
        <button type="button" onClick={onDone}>Cancel</button>
        <button type="button" class="dangerous" onClick={() => void remove()}>Remove</button>
      </footer>
    </div>
  );
}

const nameOf = (entry: ImportEntry) => entry.name || "Earlier reviews";
