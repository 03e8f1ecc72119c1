"""Excel workbooks are read as a person sees them, whatever they hold, and never end the process that reads them."""

from __future__ import annotations

import datetime as dt
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from fewaspect.bulk.partition_reader import read_partition
from fewaspect.bulk.plan import BulkSettings, make_plan
from fewaspect.bulk.storage import find_files
from fewaspect.core.errors import ConfigError, DataError
from fewaspect.data.formats.records import Place
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.readers.excel_process import as_shown
from fewaspect.reviews.readers.excel_records import excel_records, opened_sheet
from fewaspect.reviews.readers.source import Source, read_reviews, reading_in_words

TABLE = [["id", "Review"], [7, 'Cold soup.\nLoud, "loud" room 🍜'], [8, ""], [9, "=SUM(A1)"]]


def workbook(path: Path, sheets: dict[str, list[list[Any]]], hidden: str = "") -> Path:
    with xlsxwriter.Workbook(str(path), {"strings_to_formulas": False}) as book:
        day = book.add_format({"num_format": "dd.mm.yyyy"})
        at = book.add_format({"num_format": "dd.mm.yyyy hh:mm"})
        clock = book.add_format({"num_format": "hh:mm:ss"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            if name == hidden:
                sheet.hide()
            for r, row in enumerate(rows):
                for c, cell in enumerate(row):
                    formats = {dt.date: day, dt.datetime: at, dt.time: clock}
                    sheet.write(r, c, cell, *([formats[type(cell)]] if type(cell) in formats else []))
    return path


def rows(path: Path, **how: Any) -> list[dict[str, str]]:
    return [review.fields for review in read_reviews(Source(str(path), InputFormat.XLSX, **how), None)]


def test_a_sheet_is_a_table_of_texts(tmp_path: Path) -> None:
    path = workbook(tmp_path / "r.xlsx", {"One": TABLE})
    assert rows(path) == [{"id": str(i), "Review": text} for i, text in TABLE[1:]]
    assert reading_in_words(Source(str(path), InputFormat.XLSX)) == ""


def test_cells_are_what_a_person_sees(tmp_path: Path) -> None:
    values = [4.0, -2.5, 0.1 + 0.2, True, dt.date(2024, 3, 31), dt.datetime(2024, 3, 31, 9, 5), dt.time(9, 5, 7), "x"]
    path = workbook(tmp_path / "r.xlsx", {"One": [[f"c{n}" for n in range(8)], values]})
    with excel_records(str(path), Place("r.xlsx"), None) as records:
        ((place, fields),) = records.rows
    assert list(fields.values()) == ["4", "-2.5", "0.3", "TRUE", "2024-03-31", "2024-03-31 09:05", "09:05:07", "x"]
    assert str(place) == "r.xlsx, row 2"
    assert as_shown(dt.timedelta(hours=30, minutes=5)) == "30:05"
    assert as_shown(1e21) == "1e+21"


def test_the_first_sheet_with_rows_is_read_or_the_one_named(tmp_path: Path) -> None:
    sheets = {"Notes": [["About this file"]], "Empty": [], "Old": [["text"], ["old"]], "New": [["text"], ["new"]]}
    path = workbook(tmp_path / "r.xlsx", sheets, hidden="Old")
    assert rows(path) == [{"text": "new"}]
    assert rows(path, sheet="Old") == [{"text": "old"}]
    told = reading_in_words(Source(str(path), InputFormat.XLSX))
    assert told == 'read the sheet "New"; others, by --sheet: "Notes", "Empty", "Old"'
    with pytest.raises(DataError, match=r'expected a sheet "Newer", found "Notes", "Empty", "New", "Old"\.\n.*--sheet'):
        rows(path, sheet="Newer")
    with pytest.raises(DataError, match="expected a sheet with reviews, found none with anything in it"):
        rows(workbook(tmp_path / "e.xlsx", {"Empty": []}))


def test_blank_rows_are_left_out_and_nameless_columns_have_their_letter(tmp_path: Path) -> None:
    path = workbook(tmp_path / "r.xlsx", {"One": [[], ["text", "", "a", "a"], [], ["soup", 1, 2, 3], [], ["walls"]]})
    blank = {"column B": "", "a": "", "a.1": ""}
    assert rows(path) == [{"text": "soup", "column B": "1", "a": "2", "a.1": "3"}, {"text": "walls", **blank}]


def test_bulk_jobs_read_the_same_rows(tmp_path: Path) -> None:
    path = workbook(tmp_path / "r.xlsx", {"One": [["text", "n"], *([f"soup {n}", n] for n in range(7))]})
    plan = make_plan(find_files(str(path)), BulkSettings(InputFormat.XLSX, rows=3), {})
    assert [partition.rows for partition in plan.partitions] == [3, 3, 1]
    chunks = [chunk for partition in plan.partitions for chunk in read_partition(plan, partition, 2)]
    assert [row for chunk in chunks for row in chunk.table.to_pylist()] == rows(path)


def test_a_sparse_workbook_of_half_a_terabyte_is_refused_and_the_process_lives(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(str(path := tmp_path / "r.xlsx")) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "text")
        sheet.write(1048575, 16383, "far away")
    with pytest.raises(DataError, match=r"in the memory and time there is, found .*\n.*In Excel: File, Save As"):
        rows(path)


def test_reading_ends_with_its_time(tmp_path: Path) -> None:
    path = workbook(tmp_path / "r.xlsx", {"One": [["text"], *([f"soup {n}"] for n in range(20_000))]})
    started = time.monotonic()
    with (
        pytest.raises(DataError, match="memory and time"),
        opened_sheet(str(path), Place("r.xlsx"), None, 0.01) as sheet,
    ):
        list(sheet.rows)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nonsense", b"text\nsoup\n", b"\xd0\xcf\x11\xe0" + bytes(600)])
def test_what_is_no_workbook_is_refused_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    (path := tmp_path / "r.xlsx").write_bytes(content)
    with pytest.raises(DataError, match=r"r\.xlsx: expected an Excel workbook, found .*\n.*save it again as Excel W"):
        rows(path)


def test_a_damaged_part_of_a_workbook_is_refused(tmp_path: Path) -> None:
    whole = workbook(tmp_path / "w.xlsx", {"One": TABLE})
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(path := tmp_path / "r.xlsx", "w") as new:
        for name in old.namelist():
            new.writestr(name, b"<worksheet><sheetData><row><c" if "sheet1" in name else old.read(name))
    with pytest.raises(DataError, match="expected a"):
        rows(path)


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "r.xlsx", {"One": TABLE})
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(ConfigError, match=r'Excel needs python_calamine, .*pip install "fewaspect\[excel\]"'):
        rows(path)
