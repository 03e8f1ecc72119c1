"""What --list and --dry-run print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fewaspect.experiments.folders import Folders, survey
from fewaspect.experiments.grid import Run


def list_cells(runs: Sequence[Run], folders: Folders) -> Iterator[str]:
    """A line for every cell with its state: done, trained (its run is), begun (its run is), missing."""
    states: Counter[str] = Counter()
    width = max(len(cell.place) for run in runs for cell in run.cells)
    for run in runs:
        about = folders.run_about(run)
        otherwise = "missing" if about is None else "trained" if about["finished"] else "begun"
        done = {cell for cell, _ in folders.finished(run)}
        for cell in run.cells:
            state = "done" if cell in done else otherwise
            states[state] += 1
            yield f"{cell.place:{width}}  {state}"
    yield f"{states.total()} cells: " + ", ".join(f"{count} {state}" for state, count in states.items())


def plan(runs: Sequence[Run], folders: Folders) -> Iterator[str]:
    """What would be done, in order, with the time it should take where finished cells allow to tell."""
    left, estimate = survey(runs, folders)
    to_train = [run for run in left if not folders.is_trained(run)]
    cells = [cell for run in left for cell in run.cells]
    for run in left:
        if run in to_train:
            yield f"train {run.name}: {run.train.episodes} episodes, {estimate.total([run], ())}"
        for cell in run.cells:
            yield f"  cell {cell.place}: {cell.evaluation.episodes} episodes, {estimate.total((), [cell])}"
    yield f"{len(to_train)} trainings and {len(cells)} cells to do, {estimate.total(to_train, cells)}"
