"""Rows as an Excel workbook, in memory that does not grow with them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from fewaspect.core.extras import require
from fewaspect.reviews.readers.source import Columns
from fewaspect.reviews.writers import Layout, Row, Writer, refuse_new_columns, table_cell

if TYPE_CHECKING:
    from fewaspect.reviews.pipeline import Summary

MOST_ROWS, LONGEST = 1_048_576, 32_767  # of a sheet, the header among them; characters of a cell: Excel's own limits
_DIGITS = 15  # beyond which Excel would round an integer


class ExcelRows(Writer):
    """Texts are texts, never formulas; probabilities are numbers. What a sheet cannot hold goes on in a second one."""

    def __init__(self, file: IO[Any], layout: Layout, columns: Columns) -> None:
        self.layout, self.names = layout, list(columns.kinds)
        options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
        self.book = require("xlsxwriter", "excel", "Excel").Workbook(file, options)
        self.fraction = self.book.add_format({"num_format": "0.00"})
        self._begin_sheet()

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            refuse_new_columns(row, self.names)
            if self.row >= MOST_ROWS:
                self._begin_sheet()
            own = (row.fields.get(name) for name in self.names)
            self._write([*own, *self.layout.flat(row).values()])

    def finish(self, summary: Summary) -> None:
        self.book.close()

    def abandon(self) -> None:
        with suppress(Exception):  # its temporary files go with it; the first error is the one to tell
            self.book.close()

    def _begin_sheet(self) -> None:
        number = len(self.book.worksheets()) + 1
        self.sheet, self.row = self.book.add_worksheet("Results" if number == 1 else f"Results {number}"), 0
        self._write([*self.names, *self.layout.flat_names])
        self.sheet.freeze_panes(1, 0)

    def _write(self, cells: Sequence[Any]) -> None:
        for column, cell in enumerate(cells):
            if isinstance(cell, float) and abs(cell) != float("inf") and cell == cell:
                self.sheet.write_number(self.row, column, cell, self.fraction if 0 < cell < 1 else None)
            elif isinstance(cell, int) and not isinstance(cell, bool) and abs(cell) < 10**_DIGITS:
                self.sheet.write_number(self.row, column, cell)
            elif text := str(table_cell(cell)):
                self.sheet.write_string(self.row, column, shortened_cell(text))
        self.row += 1


def shortened_cell(text: str) -> str:
    """With an ellipsis where it is longer than Excel allows, which counts UTF-16 units."""
    if len(text) <= LONGEST // 2 or len(text.encode("utf-16-le")) // 2 <= LONGEST:
        return text
    return text.encode("utf-16-le")[: 2 * (LONGEST - 1)].decode("utf-16-le", "ignore") + "…"
