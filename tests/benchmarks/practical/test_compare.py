"""The practical comparison can be stopped and started at will."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import compare
from draws import Draw
from fewaspect.experiments.results_file import read_results

JOB = {"set": "books", "shots": 5, "seed": 0, "system": "fewaspect"}
DRAWN = Draw(["plot"], ["a story"], [[1]], ["a tale", "a price"], [[1], [0]])


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The jobs that were measured; every second one fails."""
    done: list[dict[str, Any]] = []

    def measure(job: dict[str, Any], drawn: Draw) -> dict[str, Any] | None:
        done.append(job)
        return {**job, "draw": drawn.digest, "macro_f1": 0.5} if len(done) % 2 else None

    monkeypatch.setattr(compare, "measure", measure)
    return done


def test_what_is_measured_is_kept_and_not_measured_again(measured: list[dict[str, Any]], tmp_path: Path) -> None:
    other, out = {**JOB, "seed": 1}, tmp_path / "r.jsonl"
    assert compare.measure_missing(JOB, DRAWN, out)
    assert not compare.measure_missing(other, DRAWN, out)
    assert [record["seed"] for record in read_results(out)] == [0]
    assert compare.measure_missing(JOB, DRAWN, out)
    assert compare.measure_missing(other, DRAWN, out)
    assert measured == [JOB, other, other]
    assert [record["seed"] for record in read_results(out)] == [0, 1]


@pytest.mark.usefixtures("measured")
def test_a_record_of_another_draw_is_refused(tmp_path: Path) -> None:
    compare.measure_missing(JOB, DRAWN, tmp_path / "r.jsonl")
    with pytest.raises(SystemExit, match=r"r\.jsonl: books, 5 examples, seed 0, fewaspect: expected a record"):
        compare.measure_missing(JOB, Draw(["plot"], [], [], [], []), tmp_path / "r.jsonl")


@pytest.mark.usefixtures("measured")
def test_times_are_written_only_if_all_were_measured(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="the times stay as they were"):
        compare.measure_times(iter([(JOB, DRAWN), ({**JOB, "seed": 1}, DRAWN)]), tmp_path / "r.jsonl")
    assert not list(tmp_path.iterdir())
    compare.measure_times(iter([(JOB, DRAWN)]), tmp_path / "r.jsonl")
    assert [record["seed"] for record in read_results(tmp_path / "r-times.jsonl")] == [0]
