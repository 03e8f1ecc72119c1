"""The page of the practical comparison."""

from __future__ import annotations

from typing import Any

import pytest

from page import MACRO_F1, READY, gain, page, sooner, table


def result(system: str, name: str = "books", seed: int = 0, shots: int = 5, **numbers: Any) -> dict[str, Any]:
    packages = {"torch": "2", "transformers": "5", "setfit": "1.2.0"}
    machine = {"processor": "a processor", "cores": 2, "threads": 1, "python": "3.11", "packages": packages}
    return {
        "set": name, "shots": shots, "seed": seed, "system": system, "draw": f"{name}{shots}{seed}", "sentences": 800,
        "macro_f1": 0.5, "micro_f1": 0.5, "mean_average_precision": 0.5, "empty_accuracy": None,
        "calibration_error": 0.1, "seconds_to_be_ready": 1.0, "cpu_seconds_to_be_ready": 1.0,
        "sentences_per_cpu_second": 100.0, "peak_memory_mb": 500.0, "environment": machine, **numbers,
    }  # fmt: skip


def test_the_gain_is_over_the_better_peer() -> None:
    rows = [result("fewaspect", macro_f1=0.6), result("setfit", macro_f1=0.1), result("logistic", macro_f1=0.55)]
    assert gain(rows, MACRO_F1) == "+5.0 (logistic regression)"
    assert gain([*rows[:1], result("setfit", macro_f1=0.7), rows[2]], MACRO_F1) == "-10.0 (SetFit)"
    assert gain(rows[:2], MACRO_F1) == "-"


def test_only_draws_that_all_have_are_compared() -> None:
    rows = [result(system, macro_f1=f1) for system, f1 in (("fewaspect", 0.6), ("setfit", 0.1), ("logistic", 0.5))]
    more = [result("fewaspect", seed=1, macro_f1=0.0), result("logistic", "laptops", macro_f1=0.9)]
    assert gain([*rows, *more], MACRO_F1) == "+10.0 (logistic regression)"


def test_readiness_is_compared_by_the_means_and_the_least_ratio_of_a_draw() -> None:
    seconds = [("fewaspect", 0, 1.0), ("fewaspect", 1, 3.0), ("setfit", 0, 100.0), ("setfit", 1, 60.0)]
    rows = [result(system, seed=seed, **{READY.key: s}) for system, seed, s in seconds]
    assert sooner(rows) == "40 (least: 20)"


def test_a_row_has_the_spread_over_seeds_and_no_mean_where_a_set_is_missing() -> None:
    rows = [result("fewaspect", seed=seed, macro_f1=f1) for seed, f1 in ((0, 0.5), (1, 0.6))]
    others = [result("logistic", name, seed) for name in ("books", "courses") for seed in (0, 1)]
    first = table([*rows, *others], 5, []).splitlines()[2:4]
    assert first[0] == "| macro-F1 | fewaspect | - | - | 55.0 ± 7.1 | - | - | - |"
    assert first[1] == "|  | logistic regression | - | - | 50.0 ± 0.0 | 50.0 ± 0.0 | - | 50.0 ± 0.0 |"


def test_times_are_those_that_were_taken_together() -> None:
    rows = [result(system, **{READY.key: 9.0}) for system in ("fewaspect", "setfit")]
    assert "ready, seconds" not in page(rows)
    assert "sooner" not in page(rows)
    together = [result(system, **{READY.key: s}) for system, s in (("fewaspect", 1.0), ("setfit", 70.0))]
    whole = page(rows, together)
    assert "| 5 | times sooner ready than SetFit, by CPU time | at least 50 | 70 (least: 70) |" in whole
    assert "| ready, seconds | fewaspect | - | - | 1.00 |" in whole


def test_the_page_says_which_peer_was_not_measured() -> None:
    assert "Not measured: SetFit." in page([result("fewaspect"), result("logistic")])
    assert "Not measured" not in page([result("fewaspect"), result("logistic"), result("setfit")])


def test_systems_measured_on_different_draws_are_not_put_side_by_side() -> None:
    with pytest.raises(SystemExit, match="expected one draw for all systems, found logistic"):
        page([result("fewaspect"), result("logistic", draw="another")])
