"""What the reviews of a project think of each aspect: counted, over time, against a rating, and typical sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from fewaspect.data.polarity import ANSWERS
from fewaspect.reviews.pages.report_page import WORDS, different
from fewaspect.studio.engine.insights.conditions import matching
from fewaspect.studio.engine.insights.periods import split_into_periods
from fewaspect.studio.engine.insights.review_columns import Column
from fewaspect.studio.engine.sentiment.sentence_sentiment import SentimentPairs, sentiment_pairs
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.text.scripts import count_words

NEGATIVE, POSITIVE = ANSWERS.index("negative"), ANSWERS.index("positive")
RATINGS = ("rating", "stars", "star rating", "overall", "score", "overall rating", "review rating", "grade")
RATING_WORDS = ("rating", "ratings", "stars", "star", "score", "sterne", "bewertung", "note", "grade")
_WORD = re.compile(r"[^\W\d_]+")
NEARLY_ALL = 0.9
TYPICAL, KEPT = 3, 30  # sentences of each polarity, and candidates of which different ones are chosen


def sentiment_counts(snapshot: Snapshot, unit: str | None = None, where: Sequence[str] = ()) -> dict[str, Any]:
    """By the scores and readings so far; without aspects or where sentiment is off, nothing is counted."""
    found: dict[str, Any] = {
        "revision": snapshot.revision, "scored": snapshot.sentiment_scored, "on": snapshot.sentiment is not None,
        "aspects": [], "unit": unit or "month", "periods": [], "rating": None,
    }  # fmt: skip
    if snapshot.sentiment is None:
        return found
    sentences, decided = snapshot.sentences, snapshot.decided()
    within = matching(sentences.columns, where) if where else np.ones(len(sentences.review_rows), dtype=bool)
    rows = np.flatnonzero(within[sentences.review_of]) if len(within) else np.zeros(0, dtype=np.int64)
    sentiments = sentiment_pairs(snapshot, rows, decided[rows])
    column = rating_column(sentences.columns.columns)
    found["aspects"] = [_aspect(snapshot, sentiments, n, column) for n in range(len(snapshot.aspect_ids))]
    found["unit"], found["periods"] = _periods(snapshot, sentiments, rows, unit)
    if column is not None and column.numbers is not None:
        own = column.numbers[within]
        found["rating"] = {"column": column.name, "mean": _mean(own), "reviews": int(np.isfinite(own).sum())}
    return found


def rating_column(columns: Sequence[Column]) -> Column | None:
    """The numbers that the reviewers gave: by a name that says so alone ("Rating (1-5)"), else by one with such a word
    ("reviews.rating", "Note Zimmer") where nearly all of them are from 1 to 10."""
    found = {}
    for column in reversed([column for column in columns if column.kind == "number"]):
        words = _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column.name.strip()).casefold())
        names = RATINGS if " ".join(words) in RATINGS else RATING_WORDS if _from_1_to_10(column) else ()
        order = [names.index(word) for word in (" ".join(words), *words) if word in names]
        if order:
            found[names is RATING_WORDS, min(order)] = column
    return found[min(found)] if found else None


def _from_1_to_10(column: Column) -> bool:
    assert column.numbers is not None
    own = column.numbers[np.isfinite(column.numbers)]
    return bool(len(own)) and float(((own >= 1) & (own <= 10)).mean()) >= NEARLY_ALL


def _aspect(snapshot: Snapshot, sentiments: SentimentPairs, n: int, column: Column | None) -> dict[str, Any]:
    own = sentiments.aspects == n
    counts = np.bincount(sentiments.answers[own], minlength=len(ANSWERS))
    return {
        "id": snapshot.aspect_ids[n], **dict(zip(ANSWERS, counts.tolist(), strict=True)),
        "typical": {word: _typical(snapshot, sentiments, own, word) for word in ("negative", "positive")},
        "ratings": {} if column is None else _ratings(snapshot, sentiments, own, column),
    }  # fmt: skip


def _typical(snapshot: Snapshot, sentiments: SentimentPairs, own: np.ndarray, word: str) -> list[dict[str, Any]]:
    """Those of which both the aspect and its polarity are surest, a person's word before all."""
    answer, texts = ANSWERS.index(word), snapshot.sentences.texts
    pairs = np.flatnonzero(own & (sentiments.answers == answer))
    sure = snapshot.scores.probabilities[sentiments.rows[pairs], sentiments.aspects[pairs]]
    sure = sure * sentiments.probabilities[pairs, answer]
    best = pairs[np.argsort(-(sure + sentiments.own[pairs]), kind="stable")]
    rows = [int(row) for row in sentiments.rows[best] if count_words(texts[row]) in WORDS][:KEPT]
    by_text = {texts[row]: int(snapshot.sentences.ids[row]) for row in reversed(rows)}
    return [{"id": by_text[text], "text": text} for text in different([texts[row] for row in rows], TYPICAL)]


def _ratings(snapshot: Snapshot, sentiments: SentimentPairs, own: np.ndarray, column: Column) -> dict[str, Any]:
    """Of the reviews that are negative, or positive, about the aspect and not both."""
    assert column.numbers is not None
    reviews = snapshot.sentences.review_of
    negative, positive = (
        set(reviews[sentiments.rows[own & (sentiments.answers == answer)]].tolist()) for answer in (NEGATIVE, POSITIVE)
    )
    found = {}
    for word, some in (("negative", negative - positive), ("positive", positive - negative)):
        numbers = column.numbers[sorted(some)]
        found[word] = {"mean": _mean(numbers), "reviews": int(np.isfinite(numbers).sum())}
    return found


def _periods(
    snapshot: Snapshot, sentiments: SentimentPairs, rows: np.ndarray, unit: str | None
) -> tuple[str, list[dict[str, Any]]]:
    """Sentences by period: of each aspect how many, and how many of them are negative and positive."""
    dates = snapshot.sentences.dates
    days = np.array([dates[row] or "NaT" for row in rows], dtype="datetime64[D]")
    numbers = np.where(np.isnat(days), np.nan, days.astype(np.int64).astype(float))
    used, periods, own = split_into_periods(numbers, unit)
    of_pair = np.full(len(dates), -1)
    of_pair[rows] = own
    size, width = len(snapshot.aspect_ids), len(ANSWERS)
    counts = np.zeros((len(periods), size, width), dtype=np.int64)
    there = of_pair[sentiments.rows] >= 0
    np.add.at(counts, (of_pair[sentiments.rows][there], sentiments.aspects[there], sentiments.answers[there]), 1)
    return used, [
        {"label": period.label, "period": period.days,
         "counts": {str(number): counts[p, n].tolist() for n, number in enumerate(snapshot.aspect_ids)}}
        for p, period in enumerate(periods)
    ]  # fmt: skip


def _mean(numbers: np.ndarray) -> float | None:
    return round(float(np.nanmean(numbers)), 4) if np.isfinite(numbers).any() else None
