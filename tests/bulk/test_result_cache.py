"""What was met lately is not read again, and the memory of it is bounded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fewaspect.bulk.result_cache import Recent
from fewaspect.detector.tables import Found


def lengths(texts: Sequence[str]) -> Found:
    """Says of each text how long it is."""
    sizes = np.array([len(text) for text in texts], dtype=np.int64)
    return Found(np.stack([sizes, -sizes], axis=1) / 10, sizes, sizes > 2)


def test_known_texts_are_answered_from_memory_in_their_places() -> None:
    recent = Recent(lengths)
    for texts, read in ((["a", "bbb"], 2), (["cc", "bbb", "a"], 3), ([], 3)):
        found, expected = recent(texts), lengths(texts)
        assert found.probabilities.tolist() == expected.probabilities.tolist()
        assert found.sentences.tolist() == expected.sentences.tolist()
        assert found.cut.tolist() == expected.cut.tolist()
        assert recent.read == read


def test_the_text_used_longest_ago_is_forgotten_first() -> None:
    recent = Recent(lengths, kept=2)
    for texts in (["a", "b"], ["a"], ["c"], ["a"]):
        recent(texts)
    assert recent.read == 3
    recent(["b"])
    assert recent.read == 4


def test_long_texts_are_not_kept() -> None:
    recent = Recent(lengths)
    recent(["x" * 301])
    recent(["x" * 301])
    assert recent.read == 2
