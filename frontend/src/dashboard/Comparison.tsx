import { useEffect, useState } from "preact/hooks";
import type { AspectDifference, AspectShare, Comparison as Numbers, ShareDifference } from "../api/types";
import { coloured } from "../parts/colour";
import { SIGNS } from "../sentiment/polarity";
import { aspectById, studio } from "../state/project";
import { charts, choose, show } from "../state/view";
import { sameConditions, segmentOf } from "../text/conditions";
import { count, counted, percent } from "../text/numbers";
import { compared, complement, dividing } from "./chosen";
import { useAgain, useCounts } from "./useCounts";

const OTHERS = "all other reviews";

/** Two segments side by side: where they differ, and whether that is more than chance. */
export function Comparison() {
  const { where } = charts.value;
  const pair = compared.value;
  const [told, setTold] = useState<Numbers | null>(null);
  const tick = useAgain(told !== null && told.told < 1, told);
  const numbers = useCounts(() => pair && studio().comparison(pair.one, pair.other, where), pair, where, tick);
  useEffect(() => setTold(numbers), [numbers]);
  if (!pair || !numbers || !dividing.value) return null;
  const name = (of: string[]) => segmentOf([dividing.value!], of)?.label ?? OTHERS;
  const [one, other] = [name(pair.one), name(pair.other)];
  const rows = [...numbers.aspects].sort((a, b) => Number(b.verdict === "more than chance") - Number(a.verdict === "more than chance") || Math.abs(b.difference) - Math.abs(a.difference));
  const most = Math.max(0.01, ...[...numbers.one.aspects, ...numbers.other.aspects].map(({ high }) => high));
  return (
    <section class="card chart comparison" aria-label="Side by side">
      <h2>Side by side</h2>
      <div class="segment-pair">
        <Choice label="Compare" value={pair.one} not={pair.other} onChange={(chosen) => choose({ by: dividing.value!.name, one: chosen, other: pair.other })} />
        <Choice label="with" value={pair.other} not={pair.one} rest={complement(pair.one)} onChange={(chosen) => choose({ by: dividing.value!.name, one: pair.one, other: chosen })} />
      </div>
      <p class="verdict" role="status">{summary(numbers, one, other)}</p>
      <ul class="differences">
        {rows.map((row) => (
          <Difference key={row.id} row={row} numbers={numbers} names={[one, other]} most={most} />
        ))}
      </ul>
      <p class="soft">
        Share of the reviews that mention the aspect; the thin line is the range that holds the true share in 95 of 100 cases. Click a bar to read the sentences.
        {rows.some(({ complaints }) => complaints) && ` Below it (${SIGNS.negative}), how many of these complain of it.`}
        {numbers.compared > 1 && ` With ${numbers.compared} aspects compared at once, one may look different by luck, so “more than chance” asks for a clearer difference than it would for one alone: it is wrong about any of them in at most 5 of 100 such comparisons.`}
      </p>
    </section>
  );
}

interface ChoiceProps {
  label: string;
  value: string[];
  not: string[];
  rest?: string[] | null;
  onChange: (where: string[]) => void;
}

function Choice({ label, value, not, rest, onChange }: ChoiceProps) {
  const { segments } = dividing.value!;
  return (
    <label>
      {label}
      <select value={String(segments.findIndex((segment) => sameConditions(segment.where, value)))} onChange={(event) => onChange(segments[Number(event.currentTarget.value)]?.where ?? rest ?? [])}>
        {segments.map((segment, i) => <option key={segment.label} value={String(i)} disabled={sameConditions(segment.where, not)}>{segment.label} ({count(segment.reviews)})</option>)}
        {rest && <option value="-1">{OTHERS}</option>}
      </select>
    </label>
  );
}

interface RowProps {
  row: AspectDifference;
  numbers: Numbers;
  names: [string, string];
  most: number;
}

function Difference({ row, numbers, names, most }: RowProps) {
  const aspect = aspectById.value.get(row.id);
  if (!aspect) return null;
  const at = (n: 0 | 1) => {
    const of = n ? numbers.other : numbers.one;
    return { of, own: of.aspects.find(({ id }) => id === row.id)! };
  };
  const complaints = (n: 0 | 1) => {
    const { of, own } = at(n);
    const words = `${names[n]}: ${count(own.negative ?? 0)} of the ${counted(own.reviews, "review")} that mention ${aspect.name} complain`;
    return (
      <button type="button" class="quiet" title={words} aria-label={`${words}. Show the sentences`} onClick={() => show({ aspect: row.id, where: of.where, sentiment: "negative" })}>
        {SIGNS.negative} {names[n]} {percent((own.negative ?? 0) / own.reviews)}
      </button>
    );
  };
  const side = (n: 0 | 1) => {
    const { of, own } = at(n);
    return <Bar key={n} share={own} total={of.reviews} name={names[n]} most={most} open={() => show({ aspect: row.id, where: of.where })} />;
  };
  const clear = row.verdict === "more than chance";
  return (
    <li class={clear ? "clear" : ""} style={coloured(aspect)}>
      <div class="difference-head">
        <b>{aspect.name}</b>
        <Verdict of={row} />
      </div>
      {side(0)}
      {side(1)}
      {row.complaints && row.complaints.verdict !== "no reviews" && (
        <div class={`difference-head complained ${row.complaints.verdict === "more than chance" ? "clear" : ""}`}>
          {complaints(0)}
          {complaints(1)}
          <Verdict of={row.complaints} />
        </div>
      )}
    </li>
  );
}

const Verdict = ({ of }: { of: ShareDifference }) => (
  <>
    <span class="difference">{sign(of)} <small>{range(of)}</small></span>
    <span class="said">{of.verdict === "more than chance" ? "✓ more than chance" : of.verdict === "no reviews" ? "no reviews to compare" : of.clear_alone ? "could be chance, with so many compared" : "could be chance"}</span>
  </>
);

function Bar({ share, total, name, most, open }: { share: AspectShare; total: number; name: string; most: number; open: () => void }) {
  const words = `${name}: ${count(share.reviews)} of ${counted(total, "review")}, ${percent(share.share)}; between ${percent(share.low)} and ${percent(share.high)}`;
  return (
    <button type="button" class="bar" title={words} aria-label={`${words}. Show the sentences`} onClick={open}>
      <span class="name">{name}</span>
      <span class="track">
        <i style={{ "--p": `${(100 * share.share) / most}%` }} />
        <span class="interval" style={{ "--from": `${(100 * share.low) / most}%`, "--to": `${(100 * share.high) / most}%` }} />
      </span>
      <span class="count">{percent(share.share)} <small>{count(share.reviews)}</small></span>
    </button>
  );
}

const points = (share: number) => Math.abs(100 * share).toFixed(Math.abs(share) < 0.0995 ? 1 : 0);
const signed = (share: number) => `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(0)}`;
const sign = ({ difference }: ShareDifference) => (Math.abs(difference) < 0.0005 ? "= the same" : difference > 0 ? `▲ ${points(difference)} points more` : `▼ ${points(difference)} points less`);
const range = ({ low, high }: ShareDifference) => `(${signed(low)} to ${signed(high)})`;

/** What is more than chance, in a sentence. */
function summary(numbers: Numbers, one: string, other: string): string {
  if (!numbers.one.reviews || !numbers.other.reviews) return "One of the two has no reviews.";
  const names = (part: (row: AspectDifference) => ShareDifference | null, sign: 1 | -1) =>
    numbers.aspects.filter((row) => part(row)?.verdict === "more than chance" && Math.sign(part(row)!.difference) === sign).map(({ id }) => aspectById.value.get(id)?.name ?? "?").join(", ");
  const said = (part: (row: AspectDifference) => ShareDifference | null, what: string) =>
    ([[1, one], [-1, other]] as const).map(([sign, where]) => [names(part, sign), where] as const).filter(([own]) => own).map(([own, where]) => `${own} ${what} in ${where}`);
  const parts = [...said((row) => row, "more often"), ...said((row) => row.complaints, "with more complaints")];
  return parts.length ? `More than chance: ${parts.join("; ")}.` : `${one} and ${other}: no difference that is more than chance.`;
}
