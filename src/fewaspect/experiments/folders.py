"""What a grid has on disk: runs, cells and locks; and what is left to do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewaspect.core.errors import ResultError
from fewaspect.core.settings import differences
from fewaspect.experiments.cells import finished_cell
from fewaspect.experiments.grid import Cell, Run
from fewaspect.experiments.grid_estimate import Estimate
from fewaspect.training.run_folder import RunFolder


@dataclass(frozen=True)
class Folders:
    """Where a grid keeps its runs, cells and locks."""

    out: Path

    def cell(self, cell: Cell) -> Path:
        return self.out / "cells" / cell.file

    def run(self, run: Run) -> Path:
        return self.out / "runs" / run.name

    def lock(self, run: Run) -> Path:
        return self.out / "locks" / f"{run.name}.lock"

    def run_about(self, run: Run) -> dict[str, Any] | None:
        """The run.json of a run that was begun; one that was begun with other settings is refused."""
        folder = RunFolder(self.run(run))
        if not folder.metadata.is_file():
            return None
        if changed := differences(folder.read_settings().as_dict(), run.settings()):
            raise ResultError(
                f"{folder.metadata}: expected a run with the settings of the grid, found others: "
                f"{'; '.join(changed)}.\n"
                "Choose another --out, or delete the folder of the run to have it trained again."
            )
        return folder.read_metadata()

    def is_trained(self, run: Run) -> bool:
        about = self.run_about(run)
        return about is not None and bool(about["finished"])

    def finished(self, run: Run) -> Iterator[tuple[Cell, dict[str, Any]]]:
        for cell in run.cells:
            if found := finished_cell(self.cell(cell), run, cell):
                yield cell, found

    def left(self, run: Run) -> Run:
        """The run with only those cells that are still to be made."""
        done = {cell for cell, _ in self.finished(run)}
        return dataclasses.replace(run, cells=tuple(cell for cell in run.cells if cell not in done))


def survey(runs: Sequence[Run], folders: Folders) -> tuple[list[Run], Estimate]:
    """What is left to do and how long the rest took; every file that is there is checked before any work begins."""
    estimate = Estimate()
    left = []
    for run in runs:
        for cell, found in folders.finished(run):
            estimate.add_cell(run, cell, found)
        about = folders.run_about(run)
        if about and about["finished"]:
            estimate.add_training(run, training_seconds(about))
        left.append(folders.left(run))
    return [run for run in left if run.cells], estimate


def training_seconds(about: dict[str, Any]) -> float:
    """Of a whole training, with the time the frozen layers took."""
    return float(about["seconds"] + about["encoding_seconds"])
