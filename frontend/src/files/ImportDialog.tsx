import { signal } from "@preact/signals";
import type { Preview } from "../api/types";
import { closeDialog, Dialog } from "../parts/Dialog";
import { FileDrop } from "../parts/FileDrop";
import { importFile } from "../state/importing";
import { report } from "../state/messages";
import { studio } from "../state/project";
import { PreviewTable } from "./PreviewTable";

interface Chosen {
  file: File;
  preview: Preview;
  text: string;
  date: string;
}

/** Outlives the dialog, so that closing it loses nothing. */
const chosen = signal<Chosen | null>(null);
const busy = signal(false);

async function look(file: File): Promise<void> {
  busy.value = true;
  try {
    const preview = await studio().preview(file);
    chosen.value = { file, preview, text: preview.text_column ?? preview.columns[0]?.name ?? "", date: preview.date_column ?? "" };
  } catch (error) {
    report(error);
  } finally {
    busy.value = false;
  }
}

async function start(event: Event): Promise<void> {
  event.preventDefault();
  const { file, text, date } = chosen.value!;
  busy.value = true;
  if (await importFile(file, text, date)) {
    chosen.value = null;
    closeDialog();
  }
  busy.value = false;
}

export function ImportDialog() {
  const now = chosen.value;
  const columns = now?.preview.columns ?? [];
  return (
    <Dialog title="Import reviews" wide>
      {!now && <p class="soft">The file stays on this computer. Each review is split into sentences, and each sentence is detected.</p>}
      <FileDrop label={now ? now.file.name : busy.value ? "Reading …" : "Drop a file here, or choose one"} hint={now ? "Choose another file" : "CSV, TSV, JSON lines, Parquet or plain text with one review per line"}
        accept=".csv,.tsv,.tab,.jsonl,.ndjson,.parquet,.pq,.txt,.text,.gz" onFile={(file) => void look(file)} />
      {now && (
        <form onSubmit={start}>
          <div class="field-row">
            <label class="field">
              Column with the review
              <select value={now.text} onChange={(event) => (chosen.value = { ...now, text: event.currentTarget.value })}>
                {columns.map((column) => <option key={column.name}>{column.name}</option>)}
              </select>
            </label>
            <label class="field">
              Column with the date
              <select value={now.date} onChange={(event) => (chosen.value = { ...now, date: event.currentTarget.value })}>
                <option value="">no date</option>
                {columns.map((column) => <option key={column.name} value={column.name}>{column.name}</option>)}
              </select>
            </label>
          </div>
          <PreviewTable preview={now.preview} text={now.text} date={now.date} />
          <footer>
            <button type="button" onClick={closeDialog}>Cancel</button>
            <button type="submit" class="primary" disabled={busy.value}>Import</button>
          </footer>
        </form>
      )}
    </Dialog>
  );
}
