"""Tables and texts are read as they were written, in whatever encoding, by whatever separator, without being told."""

from __future__ import annotations

import csv
import gzip
import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fewaspect.bulk.partition_reader import read_partition
from fewaspect.bulk.plan import BulkSettings, make_plan
from fewaspect.bulk.storage import find_files
from fewaspect.core.errors import ConfigError, DataError
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.readers.source import Source, read_reviews, reading_in_words
from fewaspect.reviews.readers.text_format import detect_encoding, parse_delimiter

ENCODINGS = {
    "utf-8": "utf-8", "utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-16-le": "utf-16-le", "utf-16-be": "utf-16-be",
    "cp1252": "cp1252",
}  # fmt: skip
SENTENCE = (
    "The soup was cold but café Größe naïve “schön” 5 € façade señor Ångström Überraschung été a,b c;d e|f "
    "1,5 3;4 so-so! really? (no) 50% “quoted” crème brûlée"
)
WORDS = [*SENTENCE.split(), '"', "tab\there", "two\nlines", "", "🍜", "漢字", "Привет"]
NAMES = ("id", "stars", "text", "Ort", "Größe", "a b", "note", "date")
CELLS = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
TABLES = st.integers(2, 6).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=12)
)


def written(rows: list[list[str]], encoding: str, delimiter: str, quoting: int, end: str) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(rows)
    return file.getvalue().encode(encoding)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=TABLES,
    encoding=st.sampled_from(sorted(ENCODINGS)),
    delimiter=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    name=st.sampled_from(["r.csv", "r.tsv"]),
)
def test_a_table_is_read_back_from_any_encoding_separator_and_quoting(
    tmp_path: Path, table: list[list[str]], encoding: str, delimiter: str, quoting: int, end: str, name: str
) -> None:
    if encoding == "cp1252":
        table = [[cell.encode("cp1252", "ignore").decode("cp1252") for cell in row] for row in table]
    if end == "\r":  # such a file has no line feeds at all
        table = [[cell.replace("\n", " ") for cell in row] for row in table]
    names = list(NAMES[: len(table[0])])
    rows = [[f"{number}", *row[1:]] for number, row in enumerate(table)]
    (path := tmp_path / name).write_bytes(written([names, *rows], encoding, delimiter, quoting, end))
    found = list(read_reviews(Source(str(path), InputFormat(path.suffix[1:])), names[-1]))
    assert [list(review.fields.values()) for review in found] == rows
    assert list(found[0].fields) == names


@settings(max_examples=200, deadline=None)
@given(lines=st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40), min_size=1, max_size=20))
def test_any_text_in_utf8_or_with_a_mark_is_recognised(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert detect_encoding(text.encode()) == "utf-8"
    assert detect_encoding(text.encode("utf-8-sig")) == "utf-8"
    assert detect_encoding(("\ufeff" + text).encode("utf-16-be")) == "utf-16-be"


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(CELLS.map(lambda text: text.replace("\n", " ").strip()), min_size=1, max_size=20),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    rows=st.integers(1, 5),
)
def test_bulk_partitions_hold_the_same_texts_as_the_file(
    tmp_path: Path, texts: list[str], encoding: str, end: str, rows: int
) -> None:
    texts = ["The first.", *texts]
    (path := tmp_path / "r.txt").write_bytes("".join(text + end for text in texts).encode(encoding))
    plan = make_plan(find_files(str(path)), BulkSettings(InputFormat.TXT, rows=rows), {})
    chunks = [chunk for partition in plan.partitions for chunk in read_partition(plan, partition)]
    assert [row["text"] for chunk in chunks for row in chunk.table.to_pylist()] == texts
    assert [review.text for review in read_reviews(Source(str(path), InputFormat.TXT))] == texts


def test_a_late_letter_of_windows_1252_is_enough(tmp_path: Path) -> None:
    lines = b"plain text\n" * 30_000 + b"caf\xe9 \x80 5\n"
    (path := tmp_path / "r.txt").write_bytes(lines)
    assert list(read_reviews(Source(str(path), InputFormat.TXT)))[-1].text == "café € 5"
    (packed := tmp_path / "r.txt.gz").write_bytes(gzip.compress(lines))
    assert list(read_reviews(Source(str(packed), InputFormat.TXT)))[-1].text == "café € 5"


def test_one_wrong_byte_does_not_make_utf8_another_encoding(tmp_path: Path) -> None:
    (path := tmp_path / "r.txt").write_bytes("Größe, naïve\n".encode() * 1000 + b"caf\xe9\n")
    with pytest.raises(
        DataError, match=r"line 1001: expected text in utf-8, found the invalid byte 0xe9.*\n.*In Excel"
    ):
        list(read_reviews(Source(str(path), InputFormat.TXT)))
    latin = Source(str(path), InputFormat.TXT, encoding="cp1252")  # what is named is obeyed
    assert next(read_reviews(latin)).text == "GrÃ¶ÃŸe, naÃ¯ve"


def test_old_macintosh_line_ends_separate_reviews(tmp_path: Path) -> None:
    (path := tmp_path / "r.txt").write_bytes(b"Cold soup.\rLoud room.\rNice staff.\r")
    texts = [review.text for review in read_reviews(Source(str(path), InputFormat.TXT))]
    assert texts == ["Cold soup.", "Loud room.", "Nice staff."]
    path.write_bytes(b"Cold\rsoup.\r\nLoud room.\n")  # a file with line feeds ends its lines there alone
    assert [review.text for review in read_reviews(Source(str(path), InputFormat.TXT))] == ["Cold\rsoup.", "Loud room."]


def test_a_named_separator_is_obeyed_and_a_line_of_excel_is_no_header(tmp_path: Path) -> None:
    (path := tmp_path / "r.csv").write_text("a;b,text\n1;2,soup\n")
    (by_comma,) = read_reviews(Source(str(path), InputFormat.CSV))
    assert by_comma.fields == {"a;b": "1;2", "text": "soup"}
    (by_semicolon,) = read_reviews(Source(str(path), InputFormat.CSV, delimiter=";"), "a")
    assert by_semicolon.fields == {"a": "1", "b,text": "2,soup"}
    path.write_text("sep=;\nid;text\n1;soup, cold\n")
    assert [review.fields for review in read_reviews(Source(str(path), InputFormat.CSV))] == [
        {"id": "1", "text": "soup, cold"}
    ]


def test_separators_have_names() -> None:
    assert [parse_delimiter(name) for name in ("semicolon", "Tab", "\\t", "|", None)] == [";", "\t", "\t", "|", None]
    with pytest.raises(ConfigError, match="expected comma, semicolon, tab or pipe"):
        parse_delimiter("x")


def test_a_pipe_is_read_by_what_it_begins_with(monkeypatch: pytest.MonkeyPatch) -> None:
    content = "id;text\n1;Größe\n".encode("utf-16")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(content))))  # type: ignore[arg-type]
    (review,) = read_reviews(Source("-", InputFormat.CSV))
    assert review.fields == {"id": "1", "text": "Größe"}


def test_an_unusual_reading_is_told_in_words(tmp_path: Path) -> None:
    (path := tmp_path / "r.csv").write_bytes("id;text\n1;Größe\n".encode("cp1252"))
    told = "read as Windows-1252, cells separated by semicolons"
    assert reading_in_words(Source(str(path), InputFormat.CSV)) == told
    assert reading_in_words(Source(str(path), InputFormat.CSV, "cp1252", ";")) == ""
    path.write_text("id,text\n1,soup\n")
    assert reading_in_words(Source(str(path), InputFormat.CSV)) == ""
    path.write_text("word\n", encoding="utf-8")
    assert reading_in_words(Source(str(path), InputFormat.TXT)) == ""


@pytest.mark.parametrize("name", ["utf-16", "utf-16-le"])
def test_a_long_line_of_utf16_is_refused_and_the_next_are_read(tmp_path: Path, name: str) -> None:
    (path := tmp_path / "r.txt").write_bytes(("fine\n" + "x" * (6 << 20) + "\nfine\n").encode(name))
    plan = make_plan(find_files(str(path)), BulkSettings(InputFormat.TXT), {})
    chunks = [chunk for partition in plan.partitions for chunk in read_partition(plan, partition)]
    assert [row["text"] for chunk in chunks for row in chunk.table.to_pylist()] == ["fine", "fine"]
    (bad,) = (bad for chunk in chunks for bad in chunk.bad)
    assert "a line of at most 10 MB" in bad["reason"]
