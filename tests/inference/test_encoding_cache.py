"""What was read once is not read again, and whether it was makes no difference to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from fewaspect.inference.encoding_cache import CachingEncoder


class Counting:
    """Says how often it was asked for each sentence."""

    width, tokeniser, batch_tokens, workers = 4, None, 64, 2

    def __init__(self) -> None:
        self.asked: list[tuple[int, ...]] = []

    def states(self, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        self.asked += [tuple(row) for row in ids]
        return [np.outer(np.array(row) / 3, np.ones(self.width)).astype(np.float32) for row in ids]


def test_a_sentence_is_read_once() -> None:
    inner = Counting()
    encoder = CachingEncoder(inner)
    encoder.states([[1, 2], [3], [1, 2]])
    encoder.states([[3], [4], [1, 2]])
    assert inner.asked == [(1, 2), (3,), (4,)]


def test_the_first_reading_is_the_same_as_the_later_ones() -> None:
    encoder = CachingEncoder(Counting())
    first, again = encoder.states([[1, 2]])[0], encoder.states([[1, 2]])[0]
    assert first.dtype == np.float32
    assert np.array_equal(first, again)
    assert np.allclose(first[:, 0], [1 / 3, 2 / 3], atol=1e-3)


def test_what_is_returned_can_be_changed_without_harm() -> None:
    encoder = CachingEncoder(Counting())
    encoder.states([[3]])[0][:] = 99
    assert encoder.states([[3]])[0][0, 0] == 1


def test_what_was_asked_for_longest_ago_is_forgotten_first() -> None:
    inner = Counting()
    encoder = CachingEncoder(inner, most_bytes=2 * 4 * 2)  # two tokens
    for row in ([1], [2], [1], [3]):
        encoder.states([row])
    assert encoder.held_bytes <= encoder.most_bytes
    inner.asked.clear()
    encoder.states([[1]])
    encoder.states([[2]])
    assert inner.asked == [(2,)]


def test_threads_get_the_same_and_the_bound_holds() -> None:
    encoder = CachingEncoder(Counting(), most_bytes=10 * 4 * 2)
    rows = [[number % 17, number % 5] for number in range(400)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda row: encoder.states([row])[0], rows))
    assert all(np.allclose(own[:, 0], np.array(row) / 3, atol=1e-2) for own, row in zip(found, rows, strict=True))
    assert encoder.held_bytes <= encoder.most_bytes
