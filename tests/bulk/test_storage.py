"""Input is a file, a folder or a pattern; output appears whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from bulk_jobs import Jobs
from fewaspect.bulk import storage
from fewaspect.bulk.storage import find_files, list_names, read_file, remove_temporary_files, write_file
from fewaspect.core.errors import DataError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.csv", "b.csv", "b.txt", "deep/c.csv", "deep/er/d.csv", "_out/e.csv", ".hidden.csv"):
        (path := tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("a.csv", ["a.csv"]),
        ("_out/e.csv", ["_out/e.csv"]),
        ("", ["a.csv", "b.csv", "b.txt", "deep/c.csv", "deep/er/d.csv"]),
        ("*.csv", ["a.csv", "b.csv"]),
        ("**/*.csv", ["a.csv", "b.csv", "deep/c.csv", "deep/er/d.csv"]),
        ("*/*.csv", ["deep/c.csv"]),
        ("[ab].c?v", ["a.csv", "b.csv"]),
        ("[!a]*.csv", ["b.csv"]),
        ("[!b]*.csv", ["a.csv"]),
        ("*[!a-c]csv", ["a.csv", "b.csv"]),
        ("[]a].csv", ["a.csv"]),
        ("deep[!a]c.csv", []),
        ("[z-a].csv", []),
        ("[c-ab].csv", ["b.csv"]),
        ("[", []),
        ("a.csv[", []),
    ],
)
def test_files_are_found_by_name_folder_or_pattern(folder: Path, pattern: str, names: list[str]) -> None:
    for scheme in ("", "file://"):
        try:
            found = find_files(f"{scheme}{folder}/{pattern}")
        except DataError:
            assert not names
            continue
        assert [file.path for file in found] == [f"{scheme}{folder}/{name}" for name in names]
        assert all(file.size and file.modified for file in found)


@pytest.mark.parametrize("pattern", ["none.csv", "no/*.csv", "*.json"])
def test_input_that_is_not_there_is_refused(folder: Path, pattern: str) -> None:
    with pytest.raises(DataError, match=r"expected (files with )?reviews, found no"):
        find_files(f"{folder}/{pattern}")


def test_what_is_written_can_be_read_and_listed(tmp_path: Path) -> None:
    write_file(f"{tmp_path}/new/x", b"12")
    assert read_file(f"{tmp_path}/new/x") == b"12"
    assert read_file(f"{tmp_path}/new/y") is None
    assert list_names(f"{tmp_path}/new") == {"x"}
    assert list_names(f"{tmp_path}/none") == set()


def test_what_a_killed_process_was_writing_is_removed(tmp_path: Path) -> None:
    write_file(f"{tmp_path}/part-00000.parquet", b"")
    (tmp_path / ".part-00001.parquet.0123.part").write_bytes(b"half")
    remove_temporary_files(str(tmp_path))
    assert list_names(str(tmp_path)) == {"part-00000.parquet"}


def test_a_job_runs_from_bucket_to_bucket(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """By addresses, without a rename; a folder stands for the store."""
    store = SubTreeFileSystem(str(jobs.output.parent.parent), LocalFileSystem())
    bucket = jobs.output.parent.name
    monkeypatch.setattr(storage, "_remote", lambda scheme, name: (store, name))
    jobs.output.mkdir()  # which a store of objects does not need
    local, jobs.source = jobs.output, f"s3://{bucket}/in/*.parquet"
    jobs.output = f"s3://{bucket}/out"  # type: ignore[assignment]
    assert jobs.run(rows=10).rows == 46
    assert {file.path for file in find_files(jobs.source)} == {f"s3://{bucket}/in/{n}.parquet" for n in range(2)}
    assert jobs.run(rows=10).rows == 46
    jobs.output = local
    assert [row["id"] for row in jobs.rows()] == list(range(46))
