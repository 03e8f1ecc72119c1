import { useState } from "preact/hooks";
import { compared, dividing } from "../dashboard/chosen";
import { closeDialog, Dialog } from "../parts/Dialog";
import { columns } from "../state/columns";
import { report, toast } from "../state/messages";
import { aspects, project, studio } from "../state/project";
import { charts } from "../state/view";
import { inWords } from "../text/conditions";

const CHARTS: [string, string][] = [
  ["often", "How often each aspect is mentioned"],
  ["opinions", "What they think of it"],
  ["segments", "By segment"],
  ["comparison", "Two segments side by side"],
  ["periods", "Over time"],
  ["together", "What is mentioned together"],
  ["words", "In the reviewers’ words"],
  ["without", "Sentences without any aspect"],
];

/** A page in one file, to send or to print, with the segments and periods of the dashboard. */
export function ReportDialog() {
  const [title, setTitle] = useState(project.value!.name);
  const [notes, setNotes] = useState("");
  const [left, setLeft] = useState<ReadonlySet<string | number>>(new Set());
  const [busy, setBusy] = useState(false);
  const { where, unit } = charts.value;
  const pair = compared.value;
  const toggle = (what: string | number) => setLeft((now) => new Set(now.has(what) ? [...now].filter((other) => other !== what) : [...now, what]));
  const check = (what: string | number, words: string) => (
    <label key={what} class="check">
      <input type="checkbox" checked={!left.has(what)} onChange={() => toggle(what)} /> {words}
    </label>
  );
  const chosen = aspects.value.filter(({ id }) => !left.has(id)).map(({ id }) => id);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await studio().report({
        title, notes, where, unit, aspects: chosen, charts: CHARTS.map(([name]) => name).filter((name) => !left.has(name)),
        by: dividing.value?.name ?? null, one: pair?.one ?? [], other: pair?.other ?? [],
      });
      closeDialog();
      toast("The report was saved. Open it in a browser, and print it from there for a PDF.");
    } catch (error) {
      report(error);
    }
    setBusy(false);
  };
  const segments = [
    where.length > 0 && `of ${inWords(where, columns.value).map(({ words }) => words).join(", ")}`,
    dividing.value && `by ${dividing.value.name}`,
    pair && `${inWords(pair.one, columns.value)[0]?.words} beside ${inWords(pair.other, columns.value)[0]?.words}`,
    unit && `by ${unit}`,
  ].filter(Boolean);
  return (
    <Dialog title="Report">
      <form class="report-form" onSubmit={(event) => void submit(event)}>
        <label class="field">Title<input value={title} maxLength={200} required onInput={(event) => setTitle(event.currentTarget.value)} /></label>
        <label class="field">Notes, shown at the top<textarea rows={3} maxLength={5000} value={notes} onInput={(event) => setNotes(event.currentTarget.value)} /></label>
        <fieldset>
          <legend>Charts</legend>
          {CHARTS.map(([name, words]) => check(name, words))}
        </fieldset>
        <fieldset>
          <legend>Aspects</legend>
          {aspects.value.map((aspect) => check(aspect.id, aspect.name))}
        </fieldset>
        {segments.length > 0 && <p class="soft">As on the dashboard: {segments.join("; ")}.</p>}
        <footer>
          <button type="submit" class="primary" disabled={busy || !chosen.length}>{busy ? "Writing …" : "Save the report"}</button>
        </footer>
      </form>
    </Dialog>
  );
}
