"""Sentences as the page shows them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

CAPACITY = 5_000  # sentences
RENEWED = 400  # sentences, shown last, that are presented anew before anyone asks for them


class ShownCache:
    """Sentences of one snapshot as they were presented, by row; each is presented once."""

    def __init__(self) -> None:
        self._shown: dict[int, dict[str, Any]] = {}
        self._presenting = threading.Lock()  # one thread presents at a time; the next finds its sentences done

    def __len__(self) -> int:
        return len(self._shown)

    def get(
        self, rows: Sequence[int], present: Callable[[Sequence[int]], Sequence[dict[str, Any]]]
    ) -> list[dict[str, Any]]:
        """The sentences of the rows; `present` gives those that are not here. A full cache is emptied."""
        with self._presenting:
            new = [row for row in rows if row not in self._shown]
            if len(self._shown) + len(new) > CAPACITY:
                self._shown.clear()
                new = list(rows)
            if new:
                self._shown.update(zip(new, present(new), strict=True))
            return [self._shown[row] for row in rows]

    def to_renew(self, newer: ShownCache) -> list[int]:
        """Rows shown last that the cache of a newer snapshot lacks."""
        return [row for row in list(self._shown)[-RENEWED:] if row not in newer._shown]
