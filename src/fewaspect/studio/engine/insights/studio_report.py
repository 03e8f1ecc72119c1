"""The report of a project: the page of `fewaspect report` with a person's title, notes, aspects and segments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fewaspect.detector.explain import Analysis, SentenceResult, best_first
from fewaspect.reviews.pages.opinions import Opinions
from fewaspect.reviews.pages.report_page import Candidates, Extras, render_report
from fewaspect.reviews.pipeline import Summary
from fewaspect.studio.engine.insights.conditions import in_words, matching
from fewaspect.studio.engine.insights.segments import compare_segments, period_counts, segment_counts, segments_of
from fewaspect.studio.engine.sentiment.sentence_sentiment import answers_by_row, of_review
from fewaspect.studio.engine.snapshot import Snapshot

CHARTS = ("often", "opinions", "segments", "comparison", "periods", "together", "words", "without")

_ANGLES = (0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11)  # of twelve, those of the first colours far apart


@dataclass(frozen=True)
class ReportChoices:
    """What the page shows; `aspects`: ids, all if empty."""

    title: str
    notes: str = ""
    aspects: Sequence[int] = ()
    charts: Sequence[str] = CHARTS
    where: Sequence[str] = ()
    by: str | None = None
    one: Sequence[str] = ()
    other: Sequence[str] = ()
    unit: str | None = None
    sentences: int = 4


def studio_report(snapshot: Snapshot, choices: ReportChoices) -> str:
    """The page as one file; the snapshot must be scored."""
    names = _names(snapshot, choices)
    analyses = list(_analyses(snapshot, choices.where, set(names.values())))
    summary, candidates = Summary(tuple(names.values())), Candidates()
    opinions = Opinions() if snapshot.sentiment is not None and "opinions" in choices.charts else None
    summary.add(analyses)
    candidates.add(analyses)
    if opinions is not None:
        opinions.add(analyses)
    reader = _ConfirmedReader(snapshot, set(names.values()))
    charts, where = _charts(snapshot, choices, names), tuple(in_words(choices.where))
    colours = {aspect.name: hue(aspect.colour) for aspect in snapshot.definition.aspects}
    extras = Extras(choices.notes.strip(), tuple(choices.charts), where, **charts, hues=colours)
    return render_report(reader, summary, candidates, choices.title, choices.sentences, opinions, extras)


def hue(colour: int) -> int:
    """The angle of an aspect's colour, as on the page."""
    tone, place = divmod(colour, len(_ANGLES))
    return (215 + 30 * _ANGLES[place] + 15 * tone) % 360


@dataclass(frozen=True)
class _ConfirmedReader:
    """Reads sentences as the project has them: a person's aspects before those that were found."""

    snapshot: Snapshot
    names: set[str]

    def analyze_many(self, texts: Sequence[str], words: bool = True, nearest: bool | None = None,
                     sentiment: bool = False) -> list[Analysis]:  # fmt: skip
        detector, rows = self.snapshot.detector, self.snapshot.sentences.rows_by_text
        if detector is None:
            return []
        decided, own = self.snapshot.decided(), [aspect.name for aspect in self.snapshot.definition.aspects]
        found = []
        for text, one in zip(texts, detector.analyze_many(texts, words=words, nearest=False), strict=True):
            row = rows[text]
            best = best_first(self.snapshot.scores.probabilities[row], decided[row])
            aspects = tuple(own[n] for n in best if own[n] in self.names)
            parts = tuple(replace(part, aspects=aspects) for part in one.sentences)
            found.append(replace(one, aspects=aspects, sentences=parts))
        return found


def _names(snapshot: Snapshot, choices: ReportChoices) -> dict[int, str]:
    chosen = set(choices.aspects) or {aspect.id for aspect in snapshot.definition.aspects}
    return {aspect.id: aspect.name for aspect in snapshot.definition.aspects if aspect.id in chosen}


def _analyses(snapshot: Snapshot, where: Sequence[str], chosen: set[str]) -> Iterator[Analysis]:
    """Each review, by the decisions and readings of its sentences."""
    sentences, decided, scores = snapshot.sentences, snapshot.decided(), snapshot.scores.probabilities
    names = [aspect.name for aspect in snapshot.definition.aspects]
    told = answers_by_row(snapshot)
    within = matching(sentences.columns, where)
    rows_of: list[list[int]] = [[] for _ in within]
    for row, review in enumerate(sentences.review_of):
        rows_of[review].append(row)
    for rows in (own for own, wanted in zip(rows_of, within, strict=True) if wanted):
        parts = []
        for row in rows:
            found = tuple(names[n] for n in best_first(scores[row], decided[row]) if names[n] in chosen)
            opinion = None if told is None else {n: s for n, s in told.get(row, {}).items() if n in chosen}
            p = dict(zip(names, scores[row].tolist(), strict=True))
            text = sentences.texts[row]
            parts.append(SentenceResult(0, len(text), text, found, p, "", sentiment=opinion))
        aspects = tuple(dict.fromkeys(name for part in parts for name in part.aspects))
        highest = {name: max(part.probabilities[name] for part in parts) for name in names}
        opinions = None
        if told is not None:
            opinions = of_review(snapshot, ((part.sentiment or {}, part.probabilities) for part in parts))
        yield Analysis("", aspects, highest, "", (), {}, tuple(parts), sentiment=opinions)


def _charts(snapshot: Snapshot, choices: ReportChoices, names: Mapping[int, str]) -> dict[str, Any]:
    """Segments, comparison and periods with the names of the aspects, where they are chosen and there is something."""
    found: dict[str, Any] = {}
    if choices.by in snapshot.sentences.columns.by_name and "segments" in choices.charts:
        counts = segment_counts(snapshot, choices.by, choices.where)
        found["segments"] = {
            "column": choices.by, "names": list(names.values()), "segments": _shares(counts["segments"], names),
            "told": snapshot.sentiment is not None,
        }  # fmt: skip
    if choices.one and choices.other and "comparison" in choices.charts:
        found["comparison"] = _comparison(snapshot, choices, names)
    if "periods" in choices.charts:
        counts = period_counts(snapshot, choices.unit, choices.where)
        periods = _shares(counts["periods"], names)
        highest = max((one["share"] for period in periods for one in period["shares"].values()), default=0.0)
        found["periods"] = {"unit": counts["unit"], "periods": periods, "highest": max(highest, 0.01)}
    return {name: chart for name, chart in found.items() if name != "periods" or chart["periods"]}


def _comparison(snapshot: Snapshot, choices: ReportChoices, names: Mapping[int, str]) -> dict[str, Any]:
    """The clear differences first, then by their size."""
    found = compare_segments(snapshot, choices.one, choices.other, choices.where)
    one, other = (_named(found[side]["aspects"], names) for side in ("one", "other"))
    rows = [
        {**row, "name": name, "sides": [one[name], other[name]]}
        for row in found["aspects"]
        if (name := names.get(row["id"])) is not None
    ]
    rows.sort(key=lambda row: (row["verdict"] != "more than chance", -abs(row["difference"])))
    highest = max((side["high"] for row in rows for side in row["sides"]), default=0.0)
    return {
        "labels": [_label(snapshot, where) for where in (choices.one, choices.other)], "rows": rows,
        "reviews": [found[side]["reviews"] for side in ("one", "other")], "compared": found["compared"],
        "highest": max(highest, 0.01),
    }  # fmt: skip


def _shares(counts: Sequence[Mapping[str, Any]], names: Mapping[int, str]) -> list[dict[str, Any]]:
    return [
        {"label": one["label"], "reviews": one["reviews"], "shares": _named(one["aspects"], names)} for one in counts
    ]


def _named(shares: Sequence[Mapping[str, Any]], names: Mapping[int, str]) -> dict[str, Any]:
    return {names[share["id"]]: share for share in shares if share["id"] in names}


def _label(snapshot: Snapshot, conditions: Sequence[str]) -> str:
    """The name of a segment, else its conditions in words."""
    for column in snapshot.sentences.columns.columns:
        for segment in segments_of(column):
            if set(segment.where) == set(conditions):
                return f"{column.name}: {segment.label}"
    return ", ".join(in_words(conditions))
