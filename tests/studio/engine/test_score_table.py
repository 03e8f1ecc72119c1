"""A score table after any changes of sentences, aspects and examples has what a plain dictionary would have."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewaspect.studio.engine.score_table import ScoreTable

IDS = st.lists(st.integers(1, 8), unique=True, max_size=6)


@dataclass
class Model:
    """Probabilities by sentence and aspect, and the fit that scored each sentence."""

    sentences: list[int]
    aspects: list[int]
    fit_version: int = 1
    scored_version: dict[int, int] = field(default_factory=dict)
    probabilities: dict[tuple[int, int], float] = field(default_factory=dict)

    def change(self, sentences: list[int], aspects: list[int], refitted: bool) -> None:
        self.fit_version += refitted or aspects != self.aspects
        self.sentences, self.aspects = sentences, aspects
        self.scored_version = {s: v for s, v in self.scored_version.items() if s in sentences}
        self.probabilities = {
            (s, a): p for (s, a), p in self.probabilities.items() if s in sentences and a in aspects
        }  # fmt: skip

    def put(self, sentences: list[int], probabilities: np.ndarray) -> None:
        for s, row in zip(sentences, probabilities.tolist(), strict=True):
            self.scored_version[s] = self.fit_version
            self.probabilities.update({(s, a): p for a, p in zip(self.aspects, row, strict=True)})

    def check(self, table: ScoreTable) -> None:
        versions = [self.scored_version.get(s, 0) for s in self.sentences]
        assert (table.fit_version, table.scored_version.tolist()) == (self.fit_version, versions)
        expected = [[self.probabilities.get((s, a), 0.0) for a in self.aspects] for s in self.sentences]
        assert table.probabilities.tolist() == expected
        stale = [row for row, v in enumerate(versions) if v != self.fit_version and self.aspects]
        assert table.stale().tolist() == stale
        assert table.scored == 1 - len(stale) / max(1, len(versions))
        assert table.has_scores.tolist() == [v > 0 or not self.aspects for v in versions]


def numbers(rows: int, columns: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random((rows, columns))


def table_of(scored: bool = True) -> ScoreTable:
    """Sentences 1, 2 and 5; aspects 3 and 4."""
    table = ScoreTable(np.array([1, 2, 5]), [3, 4])
    if scored:
        table.put(np.arange(3), np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]))
    return table


@given(st.data())
def test_what_stays_is_carried_over_through_any_changes(data: st.DataObject) -> None:
    sentences, aspects = sorted(data.draw(IDS)), data.draw(IDS)
    table, model = ScoreTable(np.array(sentences, dtype=np.int64), aspects), Model(sentences, aspects)
    model.check(table)
    for step in range(data.draw(st.integers(1, 6))):
        if data.draw(st.booleans(), label="score some"):
            chosen = [row for row in range(len(sentences)) if data.draw(st.booleans())]
            new = numbers(len(chosen), len(aspects), step)
            table.put(np.array(chosen, dtype=np.int64), new)
            model.put([sentences[row] for row in chosen], new)
        else:
            sentences = data.draw(st.one_of(st.just(sentences), IDS.map(sorted)))
            aspects = data.draw(st.one_of(st.just(aspects), st.permutations(aspects), IDS))
            refitted = data.draw(st.booleans())
            table = table.successor(np.array(sentences, dtype=np.int64), aspects, refitted=refitted)
            model.change(sentences, aspects, refitted)
        model.check(table)


def test_without_a_refit_the_table_of_the_same_sentences_is_the_same() -> None:
    table = table_of()
    assert table.successor(np.array([1, 2, 5]), [3, 4], refitted=False) is table
    assert table.successor(np.array([1, 2, 5]), [4, 3], refitted=False) is not table
    assert table.successor(np.array([1, 2]), [3, 4], refitted=False).scored == 1.0
    assert table.successor(np.array([1, 2, 5]), [3, 4], refitted=True).scored == 0.0


def test_a_successor_does_not_change_the_table_before_it() -> None:
    table = table_of()
    after = table.successor(np.array([1, 5, 9]), [4], refitted=True)
    after.put(np.arange(3), np.ones((3, 1)))
    assert table.probabilities.tolist() == [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
    assert table.scored == 1.0


def test_only_stale_rows_are_scored() -> None:
    table, asked = table_of(scored=False), []

    def predict(rows: np.ndarray) -> np.ndarray:
        asked.append(rows.tolist())
        return np.full((len(rows), 2), 0.5)

    table.put(np.array([1]), np.zeros((1, 2)))
    table.score(np.array([2, 1]), predict)
    table.score(np.array([2, 1]), predict)
    table.score(table.stale(), predict)
    assert asked == [[2], [0]]
    assert table.probabilities.tolist() == [[0.5, 0.5], [0.0, 0.0], [0.5, 0.5]]


def test_scores_that_fail_leave_the_rows_stale() -> None:
    table = table_of(scored=False)
    for _ in range(2):  # the lock is free again
        with pytest.raises(ZeroDivisionError):
            table.score(np.arange(3), lambda rows: 1 / 0)  # type: ignore[arg-type, return-value]
    assert table.stale().tolist() == [0, 1, 2]
