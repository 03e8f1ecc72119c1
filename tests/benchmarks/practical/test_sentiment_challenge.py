"""The sentences of our own by which sentiment is measured: as many of each kind as was wanted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from fewaspect.data.polarity import PolarSentence, read_polarities

PATH = Path(__file__).parents[3] / "benchmarks" / "practical" / "sentiment_challenge.jsonl"


def by_kind() -> list[tuple[str, PolarSentence]]:
    kinds = [json.loads(line)["kind"] for line in PATH.read_text(encoding="utf-8").splitlines()]
    return list(zip(kinds, read_polarities(PATH), strict=True))


def test_there_are_thirty_of_each_kind_and_a_third_has_two_polarities() -> None:
    rows = by_kind()
    counts = Counter(kind for kind, _ in rows)
    assert len(rows) >= 150
    assert min(counts[kind] for kind in ("negation", "contrast", "comparison", "irony")) >= 30
    assert sum(len(set(row.polarities.values())) > 1 for _, row in rows) >= len(rows) / 3
    assert len({row.text for _, row in rows}) == len(rows)


def test_the_page_says_how_few_neutral_pairs_there_are_by_kind() -> None:
    neutral = Counter(kind for kind, row in by_kind() for polarity in row.polarities.values() if polarity == "neutral")
    assert (neutral["negation"], neutral["comparison"], neutral["contrast"], neutral["irony"]) == (1, 2, 0, 0)
