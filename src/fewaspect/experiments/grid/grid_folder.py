"""The folder of a grid: its runs, cells and locks, which of them are still missing, and that as text."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewaspect.core.errors import ConfigError, ResultError
from fewaspect.core.settings import EvaluateSettings, TrainSettings, build_settings, differences
from fewaspect.experiments.cells import read_cell
from fewaspect.experiments.grid.grid_estimate import Estimate
from fewaspect.experiments.grid.grid_runs import Cell, Run
from fewaspect.methods import method_entry
from fewaspect.training.run_folder import RunFolder


@dataclass(frozen=True)
class GridFolder:
    """Paths of a grid's files, and what they say is done."""

    path: Path

    def cell_file(self, cell: Cell) -> Path:
        return self.path / "cells" / cell.file

    def run_folder(self, run: Run) -> RunFolder:
        return RunFolder(self.path / "runs" / run.name)

    def lock_file(self, run: Run) -> Path:
        return self.path / "locks" / f"{run.name}.lock"

    def run_metadata(self, run: Run) -> dict[str, Any] | None:
        """The run.json of a run that was begun; one that was begun with other settings is refused."""
        folder = self.run_folder(run)
        if not folder.metadata.is_file():
            return None
        if changed := differences(folder.read_settings().as_dict(), run.settings()):
            raise ResultError(
                f"{folder.metadata}: expected a run with the grid's settings, found others: {'; '.join(changed)}.\n"
                "Choose another --out, or delete the folder of the run to have it trained again."
            )
        return folder.read_metadata()

    def is_trained(self, run: Run) -> bool:
        metadata = self.run_metadata(run)
        return metadata is not None and bool(metadata["finished"])

    def training_seconds(self, run: Run) -> float:
        """Of the whole training, with the time of the frozen layers."""
        metadata = self.run_folder(run).read_metadata()
        return float(metadata["seconds"] + metadata["encoding_seconds"])

    def finished_cells(self, run: Run) -> Iterator[tuple[Cell, dict[str, Any]]]:
        for cell in run.cells:
            if found := finished_cell(self.cell_file(cell), run, cell):
                yield cell, found

    def unfinished(self, run: Run) -> Run:
        """The run with only those cells that are still missing."""
        done = {cell for cell, _ in self.finished_cells(run)}
        return run.with_cells(cell for cell in run.cells if cell not in done)


def survey(runs: Sequence[Run], folder: GridFolder) -> tuple[list[Run], Estimate]:
    """What is missing, and how long the rest took; every file that is there is checked before any work begins."""
    estimate = Estimate()
    for run in runs:
        for cell, found in folder.finished_cells(run):
            estimate.add_cell(run, cell, found)
        if folder.is_trained(run):
            estimate.add_training(run, folder.training_seconds(run))
    return [left for run in runs if (left := folder.unfinished(run)).cells], estimate


def finished_cell(path: Path, run: Run, cell: Cell) -> dict[str, Any] | None:
    """The cell if it is there; one that was made with other settings is refused."""
    if not path.is_file():
        return None
    found = read_cell(path)
    try:
        before = _complete(found["settings"], str(path))
    except ConfigError as error:
        raise ResultError(f"{path}: expected settings of this version, found others: {error}") from error
    if changed := differences(before, run.cell_settings(cell)):
        raise ResultError(
            f"{path}: expected a cell made with the settings of the grid, found others: {'; '.join(changed)}.\n"
            "Choose another --out, or delete the cell to have it made again."
        )
    return found


def _complete(settings: Mapping[str, Any], source: str) -> dict[str, dict[str, Any]]:
    """Settings as they were saved; those that did not exist then have their defaults."""
    train = build_settings(TrainSettings, settings["train"], source)
    method = build_settings(method_entry(train.method).settings, settings["method"], source)
    evaluation = build_settings(EvaluateSettings, settings["evaluation"], source)
    parts = {"train": train, "method": method, "evaluation": evaluation}
    return {name: dataclasses.asdict(part) for name, part in parts.items()}  # type: ignore[call-overload]


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
