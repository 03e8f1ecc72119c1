"""How long the rest of a grid will take."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fewaspect.experiments.grid.grid_estimate import Estimate, format_duration
from fewaspect.experiments.grid.grid_runs import Run

ROWS = {"lpn": {}, "lpn-oo": {}, "none": {"method": "lpn", "untrained": True}}


def test_nothing_done_tells_nothing(runs: Callable[..., list[Run]]) -> None:
    estimate = Estimate()
    assert estimate.total(runs(), ()) == "?"
    assert estimate.total((), ()) == "0 s"


def test_what_is_most_alike_is_what_counts(runs: Callable[..., list[Run]]) -> None:
    lpn, plain, untrained = runs(rows=ROWS)
    estimate = Estimate()
    estimate.add_cell(untrained, untrained.cells[0], {"run_seconds": 30.0, "evaluation_seconds": 4.0})
    assert estimate.total([lpn], lpn.cells) == "more than 4 s"  # nothing is trained yet: its time is not known
    estimate.add_training(lpn, 60.0)
    assert estimate.training(lpn) == pytest.approx(60.0)
    assert estimate.training(plain) == pytest.approx(60.0)
    assert estimate.training(untrained) == pytest.approx(30.0)
    estimate.add_training(plain, 12.0)
    assert estimate.training(plain) == pytest.approx(12.0)
    assert estimate.total([lpn, plain], [*lpn.cells, *plain.cells]) == "80 s"


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 s"), (89, "89 s"), (120, "2 min"), (7500, "2 h 5 min")])
def test_times_are_said_in_words(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words
