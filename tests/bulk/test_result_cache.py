"""What was predicted lately is not predicted again, and the cache is bounded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fewaspect.bulk.worker import ResultCache
from fewaspect.detector.arrow_tables import TextPredictions


def lengths(texts: Sequence[str]) -> TextPredictions:
    """Says of each text how long it is."""
    sizes = np.array([len(text) for text in texts], dtype=np.int64)
    return TextPredictions(np.stack([sizes, -sizes], axis=1) / 10, sizes, sizes > 2)


def test_known_texts_are_answered_from_the_cache_in_their_places() -> None:
    cache = ResultCache(lengths)
    for texts, misses in ((["a", "bbb"], 2), (["cc", "bbb", "a"], 3), ([], 3)):
        found, expected = cache(texts), lengths(texts)
        assert found.probabilities.tolist() == expected.probabilities.tolist()
        assert found.sentences.tolist() == expected.sentences.tolist()
        assert found.cut.tolist() == expected.cut.tolist()
        assert cache.misses == misses


def test_the_text_used_longest_ago_is_forgotten_first() -> None:
    cache = ResultCache(lengths, capacity=2)
    for texts in (["a", "b"], ["a"], ["c"], ["a"]):
        cache(texts)
    assert cache.misses == 3
    cache(["b"])
    assert cache.misses == 4


def test_long_texts_are_not_kept() -> None:
    cache = ResultCache(lengths)
    cache(["x" * 301])
    cache(["x" * 301])
    assert cache.misses == 2
