"""Every row exactly once, whoever dies when; another job is refused; bad rows are set aside and counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bulk_jobs import Jobs, assert_equal
from fewaspect import AspectDetector
from fewaspect.bulk import worker
from fewaspect.bulk.job import Job, process_locally
from fewaspect.bulk.packing import digest_of, pack, unpack
from fewaspect.bulk.plan import Partition
from fewaspect.bulk.worker import Counts
from fewaspect.core.errors import ConfigError, DataError, ResultError


class Killed(BaseException):
    """What no code catches, as if the process had ended."""


def test_the_output_is_what_predict_batch_answers(jobs: Jobs, detector: AspectDetector) -> None:
    total = jobs.run(rows=10)
    tables = [pq.read_table(path) for path in sorted(Path(jobs.source).iterdir())]
    assert_equal(jobs.table(), detector.predict_batch(pa.concat_tables(tables)))
    assert (total.rows, total.bad, total.read) == (46, 0, 7)
    summary = json.loads((jobs.output / "_summary.json").read_text())
    assert summary["rows"] == 46
    assert summary["aspects"] == total.aspects
    assert summary["without"] == sum(not row["aspects"] for row in jobs.rows())
    assert summary["aspects"]["food"] == sum("food" in row["aspects"] for row in jobs.rows())
    assert summary["last_run"]["rows_per_second"] > 0


@pytest.mark.parametrize("moment", range(12))
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_job_killed_at_any_moment_is_finished_by_the_next(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch, moment: int, when: str
) -> None:
    """Killed before and after each file gets its name; the second run writes the unfinished partitions alone."""
    (Path(jobs.source) / "bad.parquet").write_bytes((Path(jobs.source) / "0.parquet").read_bytes())
    table = pq.read_table(f"{jobs.source}/bad.parquet")
    pq.write_table(table.set_column(1, "text", [[None] * len(table)]).cast(table.schema), f"{jobs.source}/bad.parquet")
    written: list[str] = []
    write_file = worker.write_file

    def dying(path: str, content: Any) -> None:
        if when == "before" and len(written) == moment:
            raise Killed
        write_file(path, content)
        written.append(Path(path).name)
        if when == "after" and len(written) == moment + 1:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(worker, "write_file", dying)
        try:
            jobs.run(rows=12, max_bad=0.5)
        except Killed:
            assert not (jobs.output / "_summary.json").exists()
    finished = {path.name: path.stat().st_mtime_ns for path in jobs.output.glob("*.parquet")}
    total = jobs.run(rows=12, max_bad=0.5)
    assert {name: (jobs.output / name).stat().st_mtime_ns for name in finished} == finished
    assert sorted(row["id"] for row in jobs.rows()) == list(range(46))
    assert sorted(bad["place"].rsplit(" ", 1)[1] for bad in jobs.bad()) == sorted(map(str, range(1, 24)))
    assert (total.rows, total.bad) == (46, 23)


def test_a_finished_job_does_nothing_more(jobs: Jobs) -> None:
    first = jobs.run(rows=10)

    def nobody(*_: Any) -> Iterator[Any]:
        pytest.fail("nothing is left to do")

    assert jobs.run(nobody, rows=10) == first


def test_partitions_that_finish_in_another_order_make_the_same_output(jobs: Jobs) -> None:
    jobs.run(lambda job, parts: process_locally(job, parts[::-1]), rows=7)
    assert [row["id"] for row in jobs.rows()] == list(range(46))


def test_another_job_in_the_same_folder_is_refused(jobs: Jobs, detector: AspectDetector) -> None:
    jobs.run(rows=10)
    with pytest.raises(ResultError, match=r"other settings \(rows: 10, now 20\)"):
        jobs.run(rows=20)
    own, other = jobs.packed, unpack(jobs.packed)
    other.threshold = 0.9
    jobs.packed = pack(other)
    with pytest.raises(ResultError, match="another detector"):
        jobs.run(rows=10)
    jobs.packed = own
    (Path(jobs.source) / "0.parquet").touch()
    with pytest.raises(ResultError, match="other input files, or they changed since"):
        jobs.run(rows=10)


def test_a_folder_that_holds_something_else_is_left_alone(jobs: Jobs) -> None:
    jobs.output.mkdir()
    (jobs.output / "thesis.txt").write_text("mine")
    with pytest.raises(ResultError, match=r"thesis\.txt"):
        jobs.run()
    assert [path.name for path in jobs.output.iterdir()] == ["thesis.txt"]


def test_a_job_killed_while_its_plan_was_written_begins_anew(jobs: Jobs) -> None:
    jobs.output.mkdir()
    (jobs.output / "._plan.json.0123456789ab.part").write_text("{")
    assert jobs.run().rows == 46
    assert not list(jobs.output.glob(".*"))


def test_a_damaged_plan_is_refused(jobs: Jobs) -> None:
    jobs.run()
    (jobs.output / "_plan.json").write_text("{")
    with pytest.raises(ResultError, match="expected the plan of a job, found a damaged one"):
        jobs.run()


def test_a_job_that_version_0_1_began_goes_on(tmp_path: Path, jobs: Jobs) -> None:
    rows = [{"text": "cold soup", "n": n, "share": n / 2, "late": None, "good": True} for n in range(4)]
    (path := tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    jobs.source = str(path)
    jobs.run(rows=2)
    plan = json.loads((jobs.output / "_plan.json").read_text())
    plan["kinds"] = {"text": "TEXT", "n": "WHOLE", "share": "NUMBER", "late": "EMPTY", "good": "TRUTH"}
    (jobs.output / "_plan.json").write_text(json.dumps(plan))
    (jobs.output / "part-00001.parquet").unlink()
    assert jobs.run(rows=2).rows == 4
    assert [{name: row[name] for name in rows[0]} for row in jobs.rows()] == rows


def test_the_output_may_not_lie_in_the_input(jobs: Jobs) -> None:
    jobs.output = Path(jobs.source) / "out"
    with pytest.raises(ConfigError, match="expected a folder apart from the input"):
        jobs.prepare()


def test_too_many_bad_rows_stop_the_job_and_more_may_be_allowed(tmp_path: Path, jobs: Jobs) -> None:
    (path := tmp_path / "r.jsonl").write_text('{"text": "cold soup"}\n{"text": 1}\n' * 4)
    jobs.source = str(path)
    with pytest.raises(DataError, match=r'line 2: "text" must be a string, found the number 1'):
        jobs.run(rows=2, max_bad=0.25)
    assert len(list(jobs.output.glob("*.parquet"))) == 3
    total = jobs.run(rows=2, max_bad=0.5)
    assert (total.rows, total.bad) == (4, 4)
    assert [bad["place"] for bad in jobs.bad()] == [f"{path}, line {n}" for n in (2, 4, 6, 8)]


def test_a_limit_takes_the_first_rows(jobs: Jobs) -> None:
    assert jobs.run(rows=10, limit=25).rows == 25
    assert [row["id"] for row in jobs.rows()] == list(range(25))


def test_a_column_that_the_output_adds_is_refused_unless_it_has_another_name(tmp_path: Path, jobs: Jobs) -> None:
    (path := tmp_path / "r.csv").write_text("text,aspects\ncold soup,mine\n")
    jobs.source = str(path)
    with pytest.raises(DataError, match='the column "aspects" is one that the output adds'):
        jobs.prepare()
    jobs.run(prefix="found_")
    assert jobs.rows()[0]["aspects"] == "mine"
    assert jobs.rows()[0]["found_aspects"] == ["food"]


def test_files_of_several_formats_are_refused(jobs: Jobs) -> None:
    (Path(jobs.source) / "r.csv").write_text("text\na\n")
    with pytest.raises(ConfigError, match="found several: csv, parquet"):
        jobs.prepare()


def test_a_column_of_numbers_is_no_text(jobs: Jobs) -> None:
    with pytest.raises(DataError, match='expected strings in the column "id", found int64'):
        jobs.prepare(column="id")


def test_a_detector_is_the_same_after_its_journey(detector: AspectDetector) -> None:
    packed = pack(detector)
    again = unpack(packed)
    assert again.predict_proba(["cold soup"]).tolist() == detector.predict_proba(["cold soup"]).tolist()
    assert digest_of(pack(again)) == digest_of(packed) == digest_of(pack(detector))
    again.threshold = 0.2
    assert digest_of(pack(again)) != digest_of(packed)


def test_sentiment_adds_its_columns_and_a_job_goes_on_with_it_alone(jobs: Jobs, detector: AspectDetector) -> None:
    def one(job: Job, partitions: list[Partition]) -> Iterator[Counts]:
        yield from process_locally(job, partitions[:1])

    jobs.run(one, rows=10, sentiment=True)
    with pytest.raises(ResultError, match="sentiment: True, now None"):
        jobs.run(rows=10)
    jobs.run(rows=10, sentiment=True)
    tables = [pq.read_table(path) for path in sorted(Path(jobs.source).iterdir())]
    assert_equal(jobs.table(), detector.predict_batch(pa.concat_tables(tables), sentiment=True))
    assert json.loads((jobs.output / "_summary.json").read_text())["settings"]["sentiment"] is True
    assert set(jobs.table()["sentiment_food"].to_pylist()) == {"negative", "positive", None}


def test_a_job_without_sentiment_is_the_one_that_earlier_versions_began(jobs: Jobs) -> None:
    assert "sentiment" not in jobs.prepare().plan.identity["settings"]
    jobs.run()
    assert not [name for name in jobs.table().column_names if "sentiment" in name]


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 20, None])
def test_a_finished_partition_that_is_damaged_is_named(jobs: Jobs, content: bytes | None) -> None:
    jobs.run(rows=10)
    (jobs.output / "_summary.json").unlink()
    path = jobs.output / "part-00001.parquet"
    if content is None:
        pq.write_table(pq.read_table(path).replace_schema_metadata({"fewaspect": "[1]"}), path)
    else:
        path.write_bytes(content)
    with pytest.raises(ResultError, match=r"part-00001.parquet: expected a finished .*\nDelete it and start"):
        jobs.run(rows=10)
    path.unlink()
    jobs.run(rows=10)
    assert len(jobs.rows()) == 46


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"parts": [', '"parts": [[1, 2, 3, 4], '),
        ('"parts": [', '"parts": [3, '),
        ('"text": "text"', '"text": "tex"'),
        ('"text": "text"', '"text": null'),
        ('"identity": {', '"identity": [], "x": {'),
        ("{", "["),
        ('"kinds": {', '"kinds": {"a": "b"'),
        ('"settings": {', '"settings": 3, "x": {'),
        ('"schema": "', '"schema": "AAAA'),
    ],
)
def test_a_plan_that_is_damaged_is_refused(jobs: Jobs, old: str, new: str) -> None:
    jobs.run(rows=10)
    plan = (path := jobs.output / "_plan.json").read_text()
    assert old in plan
    path.write_text(plan.replace(old, new, 1))
    with pytest.raises(ResultError, match=r"expected the plan of a job|was begun with"):
        jobs.run(rows=10)


def test_a_page_of_parquet_that_is_no_text_is_refused(jobs: Jobs) -> None:
    path = Path(jobs.source) / "0.parquet"
    pq.write_table(pq.read_table(path), path, compression="none", use_dictionary=False)
    path.write_bytes(path.read_bytes().replace(b"waiter", b"wai\xff\xfer"))
    with pytest.raises(DataError, match=r"0.parquet: expected a Parquet file, found one that cannot be read"):
        jobs.run(rows=10)
