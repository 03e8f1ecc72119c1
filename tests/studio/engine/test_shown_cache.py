"""The cache of presented sentences: each once, not without bound, renewed from the last ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from fewaspect.studio.engine import snapshot
from fewaspect.studio.engine.snapshot import ShownCache


class Presenter:
    """Presents a row as its number, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def __call__(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        self.asked.append(list(rows))
        return [{"id": row} for row in rows]


def test_each_sentence_is_presented_once() -> None:
    cache, presenter = ShownCache(), Presenter()
    assert cache.get([3, 1], presenter) == [{"id": 3}, {"id": 1}]
    assert cache.get([1, 2, 3], presenter) == [{"id": 1}, {"id": 2}, {"id": 3}]
    assert cache.get([2], presenter) == [{"id": 2}]
    assert presenter.asked == [[3, 1], [2]]


def test_a_full_cache_is_emptied_and_still_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "CAPACITY", 3)
    cache, presenter = ShownCache(), Presenter()
    cache.get([1, 2], presenter)
    assert cache.get([2, 3, 4], presenter) == [{"id": 2}, {"id": 3}, {"id": 4}]
    assert (len(cache), presenter.asked) == (3, [[1, 2], [2, 3, 4]])


def test_the_last_ones_shown_are_renewed_unless_the_newer_cache_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "RENEWED", 3)
    cache, newer = ShownCache(), ShownCache()
    cache.get([5, 1, 4, 2], Presenter())
    assert cache.to_renew(newer) == [1, 4, 2]
    newer.get([4, 9], Presenter())
    assert cache.to_renew(newer) == [1, 2]


def test_a_fault_leaves_the_cache_as_it_was() -> None:
    cache = ShownCache()
    cache.get([1], Presenter())
    with pytest.raises(ZeroDivisionError):
        cache.get([1, 2], lambda rows: 1 / 0)  # type: ignore[arg-type, return-value]
    assert cache.get([1, 2], Presenter()) == [{"id": 1}, {"id": 2}]
