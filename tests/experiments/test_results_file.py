"""Results files: nothing is lost, what records share is stated once, and processes do not overwrite each other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewaspect.core.errors import ResultError
from fewaspect.experiments.results_file import merge_results, publish, read_results, write_results

KEY = ("name", "seed")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from([0.0, -0.0, 1.0, 0.1, 1e300]) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.lists(
    st.builds(
        lambda name, seed, fields: {**fields, "name": name, "seed": seed},
        st.sampled_from(["x", "y", "\u2028 ü"]), st.integers(0, 3), st.dictionaries(st.sampled_from("abcd"), VALUES),
    ),
    max_size=8,
)  # fmt: skip


def texts(records: list[dict[str, Any]]) -> list[str]:
    """As text, in which 1, 1.0 and true differ."""
    return sorted(json.dumps(record, sort_keys=True) for record in records)


@given(records=RECORDS)
def test_records_come_back_as_they_were(
    records: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("results") / "r.jsonl"
    write_results(path, records, KEY)
    assert texts(read_results(path)) == texts(records)
    before = path.read_bytes()
    write_results(path, reversed(read_results(path)), KEY)
    assert path.read_bytes() == before


def test_what_is_shared_is_stated_once_and_the_lines_are_sorted(tmp_path: Path) -> None:
    machine = {"cores": 2, "packages": {"torch": "2"}}
    records = [
        {
            "name": name,
            "seed": seed,
            "f1": seed / 10,
            "title": name.upper(),
            "environment": {**machine, "threads": seed},
        }
        for name in ("b", "a")
        for seed in (10, 9)
    ]
    write_results(tmp_path / "r.jsonl", records, KEY)
    lines = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert lines == [
        {"format": "fewaspect-results-1", "key": ["name", "seed"], "shared": {"environment": machine}},
        {"name": "a", "shared": {"title": "A"}},
        {"name": "a", "seed": 9, "environment": {"threads": 9}, "f1": 0.9},
        {"name": "a", "seed": 10, "environment": {"threads": 10}, "f1": 1.0},
        {"name": "b", "shared": {"title": "B"}},
        {"name": "b", "seed": 9, "environment": {"threads": 9}, "f1": 0.9},
        {"name": "b", "seed": 10, "environment": {"threads": 10}, "f1": 1.0},
    ]


def test_merging_replaces_records_with_the_same_key_and_keeps_the_others(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    merge_results(path, [{"name": "a", "seed": 0, "f1": 1}, {"name": "a", "seed": 1, "f1": 2}], KEY)
    merge_results(path, [{"name": "a", "seed": 1, "f1": 3}, {"name": "b", "seed": 0, "f1": 4}], KEY)
    assert [(record["name"], record["seed"], record["f1"]) for record in read_results(path)] == [
        ("a", 0, 1), ("a", 1, 3), ("b", 0, 4),
    ]  # fmt: skip


MERGE = """
import sys
from pathlib import Path
from fewaspect.experiments.results_file import merge_results
for seed in range(25):
    merge_results(Path(sys.argv[1]), [{"name": sys.argv[2], "seed": seed, "same": 1}], ("name", "seed"))
"""


def test_processes_that_merge_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    both = [subprocess.Popen([sys.executable, "-c", MERGE, str(path), name]) for name in "ab"]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    assert [(record["name"], record["seed"]) for record in read_results(path)] == [
        (name, seed) for name in "ab" for seed in range(25)
    ]


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"", 1), (b"[]\n", 1), (b'{"row": "lpn"}\n', 1), (b"\xff\n", 1),
     (b'{"format": "fewaspect-results-1", "key": ["name"], "shared": {}}\n{"name": "a"}\n{"na', 3),
     (b'{"format": "fewaspect-results-1", "key": ["name"], "shared": {}}\n{"seed": 1}\n', 2),
     (b'{"format": "fewaspect-results-1", "key": [], "shared": {}}\n{"seed": 1}\n', 1)],
)  # fmt: skip
def test_a_damaged_or_foreign_file_is_refused_with_its_line(content: bytes, line: int, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_bytes(content)
    with pytest.raises(ResultError, match=rf"r\.jsonl, line {line}: expected a results file of fewaspect"):
        read_results(tmp_path / "r.jsonl")


@pytest.mark.parametrize("record", [{"name": "a"}, {"name": "a", "seed": 0, "shared": {}}])
def test_a_record_that_cannot_be_told_apart_is_refused_before_anything_is_written(
    record: dict[str, Any], tmp_path: Path
) -> None:
    for write in (write_results, merge_results):
        with pytest.raises(ResultError, match="expected records with"):
            write(tmp_path / "r.jsonl", [record], KEY)
    assert not (tmp_path / "r.jsonl").exists()


def test_a_measurement_is_printed_and_written_with_its_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish({"seconds": 1.5}, tmp_path / "m.json")
    assert json.loads(capsys.readouterr().out) == {"seconds": 1.5}
    written = json.loads((tmp_path / "m.json").read_text())
    assert written["seconds"] == 1.5
    assert "python" in written["environment"]
