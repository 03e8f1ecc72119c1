"""What `fewaspect benchmark --list` and `--dry-run` print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fewaspect.experiments.grid.grid_folder import GridFolder, survey
from fewaspect.experiments.grid.grid_runs import Run


def list_cells(runs: Sequence[Run], folder: GridFolder) -> Iterator[str]:
    """A line for every cell with its state: done, trained (its run is), begun (its run is), missing."""
    states: Counter[str] = Counter()
    width = max(len(cell.name) for run in runs for cell in run.cells)
    for run in runs:
        metadata = folder.run_metadata(run)
        unfinished = "missing" if metadata is None else "trained" if metadata["finished"] else "begun"
        done = {cell for cell, _ in folder.finished_cells(run)}
        for cell in run.cells:
            state = "done" if cell in done else unfinished
            states[state] += 1
            yield f"{cell.name:{width}}  {state}"
    yield f"{states.total()} cells: " + ", ".join(f"{count} {state}" for state, count in states.items())


def list_plan(runs: Sequence[Run], folder: GridFolder) -> Iterator[str]:
    """What would be done, in order, with an estimate of its time where finished cells allow one."""
    left, estimate = survey(runs, folder)
    to_train = [run for run in left if not folder.is_trained(run)]
    cells = [cell for run in left for cell in run.cells]
    for run in left:
        if run in to_train:
            yield f"train {run.name}: {run.train.episodes} episodes, {estimate.total([run], ())}"
        for cell in run.cells:
            yield f"  cell {cell.name}: {cell.evaluation.episodes} episodes, {estimate.total((), [cell])}"
    yield f"{len(to_train)} trainings and {len(cells)} cells to do, {estimate.total(to_train, cells)}"
