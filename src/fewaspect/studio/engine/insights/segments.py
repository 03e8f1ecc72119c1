"""Reviews by segment and by period: how many have each aspect, and where two segments differ by more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fewaspect.core.errors import DataError
from fewaspect.data.polarity import ANSWERS
from fewaspect.studio.engine.insights.conditions import condition, matching
from fewaspect.studio.engine.insights.periods import split_into_periods
from fewaspect.studio.engine.insights.proportions import LEVEL, beyond_chance, difference, p_values, wilson
from fewaspect.studio.engine.insights.review_columns import Column
from fewaspect.studio.engine.sentiment.sentence_sentiment import sentiment_pairs
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.studio.problems import NotFoundError

MOST = 12  # segments of a column; the rest is one more
RANGES = 4  # segments of a number with many values


@dataclass(frozen=True)
class Segment:
    """Reviews for which all the conditions hold."""

    label: str
    where: tuple[str, ...]


def column_list(snapshot: Snapshot) -> list[dict[str, Any]]:
    """The columns that can be filtered by, each with its segments and how many reviews are in them."""
    columns = snapshot.sentences.columns
    return [
        {"name": column.name, "kind": column.kind, "values": len(column.values), **_range(column),
         "segments": [
            {"label": s.label, "where": s.where, "reviews": int(matching(columns, s.where).sum())}
            for s in segments_of(column)
         ]}
        for column in columns.columns
    ]  # fmt: skip


def segments_of(column: Column) -> list[Segment]:
    """By value where there are few, else by range or by period; where values are left, one for all others."""
    if column.kind == "date":
        found = _by_period(column)
    elif column.kind == "number" and len(column.values) > MOST:
        found = _by_range(column)
    else:
        values = column.values[:MOST]
        if column.kind == "number":
            values = sorted(values, key=column.number_of)
        found = [Segment(value, (condition(column.name, "=", value),)) for value in values]
        if rest := len(column.values) - len(values):
            without = tuple(condition(column.name, "!=", value) for value in (*values, ""))
            found.append(Segment(f"others ({rest})", without))
    if (column.codes < 0).any():
        found.append(Segment("not given", (condition(column.name, "=", ""),)))
    return found


def dashboard_counts(snapshot: Snapshot, where: Sequence[str] = ()) -> dict[str, Any]:
    """Sentences and reviews with each aspect, and sentences with two of them, by the scores so far."""
    sentences, decided, ids = snapshot.sentences, snapshot.decided(), snapshot.aspect_ids
    within = matching(sentences.columns, where) if where else np.ones(len(sentences.review_rows), dtype=bool)
    counts = decided[within[sentences.review_of]].astype(np.int64)
    both = counts.T @ counts  # (N, N)
    has = _review_aspects(snapshot)
    reviews, groups = _counts(snapshot, has, within), [aspect.group for aspect in snapshot.definition.aspects]
    return {
        **_state(snapshot), "sentences": len(counts), "none": int((~counts.any(axis=1)).sum()),
        "reviews": reviews["reviews"], "reviews_none": reviews["none"],
        "aspects": [
            {"id": own["id"], "count": int(both[n, n]), "reviews": own["reviews"]}
            for n, own in enumerate(reviews["aspects"])
        ],
        "together": [[ids[i], ids[j], int(both[i, j])] for i, j in np.argwhere(np.triu(both, 1))],
        "groups": [
            {"group": group, "count": _any_of(counts, own), "reviews": _any_of(has[within], own)}
            for group in dict.fromkeys(filter(None, groups)) for own in [np.equal(groups, group)]
        ],
        "over_time": _by_month(snapshot, within[sentences.review_of]),
    }  # fmt: skip


def _by_month(snapshot: Snapshot, within: np.ndarray) -> list[dict[str, Any]]:
    """Sentences with each aspect, of those that are `within` and have a date, by its month."""
    months = np.array([(day or "")[:7] for day in snapshot.sentences.dates], dtype="U7")
    decided, ids = snapshot.decided(), [str(number) for number in snapshot.aspect_ids]
    found = []
    for month in np.unique(months[within & (months != "")]):
        own = within & (months == month)
        counts = decided[own].sum(axis=0).tolist()
        found.append({"period": str(month), "total": int(own.sum()), "counts": dict(zip(ids, counts, strict=True))})
    return found


def _any_of(has: np.ndarray, own: np.ndarray) -> int:
    """How many rows of (R, N) have any of the aspects (N,)."""
    return int(has[:, own].any(axis=1).sum())


def segment_counts(snapshot: Snapshot, column: str, where: Sequence[str] = ()) -> dict[str, Any]:
    """Reviews of each segment of a column, and with each aspect."""
    columns, has = snapshot.sentences.columns, _review_aspects(snapshot)
    if (own := columns.by_name.get(column)) is None:
        raise NotFoundError(f'expected a column of the reviews, found none called "{column}".')
    within, negative = matching(columns, where), _review_complaints(snapshot)
    segments = [(segment, within & matching(columns, segment.where)) for segment in segments_of(own)]
    return {
        **_state(snapshot), "told": snapshot.sentiment_scored, "column": column,
        "segments": [
            {"label": s.label, "where": [*where, *s.where], **_counts(snapshot, has, rows, negative)}
            for s, rows in segments
        ],
    }  # fmt: skip


def period_counts(snapshot: Snapshot, unit: str | None, where: Sequence[str] = ()) -> dict[str, Any]:
    """Reviews of each day, week, month, quarter or year, and with each aspect."""
    sentences, has = snapshot.sentences, _review_aspects(snapshot)
    days = np.array([sentences.dates[row] or "NaT" for row in sentences.review_rows], dtype="datetime64[D]")
    days = np.where(np.isnat(days) | ~matching(sentences.columns, where), np.nan, days.astype(np.int64).astype(float))
    unit, periods, own = split_into_periods(days, unit)
    negative = _review_complaints(snapshot)
    return {
        **_state(snapshot), "told": snapshot.sentiment_scored, "unit": unit, "where": list(where),
        "periods": [
            {"label": period.label, "period": period.days, **_counts(snapshot, has, own == n, negative)}
            for n, period in enumerate(periods)
        ],
    }  # fmt: skip


def compare_segments(
    snapshot: Snapshot, one: Sequence[str], other: Sequence[str] = (), where: Sequence[str] = ()
) -> dict[str, Any]:
    """Of two segments each aspect's share of the reviews, the share of complaints among these, and whether they differ.

    Without the other, the one is compared with all other reviews.
    """
    columns, has = snapshot.sentences.columns, _review_aspects(snapshot)
    within = matching(columns, where)
    first = within & matching(columns, one)
    second = within & (matching(columns, other) if other else ~first)
    if (both := int((first & second).sum())) > 0:
        raise DataError(f"expected two segments without a review in common, found {both:,} in both.")
    negative = _review_complaints(snapshot)
    found, others = has[first].sum(axis=0), has[second].sum(axis=0)
    mentions = _differences(found, np.full(len(found), first.sum()), others, np.full(len(found), second.sum()))
    complaints: Sequence[dict[str, Any] | None] = [None] * len(mentions)
    if negative is not None:
        complaints = _differences(negative[first].sum(axis=0), found, negative[second].sum(axis=0), others)
    sides = [_counts(snapshot, has, rows, negative) for rows in (first, second)]
    return {
        **_state(snapshot), "told": snapshot.sentiment_scored, "compared": len(mentions),
        "one": {"where": [*where, *one], **sides[0]}, "other": {"where": [*where, *other], **sides[1]},
        "aspects": [
            {"id": number, **mentions[n], "complaints": complaints[n]} for n, number in enumerate(snapshot.aspect_ids)
        ],
    }  # fmt: skip


def _differences(found: np.ndarray, total: np.ndarray, others: np.ndarray, of: np.ndarray) -> list[dict[str, Any]]:
    """Of each aspect (N,) found / total - others / of, and whether it is more than chance among those compared."""
    low, high = difference(found, total, others, of)
    p, there = p_values(found, total, others, of), (total > 0) & (of > 0)
    clear = np.zeros(len(p), dtype=bool)
    clear[there] = beyond_chance(p[there])
    shares = found / np.maximum(total, 1) - others / np.maximum(of, 1)
    return [
        {"difference": float(shares[n]), "low": float(low[n]), "high": float(high[n]),
         "verdict": ("more than chance" if clear[n] else "could be chance") if there[n] else "no reviews",
         "clear_alone": bool(there[n] and p[n] <= LEVEL)}
        for n in range(len(p))
    ]  # fmt: skip


def _counts(
    snapshot: Snapshot, has: np.ndarray, rows: np.ndarray, negative: np.ndarray | None = None
) -> dict[str, Any]:
    """Of the reviews (R,): how many, how many with each aspect, the intervals of their shares; and with none."""
    own, total = has[rows], int(rows.sum())
    complaints = None if negative is None else negative[rows].sum(axis=0)
    found = own.sum(axis=0)
    low, high = wilson(found, total)
    sentences = int(rows[snapshot.sentences.review_of].sum()) if len(rows) else 0
    return {
        "reviews": total, "sentences": sentences, "none": int((~own.any(axis=1)).sum()),
        "aspects": [
            {"id": number, "reviews": int(found[n]), "share": float(found[n]) / total if total else 0.0,
             "low": float(low[n]), "high": float(high[n]),
             "negative": None if complaints is None else int(complaints[n])}
            for n, number in enumerate(snapshot.aspect_ids)
        ],
    }  # fmt: skip


def _review_complaints(snapshot: Snapshot) -> np.ndarray | None:
    """(R, N) booleans: whether any sentence of the review is negative about the aspect; None until all are read."""
    if snapshot.sentiment is None or snapshot.must_tell:
        return None
    sentences = snapshot.sentences
    sentiments = sentiment_pairs(snapshot, np.arange(len(sentences.ids)), snapshot.decided())
    found = np.zeros((len(sentences.review_rows), len(snapshot.aspect_ids)), dtype=bool)
    complaints = sentiments.answers == ANSWERS.index("negative")
    found[sentences.review_of[sentiments.rows[complaints]], sentiments.aspects[complaints]] = True
    return found


def _review_aspects(snapshot: Snapshot) -> np.ndarray:
    """(R, N) booleans: whether any sentence of the review has the aspect, by the scores so far."""
    decided, own = snapshot.decided(), snapshot.sentences.review_of
    size = len(snapshot.sentences.review_rows)
    counts = [np.bincount(own, weights=column, minlength=size) for column in decided.T]
    return np.array(counts).reshape(len(counts), size).T > 0


def _state(snapshot: Snapshot) -> dict[str, Any]:
    return {"revision": snapshot.revision, "scored": snapshot.scored}


def _by_period(column: Column) -> list[Segment]:
    assert column.numbers is not None
    for unit in ("month", "quarter", "year"):
        _, periods, own = split_into_periods(column.numbers, unit)
        if len(periods) <= MOST:
            break
    counted = np.bincount(own[own >= 0], minlength=len(periods))
    there = [period for period, count in zip(periods, counted, strict=True) if count]
    earlier, kept = there[:-MOST], there[-MOST:]
    before = [Segment(f"until {end.label}", (condition(column.name, "<=", end.last),)) for end in earlier[-1:]]
    return before + [
        Segment(one.label, (condition(column.name, ">=", one.first), condition(column.name, "<=", one.last)))
        for one in kept
    ]


def _by_range(column: Column) -> list[Segment]:
    """Of about equally many reviews; the ends are values that occur."""
    assert column.numbers is not None
    numbers = np.sort(column.numbers[np.isfinite(column.numbers)])
    cuts = np.unique(np.quantile(numbers, np.linspace(0, 1, RANGES + 1)[1:-1], method="lower"))
    own = np.searchsorted(cuts, numbers, side="left")
    ends = [(numbers[own == n].min(), numbers[own == n].max()) for n in np.unique(own)]
    return [
        Segment(_plain(low) if low == high else f"{_plain(low)} to {_plain(high)}",
                (condition(column.name, ">=", _plain(low)), condition(column.name, "<=", _plain(high))))
        for low, high in ends
    ]  # fmt: skip


def _range(column: Column) -> dict[str, str | None]:
    """The least and the greatest, of a number or a date."""
    if column.numbers is None:
        return {"least": None, "greatest": None}
    ends = (np.nanmin(column.numbers), np.nanmax(column.numbers))
    if column.kind == "date":
        least, greatest = (str(np.datetime64(int(end), "D")) for end in ends)
    else:
        least, greatest = map(_plain, ends)
    return {"least": least, "greatest": greatest}


def _plain(number: float) -> str:
    """As people write it: 4, not 4.0; never with an exponent."""
    return np.format_float_positional(number, trim="-")
