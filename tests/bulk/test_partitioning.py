"""A file is divided the same way every time; its partitions together are the file, each record once."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fewaspect.bulk.partition_reader import read_partition
from fewaspect.bulk.partitioning import partition_file
from fewaspect.bulk.plan import BulkSettings, make_plan
from fewaspect.bulk.storage import find_files
from fewaspect.core.errors import DataError
from fewaspect.reviews.formats import InputFormat

CELLS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=8)


def read_all(path: Path, format: InputFormat, rows: int, size: int = 3) -> tuple[list[dict[str, object]], list[str]]:
    """Good rows and the places of bad ones, partition by partition."""
    plan = make_plan(find_files(str(path)), BulkSettings(format, rows=rows), {})
    assert [part.number for part in plan.partitions] == list(range(len(plan.partitions)))
    assert all(1 <= part.rows <= rows for part in plan.partitions)
    chunks = [chunk for part in plan.partitions for chunk in read_partition(plan, part, size)]
    assert all(len(chunk.table) + len(chunk.bad) <= size for chunk in chunks)
    return [row for c in chunks for row in c.table.to_pylist()], [bad["place"] for c in chunks for bad in c.bad]


@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=20), most=st.integers(1, 7))
@example(rows=[("a", "b\n\nc"), ("x", 'y"'), ("", ""), ("5", "\r\n")], most=1)
@example(rows=[("a", "soup " * 40_000), ("b", "more")], most=2)
def test_a_table_is_the_sum_of_its_partitions(rows: list[tuple[str, str]], most: int) -> None:
    with TemporaryDirectory() as folder:
        file = io.StringIO(newline="")
        csv.writer(file).writerows([("id", "text"), *rows])
        (path := Path(folder) / "r.csv").write_bytes(file.getvalue().encode())
        good, bad = read_all(path, InputFormat.CSV, most)
    assert [(row["id"], row["text"]) for row in good] == rows
    assert bad == []


@given(texts=st.lists(CELLS, min_size=1, max_size=20), most=st.integers(1, 7), blank=st.integers(0, 2))
def test_json_lines_are_the_sum_of_their_partitions(texts: list[str], most: int, blank: int) -> None:
    with TemporaryDirectory() as folder:
        lines = [json.dumps({"id": n, "text": text}) + "\n" * (1 + blank) for n, text in enumerate(texts)]
        (path := Path(folder) / "r.jsonl").write_text("".join(lines), encoding="utf-8")
        good, _ = read_all(path, InputFormat.JSONL, most)
    assert good == [{"id": n, "text": text} for n, text in enumerate(texts)]


@given(
    count=st.integers(1, 60), group=st.integers(1, 20), most=st.integers(1, 25), largest=st.sampled_from([50, 1 << 20])
)
def test_parquet_is_the_sum_of_its_partitions(count: int, group: int, most: int, largest: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "r.parquet"
        pq.write_table(pa.table({"id": range(count), "text": ["a"] * count}), path, row_group_size=group)
        ranges = partition_file(str(path), InputFormat.PARQUET, "utf-8", most, largest).ranges
        assert [start for start, _, _ in ranges] == [sum(rows for _, _, rows in ranges[:n]) for n in range(len(ranges))]
        assert sum(rows for _, _, rows in ranges) == count
        good, _ = read_all(path, InputFormat.PARQUET, most)
    assert [row["id"] for row in good] == list(range(count))


def test_small_groups_of_parquet_are_joined_and_never_cut(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a"] * 23}), path := tmp_path / "r.parquet", row_group_size=6)
    assert [rows for _, _, rows in partition_file(str(path), InputFormat.PARQUET, "utf-8", 15).ranges] == [12, 11]


def test_compressed_text_is_divided_too(tmp_path: Path) -> None:
    with gzip.open(path := tmp_path / "r.jsonl.gz", "wt") as file:
        file.writelines(f'{{"text": "{n}"}}\n' for n in range(10))
    good, _ = read_all(path, InputFormat.JSONL, 3)
    assert [row["text"] for row in good] == [str(n) for n in range(10)]


def test_bytes_bound_a_partition_as_well_as_rows(tmp_path: Path) -> None:
    (path := tmp_path / "r.txt").write_text(("x" * 99 + "\n") * 10)
    ranges = partition_file(str(path), InputFormat.TXT, "utf-8", 100, largest=250).ranges
    assert [rows for *_, rows in ranges] == [3, 3, 3, 1]


def test_bad_rows_leave_the_others_alone_and_name_their_place(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(
        b'{"text": "good"}\n{"text": 3}\n{"text": null}\n{"other": "x"}\n[1]\n{"text"\n\n\xff{"text": "a"}\n'
        b'{"text": "\\ud800"}\n\x00\n{"text": "good too"}\n'
    )
    for most in (1, 2, 100):
        good, bad = read_all(path, InputFormat.JSONL, most)
        assert [row["text"] for row in good] == ["good", "good too"]
        assert [int(place.rsplit(" ", 1)[1]) for place in bad] == [2, 3, 4, 5, 6, 8, 9, 10]


def test_a_bad_row_of_a_table_leaves_the_others_alone(tmp_path: Path) -> None:
    (path := tmp_path / "r.csv").write_bytes(
        b'id,text\n1,g\xc3\xb6\xc3\xb6d\n2,too,many\n3\n4,"a "quote" inside"\n5,\xff\n6,"two\nlines"\n7,5" pipe\n'
    )
    for most in (1, 3, 100):
        good, bad = read_all(path, InputFormat.CSV, most)
        assert [(row["id"], row["text"]) for row in good] == [("1", "gööd"), ("6", "two\nlines"), ("7", '5" pipe')]
        assert [place.rsplit(", ", 1)[1] for place in bad] == ["line 3", "line 4", "line 5", "line 6"]


def test_a_row_of_parquet_without_text_is_bad(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a", None, "b"]}), path := tmp_path / "r.parquet")
    good, bad = read_all(path, InputFormat.PARQUET, 2)
    assert [row["text"] for row in good] == ["a", "b"]
    assert [place.rsplit(", ", 1)[1] for place in bad] == ["row 2"]


def test_columns_of_several_kinds_become_json_in_every_partition(tmp_path: Path) -> None:
    rows = [{"text": "a", "n": 1, "m": 1}, {"text": "b", "n": 2.5, "m": {"x": [1]}}, {"text": "c", "late": True}]
    (path := tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    good, _ = read_all(path, InputFormat.JSONL, 1)
    assert good == [
        {"text": "a", "n": 1.0, "m": "1", "late": None},
        {"text": "b", "n": 2.5, "m": '{"x": [1]}', "late": None},
        {"text": "c", "n": None, "m": None, "late": True},
    ]


def test_files_of_a_folder_may_have_other_columns_or_another_order(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("id,text\n1,a\n")
    (tmp_path / "2.csv").write_text("text,stars\nb,5\n")
    good, _ = read_all(tmp_path, InputFormat.CSV, 10)
    assert good == [{"id": "1", "text": "a", "stars": None}, {"id": None, "text": "b", "stars": "5"}]


def test_a_file_that_lost_records_since_is_refused(tmp_path: Path) -> None:
    (path := tmp_path / "r.txt").write_text("a\nb\nc\n")
    plan = make_plan(find_files(str(path)), BulkSettings(InputFormat.TXT), {})
    path.write_text("a\n")
    with pytest.raises(DataError, match="expected 3 records where part-00000 was planned, found 1"):
        list(read_partition(plan, plan.partitions[0]))
