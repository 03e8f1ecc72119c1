"""Promises of precision as they are measured: what counts as kept, and what each method accepts."""

from __future__ import annotations

import numpy as np
import pytest

from fewaspect.detector.labelling.target_precision import Goal
from promises import Case, from_the_top, measure
from promises_page import clopper_pearson, outcomes, page


@pytest.fixture
def case() -> Case:
    """Two aspects whose probabilities are true, and many sentences."""
    rng = np.random.default_rng(0)

    def sampled(texts: int) -> tuple[np.ndarray, np.ndarray]:
        p = 1 / (1 + np.exp(-rng.normal(-1, 3, (texts, 2))))
        return p, rng.random(p.shape) < p

    return Case(["food", "noise"], np.full(2, 0.4), sampled(20), sampled(400), sampled(4000))


def test_more_labels_than_there_are_are_left_out(case: Case) -> None:
    assert measure(case._replace(labelled=(np.zeros((60, 2)), np.zeros((60, 2), dtype=bool))), 100) is None


def test_every_method_accepts_some_of_the_answers(case: Case) -> None:
    found = measure(case, 400)
    assert found is not None
    for by_target in found["accepted"].values():
        for accepted, right in by_target.values():
            assert 0 <= right <= accepted <= found["answers"]
    accepted, right = found["accepted"]["fewaspect"]["0.8"]
    assert accepted > 0.3 * found["answers"]
    assert right >= 0.8 * accepted
    assert found["aspects_alone"]["0.8"]["kept"] <= found["aspects_alone"]["0.8"]["made"] == 2


def test_the_plain_test_stops_at_the_first_threshold_that_fails() -> None:
    own, right = np.linspace(1, 0.5, 60), np.array([True] * 30 + [False] * 30)
    cut = from_the_top(own, np.cumsum(right), Goal(0.9, 0.9))
    assert 22 <= (own >= cut).sum() <= 32
    assert from_the_top(own, np.cumsum(~right), Goal(0.9, 0.9)) == np.inf


def test_where_nothing_is_accepted_nothing_is_broken_and_the_page_says_how_often(case: Case) -> None:
    environment = {"python": "3", "processor": "p", "system": "s", "packages": {"fewaspect": "1"}}
    records = [
        {"set": "books", "seed": seed, "labels": 0, "shots": 10, "confidence": 0.9, **(measure(case, 0) or {}),
         "environment": environment}
        for seed in (0, 1)
    ]  # fmt: skip
    records[0]["accepted"]["fewaspect"]["0.8"] = [0, 0]
    records[1]["accepted"]["fewaspect"]["0.8"] = [100, 60]
    first, second = outcomes(records, "fewaspect", "0.8", 0)
    assert (first["made"], first["kept"], first["refuted"]) == (False, True, False)
    assert (second["made"], second["kept"], second["refuted"]) == (True, False, True)
    assert "| 0.8 | examples | 50.0 % (1 to 99) of 2 | 1 | 50 % | 0 of 1 |" in page(records)
    assert clopper_pearson(2, 2)[1] == 1.0
