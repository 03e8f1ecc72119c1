"""The page of the practical comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curves import interval, learning_curves, write_curves
from draws import SETS, VALIDATION
from page import caption, page, table
from records import MACRO_F1, READY, TITLES, of_one_version, strongest
from summary import by_set, gain, sooner


def result(
    system: str, name: str = "books", seed: int = 0, shots: int = 5, version: str = "0.2.0", **numbers: Any
) -> dict[str, Any]:
    packages = {"torch": "2", "transformers": "5", "setfit": "1.2.0", "fewaspect": version}
    machine = {"processor": "a processor", "cores": 2, "threads": 1, "python": "3.11", "packages": packages}
    return {
        "set": name, "shots": shots, "seed": seed, "system": system, "draw": f"{name}{shots}{seed}", "sentences": 800,
        "macro_f1": 0.5, "micro_f1": 0.5, "mean_average_precision": 0.5, "empty_accuracy": None,
        "calibration_error": 0.1, "seconds_to_be_ready": 1.0, "cpu_seconds_to_be_ready": 1.0,
        "sentences_per_cpu_second": 100.0, "peak_memory_mb": 500.0, "environment": machine, **numbers,
    }  # fmt: skip


PEERS = ("setfit", "logistic")


def gain_of(rows: list[dict[str, Any]]) -> str:
    return gain(rows, MACRO_F1, "fewaspect", PEERS, tuple(SETS))


def test_the_gain_is_over_the_strongest_peer() -> None:
    rows = [result("fewaspect", macro_f1=0.6), result("setfit", macro_f1=0.1), result("logistic", macro_f1=0.55)]
    assert gain_of(rows) == "+5.0 (logistic regression)"
    assert gain_of([*rows[:1], result("setfit", macro_f1=0.7), rows[2]]) == "-10.0 (SetFit)"
    assert gain_of(rows[:1]) == "-"


def test_two_systems_are_compared_on_the_draws_that_both_have() -> None:
    rows = [result(system, macro_f1=f1) for system, f1 in (("fewaspect", 0.6), ("setfit", 0.1), ("logistic", 0.5))]
    more = [result("fewaspect", seed=1, macro_f1=0.0), result("logistic", "laptops", macro_f1=0.9)]
    assert gain_of([*rows, *more]) == "+10.0 (logistic regression)"
    assert gain_of([*rows, *more, result("fewaspect", "laptops", macro_f1=0.9)]) == "+5.0 (logistic regression)"
    fewer = [*rows[:2], result("fewaspect", "laptops")]
    assert gain_of(fewer) == "+50.0 (SetFit; books alone)"


def test_each_set_says_whether_a_peer_of_the_same_encoder_is_ahead() -> None:
    peers = {"setfit": 0.51, "logistic": 0.48, "logistic-mpnet": 0.9}
    rows = [result("fewaspect"), *(result(name, mean_average_precision=ap) for name, ap in peers.items())]
    assert "fewaspect: in none of 1 cells." in by_set(rows)
    assert "| books | -1.0 (SetFit) |" in by_set(rows)
    ahead = [*rows, result("setfit-tuned", mean_average_precision=0.52)]
    assert "fewaspect: in 1 of 1 cells, in bold." in by_set(ahead)
    assert "| books | **-2.0 (SetFit, tuned)** |" in by_set(ahead)


def test_readiness_is_compared_by_the_means_and_the_least_ratio_of_a_draw() -> None:
    seconds = [("fewaspect", 0, 1.0), ("fewaspect", 1, 3.0), ("setfit", 0, 100.0), ("setfit", 1, 60.0)]
    rows = [result(system, seed=seed, **{READY.key: s}) for system, seed, s in seconds]
    assert sooner(rows) == "40 (least: 20)"


def test_a_row_has_the_spread_over_seeds_and_no_mean_where_a_set_is_missing() -> None:
    rows = [result("fewaspect", seed=seed, macro_f1=f1) for seed, f1 in ((0, 0.5), (1, 0.6))]
    others = [result("logistic", name, seed) for name in ("books", "courses") for seed in (0, 1)]
    first = table([*rows, *others], tuple(SETS), []).splitlines()[2:4]
    assert first[0] == "| macro-F1 | fewaspect | - | - | 55.0 ± 7.1 | - | - | - |"
    assert first[1] == "|  | logistic regression | - | - | 50.0 ± 0.0 | 50.0 ± 0.0 | - | 50.0 ± 0.0 |"


def test_the_best_peer_of_a_column_is_bold_and_our_own_rows_are_not() -> None:
    rows = [result("fewaspect", macro_f1=0.9), result("logistic", macro_f1=0.4), result("logistic-tuned", macro_f1=0.6)]
    first = table(rows, ("books",), []).splitlines()[2:5]
    assert [line.count("**") for line in first] == [0, 0, 4]
    assert first[2] == "|  | logistic regression, tuned | **60.0** | **60.0** |"


def test_visible_and_validation_sets_have_tables_of_their_own() -> None:
    whole = page([result(system, name) for system in ("fewaspect", "logistic") for name in ("books", "banking77")])
    visible, validation = whole.split("## 5 examples per aspect: validation sets")
    assert f"| | system | {' | '.join(SETS)} | mean |" in visible
    assert f"| | system | {' | '.join(VALIDATION)} | mean |" in validation


def test_the_caption_says_which_systems_have_fewer_draws() -> None:
    rows = [result(system, name, seed) for system in PEERS for name in ("books", "fewasp") for seed in (0, 1)]
    assert caption(rows) == ""
    fewer = [row for row in rows if row["system"] == "logistic" or (row["seed"] == 0 and row["set"] == "books")]
    assert caption(fewer) == "Measured on fewer draws: SetFit (seed 0 of books).\n"


def test_the_page_shows_one_version_of_the_detector_the_newest() -> None:
    old, new = result("fewaspect", version="0.9.0", macro_f1=0.1), result("fewaspect", seed=1, version="0.10.0")
    peer, timed = result("logistic", version="0.1.0"), result("fewaspect", version="0.9.0")
    assert of_one_version([old, new, peer], [timed]) == [[new, peer], []]
    whole = page([old, new, peer], [timed])
    assert "fewaspect 0.10.0." in whole
    assert "10.0 ±" not in whole


def test_a_peer_without_a_common_draw_is_no_strongest_peer() -> None:
    rows = [result("fewaspect"), result("logistic", seed=1)]
    assert strongest(rows, MACRO_F1, "fewaspect", ["logistic"], ["books"]) is None


def test_times_are_those_that_were_taken_together() -> None:
    rows = [result(system, **{READY.key: 9.0}) for system in ("fewaspect", "setfit")]
    assert "ready, seconds" not in page(rows)
    assert "sooner" not in page(rows)
    together = [result(system, **{READY.key: s}) for system, s in (("fewaspect", 1.0), ("setfit", 70.0))]
    whole = page(rows, together)
    assert "| 5 | times sooner ready than SetFit, by CPU time | at least 50 | 70 (least: 70) | - |" in whole
    assert "| ready, seconds | fewaspect | - | - | 1.00 |" in whole


def test_the_page_says_which_peer_was_not_measured() -> None:
    assert "; SetFit; " in page([result("fewaspect"), result("logistic")]).splitlines()[-1]
    assert "Not measured" not in page([result(system) for system in TITLES])


def test_systems_measured_on_different_draws_are_not_put_side_by_side() -> None:
    with pytest.raises(SystemExit, match="expected one draw for all systems, found logistic"):
        page([result("fewaspect"), result("logistic", draw="another")])


def test_the_learning_curves_are_means_over_the_sets_of_a_group() -> None:
    numbers = {("books", 0): 0.4, ("books", 1): 0.6, ("fewasp", 0): 0.6, ("fewasp", 1): 0.6, ("banking77", 0): 0.3}
    rows = [result("logistic", name, seed, 20, macro_f1=f1) for (name, seed), f1 in numbers.items()]
    curves = learning_curves([*rows, result("logistic", shots=50), result("setfit", shots=20)])
    (point,) = curves["visible sets"]["macro-F1"]["logistic"]  # with 50, a set is missing
    assert (point["examples"], point["sets"], point["seeds"]) == (20, 2, 2)
    assert point["mean"] == pytest.approx(55)
    assert point["high"] - point["mean"] == pytest.approx(12.706 * 5, rel=1e-3)  # t of one degree of freedom
    assert curves["validation sets"]["macro-F1"]["logistic"][0]["mean"] == pytest.approx(30)
    assert interval([7.0]) == {"mean": 7.0, "low": 7.0, "high": 7.0}


def test_the_figure_is_drawn_from_records_alone(tmp_path: Path) -> None:
    rows = [
        result(system, name, shots=shots)
        for system in ("fewaspect", "logistic")
        for name in ("books", "banking77")
        for shots in (1, 200)
    ]
    assert {path.name for path in write_curves(rows, tmp_path)} == {
        f"learning-examples.{ending}" for ending in ("png", "svg", "json")
    }
