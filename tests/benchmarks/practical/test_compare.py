"""The practical comparison can be stopped and started at will."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import measuring
import worker
from draws import Draw
from fewaspect.data.labelled import LabelledSentence
from fewaspect.experiments.results_file import read_results, write_results
from measuring import Job, make_jobs, measure_missing, measure_times, missing_jobs, takes_part
from records import KEY

DRAWN = Draw(["plot"], ["a story"], [[1]], ["a tale", "a price"], [[1], [0]])
JOB = Job("books", 5, 0, "logistic", DRAWN)


def record(job: Job, version: str = "9.0") -> dict[str, Any]:
    environment = {"packages": {"fewaspect": version}}
    return {**job.key, "draw": job.draw.digest, "macro_f1": 0.5, "environment": environment}


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> list[list[Job]]:
    """The jobs of each process; the last one of a process fails if it has seed 9."""
    started: list[list[Job]] = []

    def measure(jobs: Sequence[Job], timed: bool = False) -> Iterator[dict[str, Any]]:
        started.append(list(jobs))
        yield from (record(job) for job in jobs if job.seed != 9)

    monkeypatch.setattr(measuring, "measure", measure)
    return started


def test_what_is_measured_is_kept_and_not_measured_again(groups: list[list[Job]], tmp_path: Path) -> None:
    out, other = tmp_path / "r.jsonl", JOB._replace(seed=9)
    assert measure_missing(missing_jobs([JOB, other], out), out) == 1
    assert [found["seed"] for found in read_results(out)] == [0]
    assert missing_jobs([JOB, other], out) == [other]
    assert groups == [[JOB, other]]


def test_a_process_measures_all_draws_of_a_family_and_set(groups: list[list[Job]], tmp_path: Path) -> None:
    jobs = [
        JOB._replace(set=name, seed=seed, system=system)
        for seed in (0, 1)
        for name in ("books", "laptops")
        for system in ("fewaspect", "logistic", "logistic-tuned")
    ]
    assert measure_missing(jobs, tmp_path / "r.jsonl") == 0
    assert [{(job.set, job.system) for job in group} for group in groups] == [
        {("books", "fewaspect")}, {("books", "logistic"), ("books", "logistic-tuned")},
        {("laptops", "fewaspect")}, {("laptops", "logistic"), ("laptops", "logistic-tuned")},
    ]  # fmt: skip
    assert [job.seed for job in groups[1]] == [0, 0, 1, 1]
    assert len(read_results(tmp_path / "r.jsonl")) == len(jobs)


def test_the_curves_do_not_measure_what_the_comparison_has(tmp_path: Path) -> None:
    write_results(tmp_path / "r.jsonl", [record(JOB)], KEY)
    assert missing_jobs([JOB, JOB._replace(shots=20)], tmp_path / "c.jsonl", tmp_path / "r.jsonl") == [
        JOB._replace(shots=20)
    ]


def test_what_an_older_detector_measured_is_measured_again(tmp_path: Path) -> None:
    ours = JOB._replace(system="fewaspect")
    write_results(tmp_path / "r.jsonl", [record(ours, "0.0.1"), record(JOB, "0.0.1")], KEY)
    assert missing_jobs([ours, JOB], tmp_path / "r.jsonl") == [ours]
    write_results(tmp_path / "r.jsonl", [record(ours, "99.0"), record(JOB, "0.0.1")], KEY)
    assert missing_jobs([ours, JOB], tmp_path / "r.jsonl") == []


def test_a_record_of_another_draw_is_refused(tmp_path: Path) -> None:
    write_results(tmp_path / "r.jsonl", [record(JOB)], KEY)
    with pytest.raises(SystemExit, match=r"r\.jsonl: books, 5 examples, seed 0, logistic: expected a record"):
        missing_jobs([JOB._replace(draw=Draw(["plot"], [], [], [], []))], tmp_path / "r.jsonl")


def test_times_are_written_only_if_all_were_measured_each_in_its_process(
    groups: list[list[Job]], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit, match="the times stay as they were"):
        measure_times([JOB, JOB._replace(seed=9)], tmp_path / "t.jsonl")
    assert not list(tmp_path.iterdir())
    measure_times([JOB, JOB._replace(seed=1)], tmp_path / "t.jsonl")
    assert [found["seed"] for found in read_results(tmp_path / "t.jsonl")] == [0, 1]
    assert [len(group) for group in groups] == [1, 1, 1, 1]


def test_all_systems_get_the_same_draws() -> None:
    sets = {"books": [LabelledSentence(f"text {i}", ("a",) if i % 2 else ("b",)) for i in range(200)]}
    jobs = list(make_jobs(sets, ["fewaspect", "logistic", "label-text"], [0, 1], [0, 1], 50))
    by_draw = {(job.shots, job.seed): job.draw for job in jobs}
    assert all(job.draw is by_draw[job.shots, job.seed] for job in jobs)
    assert {job.system for job in jobs if job.shots == 0} == {"fewaspect", "label-text"}
    assert {job.system for job in jobs if job.shots == 1} == {"fewaspect", "logistic"}


def test_setfit_has_one_draw_of_three_sets_with_fifty_examples() -> None:
    assert takes_part("setfit", "books", 10, 4)
    assert not takes_part("setfit", "books", 50, 0)
    assert takes_part("setfit-tuned", "restaurants", 50, 0)
    assert not takes_part("setfit-tuned", "restaurants", 50, 1)


def test_a_job_that_fails_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure_job(job: dict[str, Any], drawn: dict[str, Any], timed: bool) -> dict[str, Any]:
        return {"macro_f1": 1 / job["seed"]}

    monkeypatch.setattr(worker, "measure_job", measure_job)
    jobs = [{"system": "logistic", "seed": seed, "draw": "d"} for seed in (0, 2)]
    out = io.StringIO()
    assert worker.measure_all({"timed": False, "jobs": jobs, "draws": {"d": {}}}, out) == 1
    assert json.loads(out.getvalue()) == {"job": 1, "measured": {"macro_f1": 0.5}}
