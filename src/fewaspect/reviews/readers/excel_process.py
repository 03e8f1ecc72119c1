"""A sheet of an Excel workbook as JSON lines on standard output: a program of its own, run by excel_records.py.

A small workbook may ask for any amount of memory, and the library then ends the process; it shall not be the reader's.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any

MEMORY = 2 << 30  # bytes; what a sheet of a million rows and twenty columns needs


def main(path: str, wanted: str | None) -> dict[str, Any] | None:
    """The names of the sheets and which one it is, then number and cells of each row that is not blank."""
    import python_calamine

    try:
        with python_calamine.CalamineWorkbook.from_path(path) as book:
            visible = python_calamine.SheetVisibleEnum.Visible
            names = [
                sheet.name
                for sheet in sorted(book.sheets_metadata, key=lambda sheet: sheet.visible != visible)
                if sheet.typ == python_calamine.SheetTypeEnum.WorkSheet
            ]
            name, rows = _chosen(book, names, wanted)
            print(json.dumps({"sheets": names, "sheet": name}))
            for number, cells in rows:
                print(json.dumps([number, cells]))
    except python_calamine.PasswordError:
        return {"problem": "password"}
    except (python_calamine.CalamineError, ValueError, OSError) as error:
        return {"problem": str(error)}
    return None


def as_shown(cell: Any) -> str:
    """A cell as a person sees it: 4 and not 4.0, a date and not a number of days."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return f"{cell:.15g}" if abs(cell) >= 1e15 or not cell.is_integer() else str(int(cell))
    if isinstance(cell, datetime | time):
        at = cell.time() if isinstance(cell, datetime) else cell
        clock = at.isoformat("seconds" if at.second else "minutes")
        return f"{cell.date().isoformat()} {clock}" if isinstance(cell, datetime) else clock
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(int(cell.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}" + (f":{seconds:02d}" if seconds else "")
    return "" if cell is None else str(cell)


def _chosen(book: Any, names: list[str], wanted: str | None) -> tuple[str | None, Iterator[tuple[int, list[str]]]]:
    """The sheet of that name, else the first with two rows, else the first with any."""
    first: tuple[str | None, Iterator[tuple[int, list[str]]]] = None, iter(())
    for name in names if wanted is None else [wanted] if wanted in names else []:
        sheet = book.get_sheet_by_name(name)
        there = sum(1 for _ in islice(_rows(sheet), 2))
        if wanted is not None or there == 2:
            return name, _rows(sheet)
        if there and first[0] is None:
            first = name, _rows(sheet)
    return first


def _rows(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    for number, row in enumerate(sheet.iter_rows(), 1):
        cells = [as_shown(cell) for cell in row]
        if any(cells):
            yield number, cells


if __name__ == "__main__":
    with suppress(ImportError, ValueError, OSError):  # there is none on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with suppress(BrokenPipeError):
        if problem := main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None):
            print(json.dumps(problem))
