"""From a config to runs and cells: what is trained, with what, in which order, and how --only chooses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fewaspect.core.errors import ConfigError
from fewaspect.experiments.grid.grid_runs import Run, select_cells

Runs = Callable[..., list[Run]]
BENCHMARKS = {
    "fewasp-single": {},
    "fewasp-multi": {"train": ["fewasp-single", "yelpaspect_train.jsonl"]},
    "fewasp": {"trained_as": "fewasp-multi"},
}


def test_a_run_is_evaluated_in_every_setting_unless_it_is_trained_for_one(runs: Runs) -> None:
    rows = {"lpn": {}, "lpn-wo": {"per": "way"}, "lpn-oo": {"per": ["way", "shot"]}}
    found = runs(rows=rows, ways=[3, 4], shots=[1, 2])
    assert [(run.name, len(run.cells)) for run in found] == [
        ("lpn_sample_seed-0", 4),
        ("lpn-wo_sample_3-way_seed-0", 2),
        ("lpn-wo_sample_4-way_seed-0", 2),
        ("lpn-oo_sample_3-way-1-shot_seed-0", 1),
        ("lpn-oo_sample_3-way-2-shot_seed-0", 1),
        ("lpn-oo_sample_4-way-1-shot_seed-0", 1),
        ("lpn-oo_sample_4-way-2-shot_seed-0", 1),
    ]
    assert [(run.train.way, run.train.shot) for run in found[1:4]] == [("3", "2"), ("4", "2"), ("3", "1")]
    for run in found[1:]:
        assert {cell.evaluation.way for cell in run.cells} == {run.train.way}


def test_a_benchmark_trained_as_another_needs_no_training_of_its_own(runs: Runs) -> None:
    found = runs(benchmarks=BENCHMARKS, rows={"lpn": {}})
    assert [run.name for run in found] == ["lpn_fewasp-single_seed-0", "lpn_fewasp-multi_seed-0"]
    assert found[1].train.train == "fewasp-single,yelpaspect_train.jsonl"
    assert [cell.evaluation.benchmark for cell in found[1].cells] == ["fewasp-multi", "fewasp"]


def test_every_row_has_its_first_seed_before_any_has_its_second(runs: Runs) -> None:
    found = runs(benchmarks=BENCHMARKS, rows={"lpn": {"seeds": [7, 8]}, "lpn-oo": {}})
    order = [(run.row, run.train.benchmark, run.train.seed) for run in found]
    assert order == [
        ("lpn", "fewasp-single", 7), ("lpn-oo", "fewasp-single", 0), ("lpn", "fewasp-multi", 7),
        ("lpn-oo", "fewasp-multi", 0), ("lpn", "fewasp-single", 8), ("lpn", "fewasp-multi", 8),
    ]  # fmt: skip


def test_a_row_wins_over_the_grid_and_its_recipe_over_the_defaults(runs: Runs) -> None:
    rows = {"lpn": {}, "lpn-k3": {"method": "lpn", "training": {"rank": 3, "recipe": "paper", "episodes": 9}}}
    plain, varied = runs(rows=rows, training={"rank": 50, "episodes": 6})
    assert (plain.method.rank, plain.train.episodes, plain.method.unit_vectors) == (50, 6, True)
    assert (varied.method.rank, varied.train.episodes, varied.method.unit_vectors) == (3, 9, False)


def test_a_benchmark_wins_over_the_grid_and_a_row_over_both(runs: Runs) -> None:
    benchmarks = {"sample": {"training": {"episodes": 8, "rank": 9}}, "fewasp-single": {}}
    rows = {"lpn": {}, "lpn-oo": {"training": {"episodes": 9}}}
    found = runs(benchmarks=benchmarks, rows=rows, training={"episodes": 7})
    assert [run.train.episodes for run in found] == [8, 9, 7, 9]
    assert [run.method.rank for run in found] == [9, 9, 100, 100]
    with pytest.raises(ConfigError, match="sample: training: unknown setting rnak"):
        runs(benchmarks={"sample": {"training": {"rnak": 3}}})


def test_an_untrained_row_changes_no_weight(runs: Runs) -> None:
    (run,) = runs(rows={"lpn-untrained": {"method": "lpn", "untrained": True}})
    assert (run.train.episodes, run.train.learning_rate, run.train.head_learning_rate) == (1, 0.0, 0.0)
    assert run.title == "LPN (w, w), untrained"


def test_cells_of_the_validation_aspects_have_names_of_their_own(runs: Runs) -> None:
    (run,) = runs(rows={"lpn": {}}, evaluation={"split": "validation"})
    assert run.cells[0].file == "lpn_sample-validation_3-way-2-shot_seed-0.json"


@pytest.mark.parametrize(
    ("patterns", "count"),
    [
        ([], 16), (["lpn"], 8), (["lpn*"], 16), (["*/sample/3-way-*"], 8), (["lpn/*/*/seed-1"], 4),
        (["lpn/*/*/seed-1", "*/*/4-way-2-shot"], 7), (["lpn-o?/*/4-way-1-shot/seed-0"], 1),
    ],
)  # fmt: skip
def test_only_compares_part_by_part_and_leaves_missing_parts_free(patterns: list[str], count: int, runs: Runs) -> None:
    found = select_cells(runs(ways=[3, 4], shots=[1, 2], seeds=[0, 1]), patterns)
    assert sum(len(run.cells) for run in found) == count
    assert all(run.cells for run in found)
    assert all(run.planned == 4 for run in found)


def test_a_pattern_that_fits_no_cell_is_refused_with_what_there_is(runs: Runs) -> None:
    with pytest.raises(ConfigError, match=r"--only lpn/5-way.*lpn, lpn-oo; sample; 3-way-2-shot; seed-0"):
        select_cells(runs(), ["lpn", "lpn/5-way"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"training": {"episode": 5}}, "training: unknown setting episode. Did you mean episodes"),
        ({"training": {"seed": 5}}, "found seed"),
        ({"evaluation": {"way": 5}}, "evaluation: .* found way"),
        ({"evaluation": {"split": "train"}}, "split: expected one of test, validation"),
        ({"rows": {"lpn": {"training": {"rnak": 5}}}}, "lpn: training: unknown setting rnak. Did you mean rank"),
        ({"rows": {"lpn": {"per": "way", "training": {"way": 5}}}}, "lpn: training: .* found way"),
        ({"rows": {"lpn": {"untrained": True, "training": {"episodes": 5}}}}, "lpn: training: .* found episodes"),
        ({"rows": {"lqn": {}}}, 'unknown method "lqn"'),
    ],
)
def test_settings_that_do_not_belong_are_refused(changes: dict[str, object], message: str, runs: Runs) -> None:
    with pytest.raises(ConfigError, match=message):
        runs(**changes)
