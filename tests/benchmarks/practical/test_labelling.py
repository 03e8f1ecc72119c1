"""Simulated labelling: the page says what the records say."""

from __future__ import annotations

from typing import Any

from draws import SETS, VALIDATION
from records import PRECISION
from simulation.labelling_page import SHOWN, needed, page, seed_curves
from simulation.labelling_strategies import PACKAGES, STRATEGIES


def record(name: str, strategy: str, gain: float, until: int = 200) -> dict[str, Any]:
    """A curve that rises by `gain` with each hundred labels."""
    curve = [
        {"labels": k, "mean_average_precision": 0.5 + gain * k / 100, "macro_f1": 0.4 + gain * k / 100}
        for k in SHOWN if k <= until
    ]  # fmt: skip
    return {"set": name, "seed": 0, "strategy": strategy, "curve": curve, "pool": 600, "test": 400}


def both(name: str) -> list[dict[str, Any]]:
    return [record(name, "random", 0.05), record(name, "suggest", 0.1)]


def test_labels_until_what_chance_has_after_200_are_read_off_the_curve() -> None:
    assert "(60.0): `suggest` 100, at random 200." in needed(both("books"), ["books"])


def test_a_pile_that_is_used_up_keeps_its_last_point() -> None:
    curves = seed_curves([record("books", "random", 0.05, until=160)], "random", PRECISION, ["books"])
    assert curves[0][200] == curves[0][160]


def test_the_page_names_every_set_and_what_is_better_by_how_much() -> None:
    names = [*SETS, *VALIDATION]
    shown = page([one for name in names for one in both(name)])
    assert "## All sets (13)" in shown
    assert all(f"| {name} | +3.0 | +5.0 | +6.5 | +10.0 |" in shown for name in names)


def test_a_strategy_of_others_names_its_package() -> None:
    assert set(PACKAGES) < set(STRATEGIES)
