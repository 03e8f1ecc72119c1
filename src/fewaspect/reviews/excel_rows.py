"""Rows as an Excel workbook, in memory that does not grow with them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, time
from typing import IO, TYPE_CHECKING, Any

from fewaspect.core.extras import require
from fewaspect.reviews.readers.columns import cell_shape
from fewaspect.reviews.readers.source import Columns
from fewaspect.reviews.writers import Layout, Row, Writer, refuse_new_columns, table_cell

if TYPE_CHECKING:
    from fewaspect.reviews.pipeline import Summary

MOST_ROWS, LONGEST = 1_048_576, 32_767  # of a sheet, the header among them; characters of a cell: Excel's own limits
NARROWEST, WIDEST = 8, 60  # characters of a column
_DAY, _FIRST_YEAR = "yyyy-mm-dd", 1900  # as Excel knows dates
_DIGITS = 15  # beyond which Excel would round an integer


class ExcelRows(Writer):
    """Texts are texts, never formulas; numbers, dates and truths are what they are, also those of a table of text where
    all of a column are such. What a sheet cannot hold goes on in a second one."""

    def __init__(self, file: IO[Any], layout: Layout, columns: Columns) -> None:
        self.layout, self.names = layout, list(columns.kinds)
        self.shapes = [columns.shapes.get(name) for name in self.names]
        self.widths = [0] * (len(self.names) + len(layout.flat_names))
        options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
        self.book = require("xlsxwriter", "excel", "Excel").Workbook(file, options)
        self.fraction = self.book.add_format({"num_format": "0.00"})
        self.day, self.minute = (self.book.add_format({"num_format": form}) for form in (_DAY, f"{_DAY} hh:mm"))
        self.header = self.book.add_format({"bold": True})
        self._begin_sheet()

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            refuse_new_columns(row, self.names)
            if self.row >= MOST_ROWS:
                self._end_sheet()
                self._begin_sheet()
            own = (row.fields.get(name) for name in self.names)
            self._write([*own, *self.layout.flat(row).values()])

    def finish(self, summary: Summary) -> None:
        self._end_sheet()
        self.book.close()

    def abandon(self) -> None:
        with suppress(Exception):  # its temporary files go with it; the first error is the one to tell
            self.book.close()

    def _begin_sheet(self) -> None:
        number = len(self.book.worksheets()) + 1
        self.sheet, self.row = self.book.add_worksheet("Results" if number == 1 else f"Results {number}"), 0
        self._write([*self.names, *self.layout.flat_names], self.header)
        self.sheet.freeze_panes(1, 0)

    def _end_sheet(self) -> None:
        """As wide as what is in the columns, within bounds; a menu in each to sort and choose by."""
        for column, width in enumerate(self.widths):
            self.sheet.set_column(column, column, min(max(width, NARROWEST), WIDEST) + 2)
        self.sheet.autofilter(0, 0, max(self.row - 1, 1), len(self.widths) - 1)

    def _write(self, cells: Sequence[Any], format: Any = None) -> None:
        for column, cell in enumerate(cells):
            if self.row and column < len(self.shapes) and (shape := self.shapes[column]) and cell:
                cell = _shaped(cell, shape)
            if isinstance(cell, bool):
                self.sheet.write_boolean(self.row, column, cell)
            elif isinstance(cell, float) and abs(cell) != float("inf") and cell == cell:
                fraction = self.fraction if 0 < cell < 1 and column >= len(self.names) else None
                self.sheet.write_number(self.row, column, cell, fraction)
            elif isinstance(cell, int) and abs(cell) < 10**_DIGITS:
                self.sheet.write_number(self.row, column, cell)
            elif isinstance(cell, date) and cell.year >= _FIRST_YEAR and getattr(cell, "tzinfo", None) is None:
                plain = not isinstance(cell, datetime) or cell.time() == time()
                self.sheet.write_datetime(self.row, column, cell, self.day if plain else self.minute)
                self.widths[column] = max(self.widths[column], len("2024-03-31 09:30"))
            elif text := str(table_cell(cell)):
                self.sheet.write_string(self.row, column, shortened_cell(text), format)
                self.widths[column] = max(self.widths[column], min(len(text), WIDEST))
        self.row += 1


def _shaped(cell: Any, shape: str) -> Any:
    """A text of this shape as what it says; a pipe may bring another late, which stays text."""
    if not isinstance(cell, str) or cell_shape(cell) != shape:
        return cell
    if shape == "truth":
        return cell == "TRUE"
    if shape == "number":
        return float(cell) if "." in cell else int(cell)
    try:
        return datetime.fromisoformat(cell)
    except ValueError:  # the 31st of February
        return cell


def shortened_cell(text: str) -> str:
    """With an ellipsis where it is longer than Excel allows, which counts UTF-16 units."""
    if len(text) <= LONGEST // 2 or len(text.encode("utf-16-le")) // 2 <= LONGEST:
        return text
    return text.encode("utf-16-le")[: 2 * (LONGEST - 1)].decode("utf-16-le", "ignore") + "…"
