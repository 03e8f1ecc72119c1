"""A sheet of an Excel workbook as records, read by a process of its own (excel_process.py)."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from fewaspect.core.errors import DataError
from fewaspect.core.extras import require
from fewaspect.data.formats.records import AS_CSV, Place, quoted
from fewaspect.reviews.readers.columns import Records, distinct_names

PROGRAM = Path(__file__).with_name("excel_process.py")


@dataclass(frozen=True)
class Sheet:
    """One sheet of a workbook, and the names of all."""

    name: str
    names: list[str]
    rows: Iterator[tuple[int, list[str]]] = field(compare=False)


@contextmanager
def opened_sheet(path: str, place: Place, wanted: str | None = None, seconds: float | None = None) -> Iterator[Sheet]:
    """The sheet of that name, else the first with rows; after so many seconds the reading is given up."""
    require("python_calamine", "excel", "Excel")
    command = [sys.executable, str(PROGRAM), path, *([] if wanted is None else [wanted])]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    watch = threading.Timer(seconds, process.kill) if seconds is not None else None
    if watch:
        watch.start()
    try:
        lines = _answers(process, place)
        about: dict[str, Any] = next(lines, {"sheets": [], "sheet": None})
        if wanted is not None and about["sheet"] is None:
            listed = ", ".join(quoted(name) for name in about["sheets"])
            raise place.error(f"expected a sheet {quoted(wanted)}, found {listed}.", "Name one of them with --sheet.")
        yield Sheet(about["sheet"] or "", about["sheets"], ((number, cells) for number, cells in lines))
    finally:
        if watch:
            watch.cancel()
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


@contextmanager
def excel_records(path: str, place: Place, wanted: str | None, seconds: float | None = None) -> Iterator[Records]:
    """All cells as text; the names of the columns are in the first row that is not blank."""
    with opened_sheet(path, place, wanted, seconds) as sheet:
        header = next(sheet.rows, None)
        if header is None:
            raise place.error("expected a sheet with reviews, found none with anything in it.")
        names = distinct_names([name.strip() or f"column {_letters(n)}" for n, name in enumerate(header[1])])
        inside = place.at(f"sheet {quoted(sheet.name)}") if len(sheet.names) > 1 else place
        rows = ((inside.at(f"row {number}"), _record(names, cells)) for number, cells in sheet.rows)
        yield Records(names, place.at(f"row {header[0]}"), rows)


def _record(names: list[str], cells: list[str]) -> dict[str, Any]:
    return dict(zip(names, cells + [""] * (len(names) - len(cells)), strict=False))


def _answers(process: subprocess.Popen[bytes], place: Place) -> Iterator[Any]:
    assert process.stdout is not None
    for line in process.stdout:
        if not line.endswith(b"\n"):
            break  # cut off
        said = json.loads(line)
        if isinstance(said, dict) and (problem := said.get("problem")):
            raise _refusal(place, problem)
        yield said
    if process.wait():
        raise place.error(
            "expected a workbook that can be read in the memory and time there is, found a larger or a damaged one.",
            f"Copy the reviews to a new workbook, or save them as text. {AS_CSV}",
        )


def _refusal(place: Place, problem: str) -> DataError:
    if problem == "password":
        return place.error(
            "expected a workbook that anyone may open, found one with a password.",
            "In Excel: File, Info, Protect Workbook, take the password away, save.",
        )
    return place.error(
        f"expected an Excel workbook, found one that cannot be read ({problem}).",
        f"Open it in Excel and save it again as Excel Workbook (.xlsx), or as text. {AS_CSV}",
    )


def _letters(column: int) -> str:
    """What Excel calls a column: A, B, ..., Z, AA."""
    column, letters = column + 1, ""
    while column:
        column, last = divmod(column - 1, 26)
        letters = ascii_uppercase[last] + letters
    return letters
