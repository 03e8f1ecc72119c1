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
  ["Results as CSV", "the same as a plain text table, which Excel opens, too", "csv"],
  ["Results as Parquet", "the same for data tools", "parquet"],
];
const FILES: [string, string, string, string][] = [
  ["Detector", "what it has learned, to be loaded here or used by a program", "/model", "detector.zip"],
  ["Project", "aspects, examples and reviews, to open in another studio", "/export", "project.zip"],
];

/** What is being prepared: large results take a while. */
const preparing = signal<string | null>(null);

/** One row for each sentence, or for each review. */
const rows = signal<"sentence" | "review">("sentence");

/** As Excel reads a CSV where decimals have a comma; at first as the browser writes numbers. */
const semicolons = signal((0.5).toLocaleString().includes(","));

export const ExportDialog = () => (
  <Dialog title="Export">
    <fieldset class="row-unit">
      <legend class="unseen">How the results are written</legend>
      {(["sentence", "review"] as const).map((unit) => (
        <label key={unit}><input type="radio" name="rows" checked={rows.value === unit} onChange={() => (rows.value = unit)} /> One row for each {unit}</label>
      ))}
      <label><input type="checkbox" checked={semicolons.value} onChange={(event) => (semicolons.value = event.currentTarget.checked)} /> CSV for an Excel that writes 0,5 instead of 0.5</label>
    </fieldset>
    <ul class="downloads">
      {[...RESULTS.map(([name, words, kind]) => [name, words, `/results?format=${kind}&rows=${rows.value}${kind === "csv" && semicolons.value ? "&delimiter=semicolon" : ""}`, `results.${kind}`] as const), ...FILES].map(([name, words, path, file]) => (
        <li key={path}>
          <button type="button" disabled={preparing.value !== null} aria-busy={preparing.value === path} onClick={() => void save(path, file)}>
            <Icon name="download" />
            <span><b>{name}</b><small>{preparing.value === path ? "Preparing …" : words}</small></span>
          </button>
        </li>
      ))}
      <li>
        <label class="load-model">
          <Icon name="upload" />
          <span><b>Load a detector</b><small>a .zip that was saved as “Detector”; its aspects and examples replace these, which can be undone</small></span>
          <input class="unseen" type="file" accept=".zip" onChange={(event) => void load(event.currentTarget)} />
        </label>
      </li>
    </ul>
    <Snippet />
  </Dialog>
);

async function save(path: string, file: string): Promise<void> {
  preparing.value = path;
  await download(studio().path + path, file).catch(report);
  preparing.value = null;
}

async function load(input: HTMLInputElement): Promise<void> {
  const file = input.files?.[0];
  input.value = "";
  if (!file) return;
  await change(async () => {
    await studio().loadModel(file);
    toast("The detector was loaded. Its aspects and examples are in the place of those before.");
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
    <section class="snippet" aria-label="For programmers">
      <div class="panel-head">
        <h3>For programmers</h3>
        <button type="button" onClick={() => void copy()}>Copy</button>
      </div>
      <pre tabIndex={0}><code>{python}</code></pre>
    </section>
  );
}
