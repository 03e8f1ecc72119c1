"""The record that is kept of an evaluated cell."""

from __future__ import annotations

from collections.abc import Callable

from fewaspect.experiments.grid.grid_runs import Run
from fewaspect.experiments.grid.run_worker import cell_record


def test_a_cell_is_flat_with_its_interval_and_its_share_of_the_training(runs: Callable[..., list[Run]]) -> None:
    run = runs(ways=[3, 4])[0]
    metric = {"mean": 80.0, "low": 79.0, "high": 81.0, "half_width": 1.0, "count": 6, "left_out": 0}
    result = {"method": "lpn", "title": "?", "way": "4", "f1": metric, "seconds": {}, "settings": {}, "environment": {}}
    found = cell_record(run, run.cells[1], {**result, "decision": "count"}, trained=100.0, evaluated=3.0)
    assert (found["row"], found["title"], found["way"], found["shot"]) == ("lpn", "LPN (w, w)", 4, 2)
    assert (found["f1"], found["f1_interval"], found["decision"]) == (80.0, [79.0, 81.0], "count")
    assert (found["training_seconds"], found["evaluation_seconds"], found["seconds"]) == (50.0, 3.0, 53.0)
    assert found["settings"]["evaluation"]["way"] == "4"
