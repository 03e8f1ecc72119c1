"""`fewaspect detect`, the studio's preview and bulk jobs read the same awkward files alike, and refuse them alike."""

from __future__ import annotations

import gzip
from pathlib import Path
from threading import Event
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fewaspect.bulk.partition_reader import read_partition
from fewaspect.bulk.plan import BulkSettings, make_plan
from fewaspect.bulk.storage import find_files
from fewaspect.core.errors import DataError
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.pipeline import Stream
from fewaspect.reviews.readers.source import Source
from fewaspect.studio.importing.budget import Budget
from fewaspect.studio.importing.preview import preview
from fewaspect.studio.importing.uploads import keep_upload

Rows = list[dict[str, Any]]
BOM = b"\xef\xbb\xbf"
TABLE = (
    BOM
    + (
        'id,text,note,note\r\n\r\n1,"two\nlines, ""quoted""",a,b\r\n\n2,café 🍜,,"x\r\n"'  # no line end at the end
    ).encode()
)
AWKWARD: dict[str, tuple[bytes, Rows]] = {
    "r.csv": (
        TABLE,
        [
            {"id": "1", "text": 'two\nlines, "quoted"', "note": "a", "note.1": "b"},
            {"id": "2", "text": "café 🍜", "note": "", "note.1": "x\r\n"},
        ],
    ),
    "r.tsv": (
        TABLE.replace(b",", b"\t").replace(b"lines\t", b"lines,"),
        [
            {"id": "1", "text": 'two\nlines, "quoted"', "note": "a", "note.1": "b"},
            {"id": "2", "text": "café 🍜", "note": "", "note.1": "x\r\n"},
        ],
    ),
    "r.jsonl": (
        BOM + b'\n{"text": "two\\nlines", "id": 1}\r\n \n{"text": "\\ud83c\\udf5c", "id": 2}',
        [{"text": "two\nlines", "id": 1}, {"text": "🍜", "id": 2}],
    ),
    "r.txt": (BOM + "one\r\n\n\u2028 café\n last".encode(), [{"text": t} for t in ("one", "", "\u2028 café", " last")]),
}
FAULTS = {
    "r.csv": (b"id,text\n1,fine\n\n2,a,b\n", "line 4", "expected 2 cells as in the header, found 3"),
    "r.tsv": (b'id\ttext\n1\t"fine\nso"\n2\t"a"b\n', "line 4", "expected cells separated by tabs, found a row that"),
    "r.jsonl": (b'{"text": "fine"}\n\n[1, 2]\n', "line 3", "expected a JSON object, found a list of 2"),
    "half.jsonl": (
        b'{"text": "fine"}\n{"text": "x", "n": "\\ud83c"}\n',
        "line 2",
        '"n" must be Unicode text, found',
    ),
    "r.txt": (
        b"f\xc3\xadne, fine\ncaf\xe9\n",
        "line 2",
        "expected text in utf-8, found the invalid byte 0xe9 at byte 4",
    ),
    "nul.csv": (b"text\nfine\n\0\n", "line 3", "expected text, found a NUL byte at byte 1"),
    "long.txt": (b"fine\n" + b"x" * (11 << 20) + b"\nfine\n", "line 2", "expected a line of at most 10 MB, found a lo"),
}


def by_detect(path: Path, encoding: str = "utf-8") -> Rows:
    stream = Stream(Source(str(path), InputFormat(path.suffix[1:]), encoding))
    return [review.fields for chunk in stream.chunks for review in chunk]


def by_preview(path: Path) -> Rows:
    with path.open("rb") as file:
        upload = keep_upload(file, path.name, 256 << 20)
    try:
        return preview(upload, Budget(60, Event()))["rows"]
    except DataError as error:
        raise upload.as_user_error(error) from None
    finally:
        upload.remove()


def by_bulk(path: Path, encoding: str = "utf-8", rows: int = 1) -> tuple[Rows, list[dict[str, str]]]:
    settings = BulkSettings(InputFormat(path.suffix[1:]), encoding=encoding, rows=rows)
    plan = make_plan(find_files(str(path)), settings, {})
    chunks = [chunk for partition in plan.partitions for chunk in read_partition(plan, partition)]
    return [row for c in chunks for row in c.table.to_pylist()], [bad for c in chunks for bad in c.bad]


@pytest.mark.parametrize("name", AWKWARD)
def test_all_read_the_same_records(tmp_path: Path, name: str) -> None:
    content, expected = AWKWARD[name]
    (path := tmp_path / name).write_bytes(content)
    assert by_detect(path) == expected
    assert by_preview(path) == [{key: str(value) for key, value in row.items()} for row in expected]
    for rows in (1, 2, 100):
        assert by_bulk(path, rows=rows) == (expected, [])


def test_all_read_the_same_columns_of_parquet(tmp_path: Path) -> None:
    columns = [pa.array(["soup", "walls"]), pa.array([1, 2]), pa.array(["x", "y"])]
    pq.write_table(pa.Table.from_arrays(columns, names=["text", "a", "a"]), path := tmp_path / "r.parquet")
    expected = [{"text": "soup", "a": 1, "a.1": "x"}, {"text": "walls", "a": 2, "a.1": "y"}]
    assert by_detect(path) == expected
    assert by_preview(path) == [{key: str(value) for key, value in row.items()} for row in expected]
    assert by_bulk(path) == (expected, [])


@pytest.mark.parametrize("name", FAULTS)
def test_all_find_the_same_fault_which_a_bulk_job_sets_aside(tmp_path: Path, name: str) -> None:
    content, line, problem = FAULTS[name]
    (path := tmp_path / name).write_bytes(content)
    for read in (by_detect, by_preview):
        with pytest.raises(DataError) as caught:
            read(path)
        assert f"{name}, {line}: {problem}" in str(caught.value)
    for rows in (1, 100):
        good, (bad,) = by_bulk(path, rows=rows)
        assert bad["place"] == f"{path}, {line}"
        assert bad["reason"].startswith(problem)
        assert good
        assert all("fine" in row["text"] for row in good)


@pytest.mark.parametrize("name", ["r.txt", "r.csv", "r.jsonl"])
def test_another_encoding_is_read_alike(tmp_path: Path, name: str) -> None:
    content = {"r.txt": "café\n", "r.csv": "text\ncafé\n", "r.jsonl": '{"text": "café"}'}[name]
    (path := tmp_path / name).write_bytes(content.encode("latin-1"))
    assert by_detect(path, "latin-1") == by_bulk(path, "latin-1")[0] == [{"text": "café"}]
    for read in (by_detect, lambda path, encoding: by_bulk(path, encoding)):
        with pytest.raises(DataError, match=r"r\..*: expected a known text encoding, found"):
            read(path, "klingon")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "expected .*found (none|nothing)"),
        (b"\n\n", "expected a header line and reviews below it, found nothing"),
        (b"id;text\n1,soup\n", "several, separated by semicolons, but not all rows are"),
        ("id,text\n1,soup\n".encode("utf-16"), "expected text in UTF-8, found a UTF-16 file"),
        (b"id,\xff\n1,2\n", "line 1: expected text in utf-8"),
    ],
)
def test_a_table_without_a_header_that_can_be_read_is_refused_by_all(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (path := tmp_path / "r.csv").write_bytes(content)
    for read in (by_detect, by_bulk):
        with pytest.raises(DataError, match=message):
            read(path)


def test_damaged_compressed_text_is_refused_by_all(tmp_path: Path) -> None:
    (path := tmp_path / "r.jsonl.gz").write_bytes(gzip.compress(b'{"text": "soup"}\n' * 999)[:-9])
    with pytest.raises(DataError, match="damaged data"):
        list(Stream(Source(str(path), InputFormat.JSONL)).chunks)
    with pytest.raises(DataError, match="damaged data"):
        make_plan(find_files(str(path)), BulkSettings(InputFormat.JSONL), {})
