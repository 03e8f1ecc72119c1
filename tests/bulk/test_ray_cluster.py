"""On a real Ray: the same result as alone, when the driver, an actor or a whole machine dies on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bulk_jobs import Jobs, assert_equal, write_reviews
from fewaspect import AspectDetector

HERE = Path(__file__).parent
QUIET = {**os.environ, "RAY_BACKEND_LOG_LEVEL": "fatal", "RAY_USAGE_STATS_ENABLED": "0", "OMP_NUM_THREADS": "1"}


def fewaspect(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fewaspect", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=QUIET)


@pytest.mark.slow
def test_the_command_says_what_it_found_and_an_estimate_writes_nothing(
    jobs: Jobs, model: Path, detector: AspectDetector
) -> None:
    command = ("bulk", jobs.source, jobs.output, "--model", model, "--partition-rows", 10, "--actors", 2)
    done = fewaspect(*command, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "46" in done.stderr
    assert not jobs.output.exists()
    done = fewaspect(*command)
    assert done.returncode == 0, done.stderr
    assert "46 rows, 0 bad ones beside" in done.stderr
    assert "ray" not in done.stderr.lower()
    tables = [pq.read_table(path) for path in sorted(Path(jobs.source).iterdir())]
    assert_equal(jobs.table(), detector.predict_batch(pa.concat_tables(tables)))


@pytest.mark.extended
def test_what_a_worker_refuses_is_one_message_and_exit_code_2(tmp_path: Path, model: Path) -> None:
    (path := tmp_path / "r.jsonl").write_text('{"text": "cold soup"}\n{"text": 1}\n' * 4)
    done = fewaspect("bulk", path, tmp_path / "out", "--model", model, "--actors", 1)
    assert done.returncode == 2
    assert done.stderr.startswith("error: 4 of 8 rows are bad so far")
    assert "Traceback" not in done.stderr


@pytest.mark.extended
def test_a_cluster_elsewhere_is_reached_by_its_address(jobs: Jobs, model: Path) -> None:
    program = [sys.executable, HERE / "with_client.py", jobs.source, jobs.output, "--model", model]
    done = subprocess.run(
        [*program, "--partition-rows", "10"], capture_output=True, text=True, timeout=300, env=QUIET
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert jobs.table()["id"].to_pylist() == list(range(46))


@pytest.mark.slow
def test_a_killed_driver_leaves_a_job_that_goes_on(tmp_path: Path, jobs: Jobs, model: Path) -> None:
    jobs.source = str(tmp_path / "many.parquet")
    write_reviews(tmp_path / "many.parquet", range(1000))
    command = ("bulk", jobs.source, jobs.output, "--model", model, "--partition-rows", 10, "--actors", 1)
    driver = subprocess.Popen(
        [sys.executable, "-m", "fewaspect", *map(str, command)], stderr=subprocess.DEVNULL, env=QUIET
    )
    until = time.monotonic() + 120
    while len(list(jobs.output.glob("*.parquet"))) < 3 and time.monotonic() < until:
        time.sleep(0.02)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    time.sleep(1)  # its workers end after it
    finished = {path.name: path.stat().st_mtime_ns for path in jobs.output.glob("*.parquet")}
    assert 3 <= len(finished) < 100
    done = fewaspect(*command)
    assert done.returncode == 0, done.stderr
    assert {name: (jobs.output / name).stat().st_mtime_ns for name in finished} == finished
    assert jobs.table()["id"].to_pylist() == list(range(1000))
    assert not list(jobs.output.glob(".*.part"))


@pytest.mark.slow
def test_a_machine_lost_on_the_way_loses_and_doubles_no_row(
    tmp_path: Path, jobs: Jobs, model: Path, detector: AspectDetector
) -> None:
    (tmp_path / "many").mkdir()
    jobs.source = str(tmp_path / "many")
    for number in range(4):
        path = tmp_path / "many" / f"{number}.parquet"
        table = pa.table({
            "id": range(6000 * number, 6000 * (number + 1)),
            "text": [f"the soup was cold at table {n % 40}. See you on Monday." for n in range(6000)],
        })  # fmt: skip
        pq.write_table(table, path, row_group_size=500)
    done = subprocess.run(
        [sys.executable, HERE / "on_two_nodes.py", jobs.source, jobs.output, model, "500"],
        capture_output=True, text=True, timeout=300, env=QUIET,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen == {
        "done": 24_000, "actors_killed": 1, "free_before": 0.0, "machines_after": 1, "rows": 24_000, "bad": 0,
        "finished": 48,
    }  # fmt: skip
    tables = [pq.read_table(path) for path in sorted((tmp_path / "many").iterdir())]
    assert_equal(jobs.table(), detector.predict_batch(pa.concat_tables(tables)))
