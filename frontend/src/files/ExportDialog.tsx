import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { download } from "../api/http";
import { Dialog } from "../parts/Dialog";
import { Icon } from "../parts/Icon";
import { change } from "../state/corrections";
import { report, toast } from "../state/messages";
import { studio } from "../state/project";

const RESULTS: [string, string, string][] = [
  ["Results for Excel", "an .xlsx workbook with the aspects beside your columns", "xlsx"],
  ["Results as CSV", "the same as text, which Excel opens too", "csv"],
  ["Results as Parquet", "the same for data tools", "parquet"],
];
const FILES: [string, string, string, string][] = [
  ["Detector", "a zip with the folder for AspectDetector.load", "/model", "detector.zip"],
  ["Project", "aspects, examples and reviews, to open in another studio", "/export", "project.zip"],
];

/** One row for each sentence, or for each review. */
const rows = signal<"sentence" | "review">("sentence");

export const ExportDialog = () => (
  <Dialog title="Export">
    <fieldset class="row-unit">
      <legend class="unseen">Rows of the results</legend>
      {(["sentence", "review"] as const).map((unit) => (
        <label key={unit}><input type="radio" name="rows" checked={rows.value === unit} onChange={() => (rows.value = unit)} /> One row for each {unit}</label>
      ))}
    </fieldset>
    <ul class="downloads">
      {[...RESULTS.map(([name, words, kind]) => [name, words, `/results?format=${kind}&rows=${rows.value}`, `results.${kind}`] as const), ...FILES].map(([name, words, path, file]) => (
        <li key={path}>
          <button type="button" onClick={() => void download(studio().path + path, file).catch(report)}>
            <Icon name="download" />
            <span><b>{name}</b><small>{words}</small></span>
          </button>
        </li>
      ))}
      <li>
        <label class="load-model">
          <Icon name="upload" />
          <span><b>Load a detector</b><small>a zip as above; its aspects, examples and thresholds replace these (can be undone)</small></span>
          <input class="unseen" type="file" accept=".zip" onChange={(event) => void load(event.currentTarget)} />
        </label>
      </li>
    </ul>
    <Snippet />
  </Dialog>
);

async function load(input: HTMLInputElement): Promise<void> {
  const file = input.files?.[0];
  input.value = "";
  if (!file) return;
  await change(async () => {
    await studio().loadModel(file);
    toast("The detector was loaded.");
  });
}

/** The same detector in Python. */
function Snippet() {
  const [python, setPython] = useState("");
  useEffect(() => {
    studio().snippet().then(setPython, report);
  }, []);
  const copy = () => navigator.clipboard.writeText(python).then(() => toast("Copied."), () => toast("The browser did not allow copying; select the text instead.", "problem"));
  return (
    <section class="snippet" aria-label="In Python">
      <div class="panel-head">
        <h3>In Python</h3>
        <button type="button" onClick={() => void copy()}>Copy</button>
      </div>
      <pre tabIndex={0}><code>{python}</code></pre>
    </section>
  );
}
