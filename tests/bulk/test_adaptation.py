"""A job's detector learns from the rows once: every actor and every later run gives the same answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bulk_jobs import Jobs, assert_equal, write_reviews
from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.bulk import adaptation
from fewaspect.bulk.adaptation import DETECTOR, sample_rows
from fewaspect.bulk.job import Job, process_locally
from fewaspect.bulk.packing import PackedDetector, adapt, digest_of, pack, pile_size, unpack
from fewaspect.bulk.plan import PLAN, Partition
from fewaspect.bulk.worker import Counts
from fewaspect.core.errors import ResultError
from pile import REVIEWS, adaptive_model


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> AspectDetector:
    return AspectDetector(adaptive_model(tmp_path_factory.mktemp("adapt") / "model")).fit(EXAMPLES)


@pytest.fixture(scope="module")
def own(fitted: AspectDetector) -> PackedDetector:
    return pack(fitted)


@pytest.fixture
def learning(tmp_path: Path, own: PackedDetector) -> Jobs:
    write_reviews(tmp_path / "in.parquet", range(len(REVIEWS)), lambda n: REVIEWS[n])
    return Jobs(str(tmp_path / "in.parquet"), tmp_path / "out", own)


def with_rows(detector: AspectDetector) -> pa.Table:
    return detector.predict_batch(pa.table({"id": range(len(REVIEWS)), "text": REVIEWS}))


def test_a_job_learns_from_its_rows(learning: Jobs, own: PackedDetector) -> None:
    learning.run(rows=30)
    assert_equal(learning.table(), with_rows(unpack(own).adapt(REVIEWS)))


def test_a_job_told_not_to_learn_does_not(learning: Jobs, fitted: AspectDetector) -> None:
    learning.run(rows=30, adapt=False)
    assert_equal(learning.table(), with_rows(fitted))
    assert not (learning.output / DETECTOR).exists()


def test_a_job_goes_on_with_what_it_learned(
    learning: Jobs, own: PackedDetector, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(job: Job, partitions: list[Partition]) -> Iterator[Counts]:
        yield from process_locally(job, partitions[:2])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learning.run(killed, rows=30)
    monkeypatch.setattr(adaptation, "sample_rows", lambda plan: pytest.fail("it learns twice"))
    learning.run(rows=30)
    assert_equal(learning.table(), with_rows(unpack(own).adapt(REVIEWS)))
    with pytest.raises(ResultError, match="adapt: True, now False"):
        learning.prepare(rows=30, adapt=False)


def test_a_job_killed_before_it_has_learned_learns_when_it_goes_on(
    learning: Jobs, own: PackedDetector, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(adaptation, "write_file", killed)
        with pytest.raises(KeyboardInterrupt):
            learning.run(rows=30)
    assert (learning.output / PLAN).exists()
    assert not (learning.output / DETECTOR).exists()
    learning.run(rows=30)
    assert_equal(learning.table(), with_rows(unpack(own).adapt(REVIEWS)))


def test_a_job_of_version_0_1_goes_on_without_learning(learning: Jobs, fitted: AspectDetector) -> None:
    learning.run(lambda job, partitions: process_locally(job, partitions[:2]), rows=30, adapt=False)
    about = json.loads((path := learning.output / PLAN).read_text())
    del about["identity"]["settings"]["adapt"]
    path.write_text(json.dumps(about))
    learning.run(rows=30)
    assert_equal(learning.table(), with_rows(fitted))


def test_a_damaged_detector_of_a_job_is_refused(learning: Jobs) -> None:
    learning.run(lambda job, partitions: process_locally(job, partitions[:2]), rows=30)
    (learning.output / DETECTOR).write_bytes(b"PK")
    with pytest.raises(ResultError, match="found a damaged file"):
        learning.run(rows=30)


def test_a_large_input_is_sampled_in_places_that_are_evenly_spread(
    learning: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = learning.prepare(rows=6).plan
    assert len(plan.partitions) > 20
    monkeypatch.setattr(adaptation, "ROWS", 40)
    sampled = sample_rows(plan)
    assert sampled == sample_rows(plan)
    assert len(sampled) == 40
    assert {REVIEWS.index(text) // 50 for text in sampled} == {0, 1, 2, 3}


def test_bad_rows_are_not_learned_from(tmp_path: Path, own: PackedDetector) -> None:
    pq.write_table(pa.table({"text": [None, "The soup was cold.", None]}), tmp_path / "in.parquet")
    assert sample_rows(Jobs(str(tmp_path / "in.parquet"), tmp_path / "out", own).prepare().plan) == [
        "The soup was cold."
    ]


def test_what_a_detector_learned_from_makes_it_another(own: PackedDetector) -> None:
    one, same, other = (adapt(own, texts) for texts in (REVIEWS, REVIEWS[::-1], REVIEWS[:-10]))
    assert pile_size(own) == 0
    assert pile_size(one) == unpack(one).pile_size_ > 100
    assert digest_of(one) == digest_of(same)
    assert len({digest_of(own), digest_of(one), digest_of(other)}) == 3
