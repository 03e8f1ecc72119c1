import { signal } from "@preact/signals";
import type { DateOrder, Duplicates, Preview, Reading } from "../api/types";
import { closeDialog, Dialog } from "../parts/Dialog";
import { FileDrop } from "../parts/FileDrop";
import { importFile } from "../state/importing";
import { dismissProblems, report } from "../state/messages";
import { studio } from "../state/project";
import { DuplicateChoice } from "./DuplicateChoice";
import { OrderChoice } from "./OrderChoice";
import { PreviewTable } from "./PreviewTable";
import { ReadingFields } from "./ReadingFields";

interface Chosen {
  file: File;
  reading: Reading;
  preview: Preview;
  text: string;
  /** As said; undefined: as it was found. */
  date?: string;
  order?: DateOrder;
  duplicates: Duplicates;
}

/** Outlives the dialog, so that closing it loses nothing. */
const chosen = signal<Chosen | null>(null);
const busy = signal(false);

/** The file as it would be read; columns that were chosen stay chosen if they are still there. */
async function look(file: File, reading: Reading = {}, text = "", date?: string): Promise<void> {
  busy.value = true;
  dismissProblems();
  try {
    const preview = await studio().preview(file, reading, text);
    const there = date === "" || preview.columns.some((column) => column.name === date);
    chosen.value = { file, reading, preview, text: preview.text_column ?? preview.columns[0]?.name ?? "", ...(there && date !== undefined ? { date } : {}), duplicates: preview.duplicates || preview.same_file ? "skip" : "add" };
  } catch (error) {
    report(error);
  } finally {
    busy.value = false;
  }
}

const dateOf = ({ date, preview }: Chosen) => date ?? preview.date_column ?? "";

async function start(event: Event): Promise<void> {
  event.preventDefault();
  const { file, reading, text, order, duplicates } = chosen.value!;
  busy.value = true;
  if (await importFile(file, { ...reading, text_column: text, date_column: dateOf(chosen.value!), date_order: order ?? "", duplicates })) {
    chosen.value = null;
    closeDialog();
  }
  busy.value = false;
}

const choose = (change: { date?: string; order?: DateOrder | undefined; duplicates?: Duplicates }) => {
  const { order, ...rest } = { ...chosen.value!, ...change };
  chosen.value = order ? { ...rest, order } : rest;
};

export function ImportDialog() {
  const now = chosen.value;
  const columns = now?.preview.columns ?? [];
  const date = now ? dateOf(now) : "";
  return (
    <Dialog title="Import reviews" wide>
      {!now && <p class="soft">The file stays on this computer. Each review is split into sentences, and your aspects are looked for in each of them.</p>}
      <FileDrop label={now ? now.file.name : busy.value ? "Reading …" : "Drop a file here, or choose one"} hint={now ? "Choose another file" : "Excel, CSV or plain text with one review per line; also .jsonl and .parquet"}
        accept=".xlsx,.xlsm,.csv,.tsv,.tab,.jsonl,.ndjson,.parquet,.pq,.txt,.text,.gz" onFile={(file) => void look(file)} />
      {now && (
        <form onSubmit={start}>
          <ReadingFields preview={now.preview} disabled={busy.value} onChange={(reading) => void look(now.file, { ...now.reading, ...reading }, now.text, now.date)} />
          <div class="field-row">
            <label class="field">
              Column with the review
              <select value={now.text} disabled={busy.value} onChange={(event) => void look(now.file, now.reading, event.currentTarget.value, now.date)}>
                {columns.map((column) => <option key={column.name}>{column.name}</option>)}
              </select>
            </label>
            <label class="field">
              Column with the date
              <select value={date} onChange={(event) => choose({ date: event.currentTarget.value, order: undefined })}>
                <option value="">no date</option>
                {columns.map((column) => <option key={column.name} value={column.name}>{column.name}</option>)}
              </select>
            </label>
            <OrderChoice column={columns.find((column) => column.name === date)} order={now.order} onChange={(order) => choose({ order })} />
          </div>
          <PreviewTable preview={now.preview} text={now.text} date={date} />
          <DuplicateChoice preview={now.preview} value={now.duplicates} onChange={(duplicates) => choose({ duplicates })} />
          <footer>
            <button type="button" onClick={closeDialog}>Cancel</button>
            <button type="submit" class="primary" disabled={busy.value}>Import</button>
          </footer>
        </form>
      )}
    </Dialog>
  );
}
