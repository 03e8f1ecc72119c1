"""What the sentences of a snapshot think of their aspects: what was read, corrected by what a person has said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.data.polarity import ANSWERS, MIXED
from fewaspect.detector.sentiment.aspect_sentiment import AspectSentiment, joined_sentiment, sentiment_branch
from fewaspect.detector.sentiment.own_polarities import TARGETS as SAID
from fewaspect.detector.sentiment.sentiment_readings import read_pairs

if TYPE_CHECKING:
    from fewaspect.studio.engine.snapshot import Snapshot


@dataclass(frozen=True)
class SentimentPairs:
    """Pairs of a sentence and an aspect that it has, with what it thinks of it."""

    rows: np.ndarray  # (P,)
    aspects: np.ndarray  # (P,) columns
    probabilities: np.ndarray  # (P, 3)
    answers: np.ndarray  # (P,) indices of ANSWERS
    own: np.ndarray  # (P,) whether a person has said it


def read_sentiment(snapshot: Snapshot, rows: np.ndarray, wanted: np.ndarray | None = None) -> None:
    """What is not read yet of the rows (R,) about the aspects that they have, or those that are wanted (R, N)."""
    table, detector = snapshot.sentiment, snapshot.detector
    if table is None or detector is None or not len(rows):
        return
    texts = snapshot.sentences.texts

    def read(some: np.ndarray, asked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return read_pairs(detector.model_, detector.examples_, [texts[row] for row in some], asked)

    table.read(rows, snapshot.decided()[rows] if wanted is None else wanted, read)


def unread_rows(snapshot: Snapshot) -> np.ndarray:
    """(R,) rows with an aspect that nothing was read about."""
    if (table := snapshot.sentiment) is None:
        return np.zeros(0, dtype=np.int64)
    every = np.arange(len(table.sentence_ids))
    return np.flatnonzero(table.unread(every, snapshot.decided()).any(axis=1))


def sentiment_pairs(snapshot: Snapshot, rows: np.ndarray, wanted: np.ndarray) -> SentimentPairs:
    """Of the wanted pairs (R, N) of the rows (R,), by what was read so far."""
    table, detector = snapshot.sentiment, snapshot.detector
    assert table is not None
    assert detector is not None
    where, aspects = np.nonzero(wanted & ~table.unread(rows, wanted))
    pairs = rows[where]
    probabilities, vectors = table.readings(pairs, aspects)
    if len(pairs) and (correction := detector.polarity_correction_) is not None:
        probabilities = correction.corrected(aspects, vectors, probabilities)
    both = np.minimum(probabilities[:, 0], probabilities[:, 2]) >= sentiment_branch(detector.model_).mixed_least
    answers = np.where(both, ANSWERS.index(MIXED), probabilities.argmax(axis=1))
    said = snapshot.said_polarities
    own = np.array([(row, n) in said for row, n in zip(pairs.tolist(), aspects.tolist(), strict=True)], dtype=bool)
    for pair in np.flatnonzero(own):
        answers[pair] = said[int(pairs[pair]), int(aspects[pair])]
    return SentimentPairs(pairs, aspects, probabilities, answers, own)


def with_sentiment(snapshot: Snapshot, rows: Sequence[int], shown: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sentences as they are presented, with what they think of their aspects; as they are where sentiment is off."""
    if snapshot.sentiment is None or not shown:
        return shown
    ids, numbers = snapshot.aspect_ids, np.array(rows)
    wanted = np.array([[number in one["aspects"] for number in ids] for one in shown]).reshape(len(shown), len(ids))
    read_sentiment(snapshot, numbers, wanted)
    sentiments = sentiment_pairs(snapshot, numbers, wanted)
    found: dict[int, dict[str, Any]] = {row: {} for row in rows}
    for row, n, p, answer, own in zip(*vars(sentiments).values(), strict=True):
        negative, neutral, positive = (round(float(value), 4) for value in p)
        found[int(row)][str(ids[n])] = {
            "polarity": ANSWERS[answer], "negative": negative, "neutral": neutral, "positive": positive,
            "own": bool(own),
        }  # fmt: skip
    return [{**one, "sentiment": found[row]} for row, one in zip(rows, shown, strict=True)]


def answers_by_row(snapshot: Snapshot) -> dict[int, dict[str, AspectSentiment]] | None:
    """Of all sentences, by row and the name of the aspect, what a person has said as certain; None where
    sentiment is off."""
    if snapshot.sentiment is None:
        return None
    names = [aspect.name for aspect in snapshot.definition.aspects]
    sentiments = sentiment_pairs(snapshot, np.arange(len(snapshot.sentences.ids)), snapshot.decided())
    found: dict[int, dict[str, AspectSentiment]] = {}
    for row, n, p, answer, own in zip(*vars(sentiments).values(), strict=True):
        found.setdefault(int(row), {})[names[n]] = AspectSentiment(
            ANSWERS[answer], *map(float, SAID[answer] if own else p)
        )
    return found


def of_review(
    snapshot: Snapshot, sentences: Iterable[tuple[Mapping[str, AspectSentiment], Mapping[str, float]]]
) -> dict[str, AspectSentiment]:
    """What `answers_by_row` says of the sentences of a review and how probable their aspects are, as one."""
    assert snapshot.detector is not None
    return joined_sentiment(sentences, sentiment_branch(snapshot.detector.model_).mixed_least)


def having_polarity(snapshot: Snapshot, polarity: str, aspect: int | None, decided: np.ndarray) -> np.ndarray:
    """(S,) booleans: whether it is said so of the aspect, or of any; by what was read so far."""
    found = np.zeros(len(decided), dtype=bool)
    if snapshot.sentiment is None:
        return found
    wanted = decided if aspect is None else decided & np.equal(snapshot.aspect_ids, aspect)
    rows = np.flatnonzero(wanted.any(axis=1))
    sentiments = sentiment_pairs(snapshot, rows, wanted[rows])
    found[sentiments.rows[sentiments.answers == ANSWERS.index(polarity)]] = True
    return found
