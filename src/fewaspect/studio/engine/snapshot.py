"""A project at one revision: definition, detector, imported sentences, their scores and how they are shown."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.data.polarity import ANSWERS
from fewaspect.detector.explain import decide, reason
from fewaspect.detector.fitting import MIN_PILE
from fewaspect.detector.labelling.suggest import uncertainty
from fewaspect.detector.sentiment.aspect_sentiment import label_of
from fewaspect.studio.engine.insights.review_columns import ReviewColumns
from fewaspect.studio.engine.learning import SentencePile
from fewaspect.studio.engine.promises import HeldPromise
from fewaspect.studio.engine.score_table import ScoreTable
from fewaspect.studio.engine.sentiment.sentiment_table import SentimentTable
from fewaspect.studio.engine.similar import SentenceVectors
from fewaspect.studio.problems import NotFoundError
from fewaspect.studio.store.definition import Definition, Example
from fewaspect.text.identity import text_identity
from fewaspect.text.language import language_of

if TYPE_CHECKING:
    from fewaspect.detector.detector import AspectDetector
    from fewaspect.detector.labelling.growth import Growth
    from fewaspect.detector.labelling.label_issues import LabelIssue

CAPACITY = 5_000  # sentences that the cache holds
LANGUAGE_SAMPLE = 1_000  # reviews
RENEWED = 400  # sentences, shown last, that are presented anew before anyone asks for them


class ShownCache:
    """Sentences of one snapshot as they were presented, by row; each is presented once."""

    def __init__(self) -> None:
        self._shown: dict[int, dict[str, Any]] = {}
        self._presenting = threading.Lock()  # one thread presents at a time; the next finds its sentences done

    def __len__(self) -> int:
        return len(self._shown)

    def get(
        self, rows: Sequence[int], present: Callable[[Sequence[int]], Sequence[dict[str, Any]]]
    ) -> list[dict[str, Any]]:
        """The sentences of the rows; `present` gives those that are not here. A full cache is emptied."""
        with self._presenting:
            new = [row for row in rows if row not in self._shown]
            if len(self._shown) + len(new) > CAPACITY:
                self._shown.clear()
                new = list(rows)
            if new:
                self._shown.update(zip(new, present(new), strict=True))
            return [self._shown[row] for row in rows]

    def to_renew(self, newer: ShownCache) -> list[int]:
        """Rows shown last that the cache of a newer snapshot lacks."""
        return [row for row in list(self._shown)[-RENEWED:] if row not in newer._shown]


@dataclass(frozen=True, eq=False)
class ImportedSentences:
    """The sentences of a project in the order of the file."""

    version: int  # grows with every import
    ids: np.ndarray  # (S,) ascending
    review_ids: np.ndarray  # (S,)
    positions: np.ndarray  # (S,) in the review
    starts: np.ndarray  # (S,) characters before it in the review
    texts: list[str]
    dates: list[str | None]
    read_fields: Callable[[], Mapping[int, Mapping[str, Any]]] = dict  # of the reviews, by id

    @classmethod
    def of(
        cls, rows: Sequence[Any], version: int, read_fields: Callable[[], Mapping[int, Mapping[str, Any]]] = dict
    ) -> ImportedSentences:
        numbers = np.array([row[:4] for row in rows], dtype=np.int64).reshape(-1, 4)
        ids, review_ids, positions, starts = numbers.T
        texts, dates = [row.text for row in rows], [row.date for row in rows]
        return cls(version, ids, review_ids, positions, starts, texts, dates, read_fields)

    @cached_property
    def columns(self) -> ReviewColumns:
        """Of the reviews (R,), read when they are first asked for."""
        return ReviewColumns.of(np.unique(self.review_ids), self.read_fields())

    @cached_property
    def review_rows(self) -> np.ndarray:
        """(R,) the first sentence of each review."""
        return np.unique(self.review_ids, return_index=True)[1]

    @cached_property
    def review_of(self) -> np.ndarray:
        """(S,) which of the reviews (R,) each sentence is of."""
        return np.unique(self.review_ids, return_inverse=True)[1]

    @cached_property
    def rows_by_identity(self) -> dict[str, list[int]]:
        """Which rows are the same sentence."""
        rows: dict[str, list[int]] = {}
        for row, text in enumerate(self.texts):
            rows.setdefault(text_identity(text), []).append(row)
        return rows

    @cached_property
    def rows_by_text(self) -> dict[str, int]:
        """The first row of each text."""
        return {text: row for row, text in reversed(list(enumerate(self.texts)))}

    @cached_property
    def languages(self) -> Counter[str]:
        """How many reviews are in each language, of a fair sample of them."""
        bounds = np.append(self.review_rows, len(self.texts))
        reviews = np.unique(np.linspace(0, len(bounds) - 2, LANGUAGE_SAMPLE).astype(int)) if len(self.texts) else ()
        return Counter(language_of(" ".join(self.texts[bounds[r] : bounds[r + 1]])) for r in reviews)

    @cached_property
    def pile(self) -> SentencePile:
        return SentencePile(self.texts)

    @cached_property
    def vectors(self) -> SentenceVectors:
        return SentenceVectors()

    @cached_property
    def casefolded(self) -> list[str]:
        return [text.casefold() for text in self.texts]

    def row_of(self, sentence: int) -> int:
        row = int(np.searchsorted(self.ids, sentence))
        if row == len(self.ids) or self.ids[row] != sentence:
            raise NotFoundError(f"expected a sentence of this project, found none with the id {sentence}.")
        return row


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Immutable but for the score table, the cache and the promise, which fill up. A change of the project makes
    another."""

    definition: Definition
    detector: AspectDetector | None  # None: no aspects
    sentences: ImportedSentences
    scores: ScoreTable
    learned_version: int | None = None  # of the sentences that the detector has learned from
    shown: ShownCache = field(default_factory=ShownCache)
    promise: HeldPromise = field(default_factory=HeldPromise)
    sentiment: SentimentTable | None = None  # None: it is off

    @classmethod
    def after(
        cls, before: Snapshot | None, definition: Definition, detector: AspectDetector | None,
        sentences: ImportedSentences,
    ) -> Snapshot:  # fmt: skip
        """With the scores of the snapshot before; a change of thresholds alone leaves them valid."""
        ids = [aspect.id for aspect in definition.aspects]
        table = _sentiment_table(before, definition, detector, sentences)
        if before is None:
            return cls(definition, detector, sentences, ScoreTable(sentences.ids, ids), sentiment=table)
        refitted = not before.definition.as_examples().same_aspects(definition.as_examples())
        scores = before.scores.successor(sentences.ids, ids, refitted=refitted)
        learned, promise = before.learned_version if before.detector else None, HeldPromise(before.promise.newest)
        return cls(definition, detector, sentences, scores, learned, promise=promise, sentiment=table)

    def after_learning(self, detector: AspectDetector) -> Snapshot:
        """The same with a detector that has learned from the sentences."""
        before = self.detector.pile_size_ if self.detector else 0
        changed = detector.pile_size_ > 0 or before > 0
        scores = self.scores.successor(self.sentences.ids, self.aspect_ids, refitted=changed)
        return replace(
            self, detector=detector, scores=scores, learned_version=self.sentences.version, shown=ShownCache(),
            promise=HeldPromise(self.promise.newest),
        )  # fmt: skip

    @property
    def must_learn(self) -> bool:
        """Whether the detector has not learned from these sentences; from few of them there is nothing to learn."""
        if self.detector is None or self.learned_version == self.sentences.version:
            return False
        return len(self.sentences.texts) >= MIN_PILE or self.detector.pile_size_ > 0

    @property
    def must_promise(self) -> bool:
        """Whether a precision is asked for that this detector has not been tuned to."""
        return self.definition.target_precision is not None and self.detector is not None and self.promise.now is None

    @property
    def must_tell(self) -> bool:
        """Whether what the sentences think of their aspects has not been read throughout by these scores."""
        return self.sentiment is not None and self.sentiment.finished != self.decided_by

    @property
    def decided_by(self) -> tuple[int, int]:
        """Changes with what is decided, once all is scored."""
        return self.revision, self.scores.fit_version

    @property
    def scored(self) -> float:
        """Share of the sentences with results that will stay; below 1 until the detector has learned and promised."""
        return min(self.scores.scored, 0.99) if self.must_learn or self.must_promise else self.scores.scored

    @property
    def sentiment_scored(self) -> float:
        """The same, below 1 until sentiment is read too."""
        return min(self.scored, 0.99) if self.must_tell else self.scored

    def precedes(self, project: Any) -> bool:
        """Whether the row of the project in the database is newer."""
        return self.revision < project.revision or self.sentences.version < project.imported

    @property
    def revision(self) -> int:
        return self.definition.revision

    @cached_property
    def thresholds(self) -> np.ndarray:
        """(N,) in use."""
        return np.array(list(self.detector.thresholds_.values()) if self.detector else [])

    @property
    def aspect_ids(self) -> list[int]:
        return self.scores.aspect_ids

    @cached_property
    def id_by_name(self) -> dict[str, int]:
        return {aspect.name: aspect.id for aspect in self.definition.aspects}

    @cached_property
    def confirmed(self) -> dict[int, Example]:
        """Rows that are examples, so that the user has set their aspects."""
        rows = self.sentences.rows_by_identity
        return {row: e for e in self.definition.examples for row in rows.get(text_identity(e.text), ())}

    @cached_property
    def said_polarities(self) -> dict[tuple[int, int], int]:
        """Which answer a person has given for a row and a column."""
        rows, columns = self.sentences.rows_by_identity, {number: n for n, number in enumerate(self.aspect_ids)}
        return {
            (row, columns[said.aspect]): ANSWERS.index(said.polarity)
            for said in self.definition.polarities
            for row in rows.get(text_identity(said.text), ())
        }

    @cached_property
    def rejected(self) -> dict[int, list[int]]:
        """Columns that a person has rejected, by row; of examples none, since all their aspects are the person's."""
        rows, columns = self.sentences.rows_by_identity, {number: n for n, number in enumerate(self.aspect_ids)}
        found: dict[int, list[int]] = {}
        for one in self.definition.rejections:
            for row in rows.get(text_identity(one.text), ()):
                if row not in self.confirmed:
                    found.setdefault(row, []).append(columns[one.aspect])
        return found

    @cached_property
    def _rejected_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """(P,) rows and (P,) columns."""
        pairs = [(row, n) for row, own in self.rejected.items() for n in own]
        rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return rows, columns

    @cached_property
    def _confirmed_aspects(self) -> np.ndarray:
        """(C, N) booleans: the aspects of the confirmed rows."""
        return np.array([[number in e.aspects for number in self.aspect_ids] for e in self.confirmed.values()])

    @cached_property
    def label_issues(self) -> list[LabelIssue]:
        """Examples that others contradict."""
        return self.detector.label_issues() if self.detector else []

    @cached_property
    def growth(self) -> dict[str, Growth]:
        """Of each aspect, by name: whether more examples are likely to help."""
        return self.detector.growth() if self.detector else {}

    def score(self, rows: np.ndarray) -> None:
        """Those of the rows that are stale."""
        if (detector := self.detector) is not None:
            texts = self.sentences.texts
            self.scores.score(rows, lambda stale: detector.predict_proba([texts[row] for row in stale]))

    def decided(self) -> np.ndarray:
        """(S, N) booleans: the aspects of an example, else those that reach their threshold by the scores so far and
        are not rejected."""
        found = decide(self.scores.probabilities, self.thresholds)
        found[self._rejected_pairs] = False
        if self.confirmed:
            found[list(self.confirmed)] = self._confirmed_aspects
        return found

    def reason(self, row: int, decided: np.ndarray) -> str:
        """Why a sentence that is scored has the aspects decided (N,), or none."""
        names = [aspect.name for aspect in self.definition.aspects]
        if not decided.any() and (rejected := self.rejected.get(row)):
            return f"you rejected {', '.join(names[n] for n in rejected)}"
        return reason(self.scores.probabilities[row], self.thresholds, decided, names) if names else ""

    def uncertainty(self) -> np.ndarray:
        """(S,) 1 at a threshold, 0 far from all; 0 also for what a person has said and for what has no scores yet."""
        by_aspect = uncertainty(self.scores.probabilities, self.thresholds)
        by_aspect[self._rejected_pairs] = 0.0
        values = by_aspect.max(axis=1, initial=0.0)
        values[list(self.confirmed)] = 0.0
        values[~self.scores.has_scores] = 0.0
        return values


def _sentiment_table(
    before: Snapshot | None, definition: Definition, detector: AspectDetector | None, sentences: ImportedSentences
) -> SentimentTable | None:
    """With what was read before; None where sentiment is off, without aspects and with a model that tells none."""
    if detector is None or not definition.sentiment or detector.model_.sentiment is None:
        return None
    examples, ids = detector.examples_, [aspect.id for aspect in definition.aspects]
    labels = [label_of(examples, aspect.name) for aspect in definition.aspects]
    if before is None or before.sentiment is None:
        return SentimentTable(sentences.ids, ids, labels, detector.model_.encoder.width)
    return before.sentiment.successor(sentences.ids, ids, labels)
