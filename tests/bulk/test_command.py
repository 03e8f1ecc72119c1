"""What `fewaspect bulk` refuses before Ray is started, and what an estimate says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bulk_jobs import Jobs
from fewaspect import AspectDetector
from fewaspect.bulk.job_estimate import Estimate, estimate, estimate_table
from fewaspect.bulk.worker import unfinished
from in_process import fewaspect


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # which the command sets for its process


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv"], "none.csv: expected reviews, found nothing of that name."),
        (["*.csv"], "*.csv: expected files with reviews, found none."),
        (["in"], "Which aspects?"),
        (["in", "--model", "none"], "none: expected a saved detector with detector.json, found none."),
    ],
)
def test_what_is_wrong_is_one_message_and_exit_code_2(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(jobs.output.parent)
    done = fewaspect("bulk", arguments[0], "out", *arguments[1:])
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {message}")
    assert not jobs.output.exists()


def test_without_ray_it_is_said_how_to_install_it(jobs: Jobs, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = fewaspect("bulk", jobs.source, jobs.output, "--model", model)
    assert done.returncode == 2
    assert 'pip install "fewaspect[bulk]"' in done.stderr


def test_an_estimate_is_of_what_is_left_and_writes_nothing(jobs: Jobs, detector: AspectDetector) -> None:
    job = jobs.prepare(rows=10)
    found = estimate(job, unfinished(job.plan, job.output), detector, actors=2, rows=20)
    assert (found.rows, found.partitions, found.bad_share, found.actors) == (46, len(job.plan.partitions), 0.0, 2)
    assert found.megabytes > 100
    assert not jobs.output.exists()


def test_an_estimate_divides_the_rows_by_what_all_actors_do() -> None:
    found = Estimate(720_000, 36, 0.0, rows_per_second=100, actors=2, megabytes=500)
    assert found.seconds == 3600
    assert "1 h 0 min 0 s" in [str(cell) for column in estimate_table(found).columns for cell in column.cells]
