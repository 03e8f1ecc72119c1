"""Each pair of sentence and aspect is read once, and stays read as long as what the model reads of it."""

from __future__ import annotations

import numpy as np

from fewaspect.studio.engine.sentiment.sentiment_table import SentimentTable

IDS = np.array([3, 5, 9])


class Reader:
    """Says of a pair which row and which column it is; `asked` are the pairs."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def __call__(self, rows: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.asked += [(int(rows[r]), int(n)) for r, n in np.argwhere(wanted)]
        told = np.zeros((*wanted.shape, 3))
        told[wanted] = [0.25, 0.25, 0.5]
        return told, np.repeat(rows[:, None], 4, axis=1)


def test_a_pair_is_read_once() -> None:
    table, read = SentimentTable(IDS, [1, 2], ["food", "price"], 4), Reader()
    rows, wanted = np.array([0, 2]), np.array([[True, False], [True, True]])
    table.read(rows, wanted, read)
    table.read(rows, np.ones((2, 2), dtype=bool), read)
    assert read.asked == [(0, 0), (2, 0), (2, 1), (0, 1)]
    probabilities, vectors = table.readings(np.array([2]), np.array([1]))
    assert probabilities.tolist() == [[0.25, 0.25, 0.5]]
    assert vectors.tolist() == [[2.0] * 4]


def test_other_aspects_and_sentences_leave_what_was_read_and_another_name_does_not() -> None:
    table, read = SentimentTable(IDS, [1, 2], ["food", "price"], 4), Reader()
    table.read(np.arange(3), np.ones((3, 2), dtype=bool), read)
    assert table.successor(IDS, [1, 2], ["food", "price"]) is table
    after = table.successor(np.array([5, 9, 12]), [7, 2, 1], ["noise", "cost", "food"])
    unread = after.unread(np.arange(3), np.ones((3, 3), dtype=bool))
    assert unread.tolist() == [[True, True, False], [True, True, False], [True, True, True]]
    assert after.readings(np.array([1]), np.array([2]))[1].tolist() == [[2.0] * 4]
