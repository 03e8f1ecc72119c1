"""An encoder that remembers what it has read: comparing the same sentences with new examples costs no encoding."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from fewaspect.core.forking import NO_FORK
from fewaspect.inference.encoder import TextEncoder, lower_means

if TYPE_CHECKING:
    from fewaspect.inference.encoder import SharingEncoder

MOST_BYTES = 512 << 20  # some 40,000 sentences of the embedded encoder


class Held(NamedTuple):
    """(T, d) states in half precision, and the (d,) mean of those of a lower layer where it was asked for."""

    states: np.ndarray
    lower: np.ndarray | None = None

    @property
    def nbytes(self) -> int:
        return self.states.nbytes + (0 if self.lower is None else self.lower.nbytes)


class CachingEncoder:
    """Token states by token ids, and means of a lower layer, in half precision; beyond the bound, what was asked for
    longest ago is forgotten.

    The first reading is rounded too, so that an answer does not depend on what is remembered.
    """

    def __init__(self, encoder: TextEncoder, most_bytes: int = MOST_BYTES) -> None:
        self.encoder, self.most_bytes = encoder, most_bytes
        self.width, self.tokeniser = encoder.width, encoder.tokeniser
        self.batch_tokens, self.workers = encoder.batch_tokens, encoder.workers
        self.held_bytes = 0
        self._held: OrderedDict[tuple[int, ...], Held] = OrderedDict()
        self._lock = threading.Lock()

    def states(self, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """(T, d) of each sentence in single precision."""

        def read(missing: Sequence[tuple[int, ...]]) -> list[Held]:
            return [Held(states.astype(np.float16)) for states in self.encoder.states(missing)]

        return [held.states.astype(np.float32) for held in self._read(ids, read)]

    def states_and_lower(self, ids: Sequence[Sequence[int]]) -> tuple[list[np.ndarray], np.ndarray]:
        """The states, and the (B, d) means of those of the lower layer."""

        def read(missing: Sequence[tuple[int, ...]]) -> list[Held]:
            states, lower = cast("SharingEncoder", self.encoder).states_and_lower(missing)
            return [Held(part.astype(np.float16), mean) for part, mean in zip(states, lower, strict=True)]

        found = self._read(ids, read, with_lower=True)
        states = [held.states.astype(np.float32) for held in found]
        return states, np.stack([cast("np.ndarray", held.lower) for held in found])

    def shared_states(self, ids: Sequence[Sequence[int]]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The states, and those of the lower layer that sentiment is read from, which are not remembered."""
        keys = [tuple(row) for row in ids]
        read, shared = cast("SharingEncoder", self.encoder).shared_states(ids)
        means = lower_means(shared)
        found = {k: Held(states.astype(np.float16), mean) for k, states, mean in zip(keys, read, means, strict=True)}
        found |= {key: held for key, held in self._recall(keys).items() if held.lower is not None}
        self._remember(found)
        return [found[key].states.astype(np.float32) for key in keys], shared

    def _read(
        self, ids: Sequence[Sequence[int]], read: Callable[[Sequence[tuple[int, ...]]], list[Held]],
        with_lower: bool = False,
    ) -> list[Held]:  # fmt: skip
        """What is remembered of each sentence, and the rest read anew."""
        keys = [tuple(row) for row in ids]
        found = {key: held for key, held in self._recall(keys).items() if not with_lower or held.lower is not None}
        if missing := [key for key in dict.fromkeys(keys) if key not in found]:
            new = dict(zip(missing, read(missing), strict=True))
            self._remember(new)
            found.update(new)
        return [found[key] for key in keys]

    def _recall(self, keys: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], Held]:
        with NO_FORK, self._lock:
            found = {key: self._held[key] for key in keys if key in self._held}
            for key in found:
                self._held.move_to_end(key)
            return found

    def _remember(self, new: dict[tuple[int, ...], Held]) -> None:
        with NO_FORK, self._lock:
            for key, held in new.items():
                before = self._held.pop(key, None)  # another thread may have read the same, or it had no lower mean
                self._held[key] = held
                self.held_bytes += held.nbytes - (before.nbytes if before else 0)
            while self.held_bytes > self.most_bytes:
                _, oldest = self._held.popitem(last=False)
                self.held_bytes -= oldest.nbytes
