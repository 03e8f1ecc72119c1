"""What is counted in partitions adds up."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from bulk_jobs import TEXTS
from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.bulk.job import prepare_job, process_locally, run_job
from fewaspect.bulk.packing import pack
from fewaspect.bulk.plan import BulkSettings
from fewaspect.bulk.worker import Counts
from fewaspect.reviews.formats import InputFormat


def test_counts_add_up_and_an_aspect_that_was_never_found_stays_at_zero() -> None:
    total = Counts(aspects={"food": 0, "noise": 0})
    total.add(Counts(rows=3, bad=1, aspects={"food": 2, "noise": 0}, first_fault="line 7"))
    total.add(Counts(rows=2, bad=1, aspects={"food": 1, "noise": 0}, first_fault="line 9"))
    assert (total.rows, total.bad, total.first_fault) == (5, 2, "line 7")
    assert total.aspects == {"food": 3, "noise": 0}


def test_what_is_accepted_and_what_needs_a_look_are_columns_of_a_detector_that_promises(tmp_path: Path) -> None:
    detector = AspectDetector().fit(EXAMPLES)
    detector.tune(["a lukewarm soup", "we came"], [["food"], []], precision=0.9)
    (tmp_path / "in.txt").write_text("\n".join(filter(None, TEXTS)) + "\n")
    settings = BulkSettings(InputFormat.TXT, adapt=False)
    source, output = str(tmp_path / "in.txt"), str(tmp_path / "out")
    job = prepare_job(source, output, settings, pack(detector), tuple(EXAMPLES), promised=True)
    run_job(job, process_locally)
    table = pq.read_table(tmp_path / "out" / "part-00000.parquet")
    assert table.column_names[1:4] == ["aspects", "accepted", "to_review"]
    assert table["to_review"].to_pylist() == table["aspects"].to_pylist(), "two labels promise nothing"
    assert not any(table["accepted"].to_pylist())
