"""Reviews are read from every format as a stream, and a fault is reported with its place."""

from __future__ import annotations

import gzip
import io
import json
import sys
import time
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fewaspect.core.errors import ConfigError, DataError
from fewaspect.reviews.formats import InputFormat, OutputFormat, PipeFormat, choose_formats
from fewaspect.reviews.pipeline import Stream, chunked
from fewaspect.reviews.readers.columns import Kind, distinct_names, text_column
from fewaspect.reviews.readers.source import Review, Source, read_reviews, survey

NASTY = 'Cold soup, "great" waiter 🍜\nsecond line'


def read(path: Path, format: str, column: str | None = None) -> list[Review]:
    return list(read_reviews(Source(str(path), InputFormat(format)), column))


def test_plain_text_has_a_review_per_line_also_where_it_is_blank(tmp_path: Path) -> None:
    path = tmp_path / "r.txt"
    path.write_bytes("\ufeffone\r\n\ntwo 🍜".encode())
    assert [review.text for review in read(path, "txt")] == ["one", "", "two 🍜"]
    assert [str(review.place) for review in read(path, "txt")] == [f"{path}, line {i}" for i in (1, 2, 3)]


def test_a_table_keeps_all_columns_beside_the_text(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(f'id,Review,stars,stars\n7,"{NASTY.replace(chr(34), chr(34) * 2)}",5,x\n8,,1,y\n')
    first, second = read(path, "csv")
    assert first.text == NASTY
    assert first.fields == {"id": "7", "Review": NASTY, "stars": "5", "stars.1": "x"}
    assert second.text == ""
    assert str(second.place).endswith("line 4")


def test_columns_of_the_same_name_are_all_kept(tmp_path: Path) -> None:
    (path := tmp_path / "r.csv").write_text("text,a,a,a.1,a\nsoup,1,2,3,4\n")
    (review,) = read_reviews(Source(str(path), InputFormat.CSV))
    assert list(review.fields.items()) == [("text", "soup"), ("a", "1"), ("a.2", "2"), ("a.1", "3"), ("a.3", "4")]


def test_json_lines_keep_all_fields_and_null_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    records = [{"body": NASTY, "tags": ["a"]}, {"body": None, "more": {"x": 1}}]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert [review.text for review in read(path, "jsonl")] == [NASTY, ""]
    assert [review.fields for review in read(path, "jsonl")] == records


def test_parquet_keeps_all_columns_and_their_types(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    when = datetime(2024, 5, 6, 7, 8, 9, 123456)
    types = [("text", pa.large_string()), ("n", pa.int8()), ("when", pa.timestamp("ns")), ("l", pa.list_(pa.string()))]
    rows = [{"text": NASTY, "n": 3, "when": when, "l": ["a"]}, {"text": None, "n": None, "when": None, "l": None}]
    pq.write_table(pa.Table.from_pylist(rows, schema=pa.schema(types)), path)
    assert [review.fields for review in read(path, "parquet")] == rows
    known = survey(Source(str(path), InputFormat.PARQUET), None)
    assert known is not None
    assert (known.total, known.schema.field("n").type, known.schema.field("when").type) == (
        2, pa.int8(), pa.timestamp("us"),
    )  # fmt: skip


def test_many_columns_of_the_same_name_are_soon_named() -> None:
    started = time.thread_time()
    assert distinct_names(["a.2", *["a"] * 6000])[-1] == "a.6000"
    assert time.thread_time() - started < 1


def test_columns_of_the_same_name_in_parquet_are_all_kept(tmp_path: Path) -> None:
    columns = [pa.array(["soup"]), pa.array([1]), pa.array(["x"])]
    pq.write_table(pa.Table.from_arrays(columns, names=["text", "a", "a"]), path := tmp_path / "r.parquet")
    assert [review.fields for review in read(path, "parquet")] == [{"text": "soup", "a": 1, "a.1": "x"}]
    columns_met = Stream(Source(str(path), InputFormat.PARQUET)).columns
    assert columns_met.schema.names == list(columns_met.kinds) == ["text", "a", "a.1"]


@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("ms"), pa.timestamp("us", "UTC"), pa.duration("s")])
def test_a_date_that_python_cannot_hold_is_refused_with_its_column(tmp_path: Path, kind: pa.DataType) -> None:
    number = 2_000_000_000 if kind.bit_width == 32 else 10**18
    when = pa.array([number], pa.int32() if kind.bit_width == 32 else pa.int64()).cast(kind)
    pq.write_table(pa.table({"text": ["soup"], "when": when}), path := tmp_path / "r.parquet")
    with pytest.raises(DataError, match=r'r\.parquet, column "when": expected values that Python can hold'):
        read(path, "parquet")


@pytest.mark.parametrize("format", ["txt", "csv", "jsonl"])
def test_text_may_be_compressed(tmp_path: Path, format: str) -> None:
    content = {"txt": "one\n", "csv": "text\none\n", "jsonl": '{"text": "one"}\n'}[format]
    path = tmp_path / f"r.{format}.gz"
    path.write_bytes(gzip.compress(content.encode()))
    assert choose_formats(str(path), "out.csv")[0].value == format
    assert [review.text for review in read(path, format)] == ["one"]
    path.write_bytes(gzip.compress(content.encode() * 999)[:-9])
    with pytest.raises(DataError, match="damaged data"):
        read(path, format)


def test_standard_input_is_read_once_and_may_be_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (b"one\ntwo\n", gzip.compress(b"one\ntwo\n")):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        stream = Stream(Source("-", InputFormat.TXT), size=1)
        assert [[review.text for review in chunk] for chunk in stream.chunks] == [["one"], ["two"]]
        assert stream.columns.total is None


def test_the_text_column_is_a_usual_name_or_the_only_one_or_as_said() -> None:
    place = Source("r.csv", InputFormat.CSV).place
    assert text_column(["id", "Review", "Text "], None, place) == "Text "
    assert text_column(["comment"], None, place) == "comment"
    assert text_column(["text", "comment"], "comment", place) == "comment"
    with pytest.raises(DataError, match=r'r\.csv: expected a column of reviews .*found the columns "id", "comment"'):
        text_column(["id", "comment"], None, place)
    with pytest.raises(DataError, match=r'expected a column "coment", found .*\n.*--column comment'):
        text_column(["id", "comment"], "coment", place)


@pytest.mark.parametrize(
    ("name", "header", "names"),
    [("r.csv", "id;text", "semicolons"), ("r.csv", "id\ttext", "tabs"), ("r.tsv", "id,text", "commas")],
)
def test_a_table_whose_rows_are_not_separated_as_its_header_is_not_taken_for_one_column(
    name: str, header: str, names: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(f"{header}\n1\n", encoding="utf-8")
    format = InputFormat(path.suffix[1:])
    for wanted in (None, "text"):
        with pytest.raises(DataError, match=rf"several, separated by {names}, but not all rows are\.\n.*--delimiter"):
            list(read_reviews(Source(str(path), format), wanted))
    assert [review.text for review in read_reviews(Source(str(path), format), header)] == ["1"]


def test_the_only_column_may_have_a_comma_in_its_name(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text('"Reviews, 2024"\ncold soup\n', encoding="utf-8")
    assert [review.text for review in read_reviews(Source(str(path), InputFormat.CSV))] == ["cold soup"]


FAULTS = {
    "txt": (b"f\xc3\xadne\nbad \xff\n", "line 2: expected text in utf-8, found the invalid byte 0xff"),
    "csv": (b"id,text\n1,fine\n2,a,b\n", "line 3: expected 2 cells as in the header, found 3"),
    "tsv": (b"", "expected a header line"),
    "jsonl": (b'{"text": "fine"}\n{"text": 3}\n', 'line 2: "text" must be a string, found the number 3'),
    "parquet": (b"PAR1 nonsense", "expected a Parquet file"),
}


@pytest.mark.parametrize("format", FAULTS)
def test_a_fault_is_reported_with_file_and_line(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"r.{format}"
    content, message = FAULTS[format]
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"r.{format}.*{message}"):
        read(path, format)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": ', "line 1: expected valid JSON, found a text that breaks off after column 8.*\n.*--from"),
        ("[1]", "line 1: expected a JSON object, found a list"),
        ('{"text": "x", "name": "\\ud83d"}', 'line 1: "name" must be Unicode text, found half'),
        (
            '{"id": "a"}\n{"id": "b", "text": "x"}',
            'line 2: the column .* "id", the only one.*"id", "text"\\.\n.*--column',
        ),
        ('{"text": "x"}\n{"txt": "x"}', 'line 2: expected a column "text", found the columns "txt"'),
    ],
)
def test_a_fault_in_json_is_reported(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(DataError, match=message):
        read(path, "jsonl")


def test_a_folder_a_missing_file_and_a_column_of_plain_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="found a directory"):
        read(tmp_path, "txt")
    with pytest.raises(DataError, match="nothing of that name"):
        read(tmp_path / "missing.txt", "txt")
    with pytest.raises(DataError, match="plain text has no columns"):
        read(tmp_path / "r.txt", "txt", "review")


def test_a_file_is_checked_to_its_end_before_its_first_chunk_is_given_out(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"text": "fine"}\n' * 50 + "{\n")
    with pytest.raises(DataError, match="line 51"):
        Stream(Source(str(path), InputFormat.JSONL), size=10)
    path.write_text('{"text": "a", "n": 1, "v": 1}\n{"text": "b", "n": 1.5, "v": "x", "late": true}\n')
    columns = Stream(Source(str(path), InputFormat.JSONL)).columns
    assert columns.total == 2
    assert columns.kinds == {"text": Kind.STRING, "n": Kind.FLOAT, "v": Kind.MIXED, "late": Kind.BOOLEAN}


@pytest.mark.parametrize(("format", "content"), [("csv", "text,id\n"), ("csv", ""), ("txt", ""), ("jsonl", "\n")])
def test_a_file_or_pipe_without_reviews_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str, content: str
) -> None:
    (path := tmp_path / "r").write_text(content)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content.encode())))
    for source in (str(path), "-"):
        with pytest.raises(DataError, match=r"expected .*reviews.*, found (none|nothing)"):
            Stream(Source(source, InputFormat(format)))


def test_a_chunk_ends_by_number_or_by_length() -> None:
    reviews = [Review("x" * n, "text", {}, Source("r", InputFormat.TXT).place) for n in (1, 1, 1, 50, 1)]
    assert [len(chunk) for chunk in chunked(reviews, size=2, characters=40)] == [2, 2, 1]


def test_formats_follow_from_what_is_said_then_the_extension_then_the_pipes_format() -> None:
    assert choose_formats("-", "-") == (InputFormat.TXT, OutputFormat.JSONL)
    assert choose_formats("-", "-", PipeFormat.CSV) == (InputFormat.CSV, OutputFormat.CSV)
    assert choose_formats("-", "-", PipeFormat.HTML) == (InputFormat.TXT, OutputFormat.HTML)
    assert choose_formats("r.PQ", "-", PipeFormat.CSV) == (InputFormat.PARQUET, OutputFormat.CSV)
    assert choose_formats("-", "out.html", PipeFormat.JSONL) == (InputFormat.JSONL, OutputFormat.HTML)
    assert choose_formats("r.csv", "o.csv", None, InputFormat.TSV, OutputFormat.TSV) == (
        InputFormat.TSV, OutputFormat.TSV,
    )  # fmt: skip


def test_a_format_that_cannot_be_known_or_would_mean_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"r\.doc: expected an extension .*found \.doc\.\n.*--from"):
        choose_formats("r.doc", "o.csv")
    with pytest.raises(ConfigError, match=r"found none\.\n.*--to"):
        choose_formats("r.csv", "results")
    with pytest.raises(ConfigError, match="--format csv is for standard input or output"):
        choose_formats("r.csv", "o.csv", PipeFormat.CSV)
