"""Results for spreadsheets: workbooks and CSV that open as they should, and in which nothing runs."""

from __future__ import annotations

import re
import zipfile
from datetime import date, datetime
from pathlib import Path

import pytest
import python_calamine

from fewaspect.data.formats.records import Place
from fewaspect.detector.explain import Analysis
from fewaspect.reviews import excel_rows
from fewaspect.reviews.formats import InputFormat, OutputFormat
from fewaspect.reviews.pipeline import Summary
from fewaspect.reviews.readers.columns import Kind
from fewaspect.reviews.readers.source import Columns, Source, read_reviews, survey
from fewaspect.reviews.writers import Layout, Row, Target, open_writer

COLUMNS = Columns({"id": Kind.INTEGER, "text": Kind.STRING})
FORMULA = '=HYPERLINK("http://evil")'


def row(text: str, number: int = 1) -> Row:
    nothing = Analysis("", (), {}, "", (), {}, ())
    fields = {"id": number, "text": text}
    return Row(
        Place("r"), fields, text, number, 0, len(text), ("food", "price"), {"food": 0.5, "price": 1.0}, "", (), nothing
    )


def written(path: Path, rows: list[Row], format: OutputFormat, spreadsheet: bool = False) -> Path:
    layout = Layout(("food", "price"))
    with open_writer(Target(str(path), format, spreadsheet=spreadsheet), layout, COLUMNS) as writer:
        writer.write(rows)
        writer.finish(Summary(layout.classes))
    return path


def sheets(path: Path) -> dict[str, list[list[object]]]:
    with python_calamine.CalamineWorkbook.from_path(str(path)) as book:
        return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def test_a_workbook_holds_texts_as_texts_and_probabilities_as_numbers(tmp_path: Path) -> None:
    path = written(tmp_path / "r.xlsx", [row(FORMULA, 7), row("Größe 🍜\nline")], OutputFormat.XLSX)
    assert sheets(path)["Results"] == [
        ["id", "text", "aspects", "p_food", "p_price", "text_language"],
        [7.0, FORMULA, "food; price", 0.5, 1.0, ""],
        [1.0, "Größe 🍜\nline", "food; price", 0.5, 1.0, ""],
    ]


def test_numbers_and_dates_of_a_table_of_text_are_numbers_and_dates_where_all_of_a_column_are(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(
        "review,stars,price,day,back,phone,code,mixed\n"
        "good,4,2.50,2024-03-31,TRUE,007,1234567890123456,5\n"
        "bad,,-0.5,2024-03-31 09:30,FALSE,12,1,n/a\n"
    )
    columns = survey(Source(str(tmp_path / "r.csv"), InputFormat.CSV), None)
    assert columns is not None
    reviews = read_reviews(Source(str(tmp_path / "r.csv"), InputFormat.CSV))
    nothing = Analysis("", (), {}, "", (), {}, ())
    rows = [Row(r.place, r.fields, r.text, 1, 0, 0, (), {"food": 0.5, "price": 1.0}, "", (), nothing) for r in reviews]
    with open_writer(Target(str(tmp_path / "r.xlsx"), OutputFormat.XLSX), Layout(("food", "price")), columns) as writer:
        writer.write(rows)
        writer.finish(Summary(("food", "price")))
    _, first, second = sheets(tmp_path / "r.xlsx")["Results"]
    assert first[:8] == ["good", 4.0, 2.5, date(2024, 3, 31), True, "007", "1234567890123456", "5"]
    assert second[:8] == ["bad", "", -0.5, datetime(2024, 3, 31, 9, 30), False, "12", "1", "n/a"]


def test_a_workbook_can_be_filtered_and_its_columns_are_as_wide_as_what_they_hold(tmp_path: Path) -> None:
    path = written(tmp_path / "r.xlsx", [row("x" * 300), row("y")], OutputFormat.XLSX)
    with zipfile.ZipFile(path) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert '<autoFilter ref="A1:F3"/>' in sheet
    widths = [float(width) for width in re.findall(r'<col [^>]*?width="([\d.]+)"', sheet)]
    assert widths[1] > 55 > 15 > widths[0]


def test_what_a_sheet_cannot_hold_goes_on_in_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excel_rows, "MOST_ROWS", 3)
    found = sheets(written(tmp_path / "r.xlsx", [row(f"t{n}", n) for n in range(3)], OutputFormat.XLSX))
    assert {name: len(rows) for name, rows in found.items()} == {"Results": 3, "Results 2": 2}


@pytest.mark.parametrize("letter", ["x", "🍜"])
def test_a_cell_that_is_too_long_for_excel_is_shortened_with_a_sign(tmp_path: Path, letter: str) -> None:
    path = written(tmp_path / "r.xlsx", [row(letter * 40_000)], OutputFormat.XLSX)
    text = str(sheets(path)["Results"][1][1])
    assert text.endswith(letter + "…")
    assert 32_700 < len(text.encode("utf-16-le")) // 2 <= 32_767


def test_csv_for_a_spreadsheet_has_a_mark_and_no_formulas(tmp_path: Path) -> None:
    rows = [row(FORMULA), row("@cmd"), row("-5"), row("Größe")]
    content = written(tmp_path / "r.csv", rows, OutputFormat.CSV, spreadsheet=True).read_bytes()
    assert content.startswith(b"\xef\xbb\xbfid,text")
    assert "'=HYPERLINK" in content.decode()
    assert ",'@cmd," in content.decode()
    assert ",-5," in content.decode()
    plain = written(tmp_path / "p.csv", rows, OutputFormat.CSV).read_text()
    assert plain.startswith("id,text"), "programs get what was there"
    assert ",@cmd," in plain
