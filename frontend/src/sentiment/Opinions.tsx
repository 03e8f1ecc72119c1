import { useEffect, useState } from "preact/hooks";
import type { AspectOpinion, Opinions as Counts } from "../api/types";
import { useCounts } from "../dashboard/useCounts";
import { coloured } from "../parts/colour";
import { rove } from "../parts/roving";
import { change } from "../state/corrections";
import { aspectById, project, studio } from "../state/project";
import { charts, show } from "../state/view";
import { counted, percent } from "../text/numbers";
import { POLARITIES, SIGNS } from "./polarity";

const AGAIN = 2000; // milliseconds, while more is being told

/** What the reviews think of each aspect: in all, over time, against a rating, and typical sentences. */
export function Opinions() {
  const { unit, where } = charts.value;
  const [tick, setTick] = useState(0);
  const counts = useCounts(() => studio().opinions(unit, where), unit, where, tick);
  const waiting = !!counts?.on && counts.scored < 1;
  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => setTick((n) => n + 1), AGAIN);
    return () => clearTimeout(timer);
  }, [waiting, tick, counts]);
  if (!counts || !project.value!.aspects.length) return null;
  const turn = (on: boolean) => void change(() => studio().change({ sentiment: on }));
  const rows = counts.aspects.filter((row) => total(row)).sort((a, b) => total(b) - total(a));
  return (
    <section class="card chart opinions" aria-label="What they think of it">
      <div class="panel-head">
        <h2>What they think of it</h2>
        {counts.on && <button type="button" class="quiet" onClick={() => turn(false)}>Switch off</button>}
      </div>
      {counts.on ? (
        <>
          <p class="soft">
            Sentences that are negative ({SIGNS.negative}), mixed ({SIGNS.mixed}), neutral ({SIGNS.neutral}) and positive ({SIGNS.positive}) about each aspect. Click one to read them. Single answers can be wrong: correct them by the sign beside an aspect, and the detector learns from it.
          </p>
          {waiting && <p class="soft" role="status">Still reading …</p>}
          {rows.map((row) => <Opinion key={row.id} row={row} counts={counts} />)}
          {!rows.length && !waiting && <p class="soft">No sentence has one of your aspects yet.</p>}
        </>
      ) : (
        <>
          <p class="soft">Shows for each aspect whether the sentences praise or complain. In this project it is switched off. It is worked out in the background.</p>
          <button type="button" onClick={() => turn(true)}>Tell what they think</button>
        </>
      )}
    </section>
  );
}

function Opinion({ row, counts }: { row: AspectOpinion; counts: Counts }) {
  const aspect = aspectById.value.get(row.id);
  if (!aspect) return null;
  const all = total(row);
  const read = (sentiment: (typeof POLARITIES)[number]) => show({ aspect: row.id, sentiment, where: charts.value.where });
  return (
    <article style={coloured(aspect)}>
      <h3>{aspect.name} <small>{counted(all, "sentence")}</small></h3>
      <div class="shares" aria-hidden="true">
        {POLARITIES.map((one) => row[one] > 0 && <i key={one} class={one} style={{ "--p": `${(100 * row[one]) / all}%` }} />)}
      </div>
      <ul class="signs">
        {POLARITIES.map((one) => (
          <li key={one}>
            <button type="button" class="quiet" disabled={!row[one]} onClick={() => read(one)} title={`Read what is ${one} about ${aspect.name}`}>
              <b class={`sign ${one}`} aria-hidden="true">{SIGNS[one]}</b> {row[one]} {one} <small>{percent(row[one] / all)}</small>
            </button>
          </li>
        ))}
      </ul>
      <Ratings row={row} counts={counts} />
      <Negatives row={row} counts={counts} name={aspect.name} />
      <Typical row={row} />
    </article>
  );
}

/** How the reviews that complain, and those that praise, rate. */
function Ratings({ row, counts: { rating } }: { row: AspectOpinion; counts: Counts }) {
  const [bad, good] = [row.ratings.negative, row.ratings.positive];
  if (!rating || !bad || !good) return null;
  const words = (own: typeof bad, verb: string) => (own.mean === null ? null : <li key={verb}><b>{own.mean.toFixed(1)}</b> where reviews {verb} <small>({own.reviews})</small></li>);
  return (
    <ul class="ratings" aria-label={`Mean of ${rating.column}`}>
      <li class="soft">Mean of “{rating.column}”:</li>
      {words(bad, "complain about it")}
      {words(good, "praise it")}
      {rating.mean !== null && <li><b>{rating.mean.toFixed(1)}</b> of all <small>({rating.reviews})</small></li>}
    </ul>
  );
}

/** The share of negative sentences in each period, of those about the aspect. */
function Negatives({ row, counts: { periods }, name }: { row: AspectOpinion; counts: Counts; name: string }) {
  const own = periods.map(({ label, period, counts: by }) => {
    const [negative = 0, neutral = 0, positive = 0, mixed = 0] = by[row.id] ?? [];
    return { label, period, negative, all: negative + neutral + positive + mixed };
  });
  if (own.filter((one) => one.all).length < 2) return null;
  return (
    <figure class="over-time">
      <figcaption class="soft">Share of negative sentences over time</figcaption>
      <div class="columns" onKeyDown={rove}>
        {own.map(({ label, period, negative, all }, i) => {
          const words = `${label}: ${negative} of ${counted(all, "sentence")} negative about ${name}`;
          return (
            <button key={period} type="button" tabIndex={i ? -1 : 0} aria-label={words} title={words} onClick={() => show({ aspect: row.id, sentiment: "negative", period, where: charts.value.where })}>
              <i style={{ "--p": `${all ? (100 * negative) / all : 0}%` }} />
            </button>
          );
        })}
      </div>
      <div class="axis" aria-hidden="true">
        <span>{own[0]?.label}</span>
        <span>{own.at(-1)?.label}</span>
      </div>
    </figure>
  );
}

const Typical = ({ row }: { row: AspectOpinion }) => (
  <ul class="typical">
    {(["negative", "positive"] as const).flatMap((one) =>
      row.typical[one].map(({ id, text }) => (
        <li key={`${one} ${id}`}>
          <b class={`sign ${one}`} title={one} aria-hidden="true">{SIGNS[one]}</b> <span class="unseen">{one}: </span><span dir="auto">{text}</span>
        </li>
      )),
    )}
  </ul>
);

const total = (row: AspectOpinion) => POLARITIES.reduce((sum, one) => sum + row[one], 0);
