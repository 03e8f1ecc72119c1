"""What is counted in partitions adds up."""

from __future__ import annotations

from fewaspect.bulk.worker import Counts


def test_counts_add_up_and_an_aspect_that_was_never_found_stays_at_zero() -> None:
    total = Counts(aspects={"food": 0, "noise": 0})
    total.add(Counts(rows=3, bad=1, aspects={"food": 2, "noise": 0}, first_fault="line 7"))
    total.add(Counts(rows=2, bad=1, aspects={"food": 1, "noise": 0}, first_fault="line 9"))
    assert (total.rows, total.bad, total.first_fault) == (5, 2, "line 7")
    assert total.aspects == {"food": 3, "noise": 0}
