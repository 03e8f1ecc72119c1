"""Wrong labels as the benchmark makes them, and intervals that it compares with."""

from __future__ import annotations

import numpy as np
import pytest

from audits import Pile, compared, wilson_intervals
from label_errors import KINDS, shares, with_errors


def test_a_tenth_of_the_rows_is_made_wrong_in_three_ways_by_turns() -> None:
    rows = np.eye(4, dtype=bool)[np.arange(60) % 4]
    changed, wrong = with_errors(rows, np.random.default_rng(0))
    assert np.flatnonzero((changed != rows).any(axis=1)).tolist() == sorted(wrong)
    assert sorted(wrong.values()) == sorted(KINDS * 2)
    for row, kind in wrong.items():
        assert changed[row].sum() == {"replaced": 1, "dropped": 0, "added": 2}[kind]


def test_shares_are_of_the_wrong_ones() -> None:
    found = shares(["added", None, "dropped", None, "added"], [0, 1])
    assert found == {"found": pytest.approx(1 / 3, abs=1e-3), "replaced": 0, "dropped": 0, "added": 0.5}


def test_wilson_intervals_are_those_of_the_sample() -> None:
    truth = np.array([[True], [True], [False], [True]])
    answered = np.array([[True], [False], [True], [True]])
    pile = Pile(["a"], answered.astype(float), np.array([0.5]), answered, truth)
    intervals = wilson_intervals(pile, np.arange(4))
    low, high = intervals["precision", 0.95]
    assert (low[0], high[0]) == (pytest.approx(0.2077, abs=1e-3), pytest.approx(0.9385, abs=1e-3))  # 2 of 3
    assert compared(pile, intervals)["precision"]["held"] == [1.0, 1.0]
    assert wilson_intervals(pile, np.array([], dtype=int))["recall", 0.9][1][0] == 1.0
