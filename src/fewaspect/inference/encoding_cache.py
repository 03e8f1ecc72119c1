"""An encoder that remembers what it has read: comparing the same sentences with new examples costs no encoding."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from fewaspect.inference.encoder import TextEncoder

if TYPE_CHECKING:
    from fewaspect.inference.encoder import SharingEncoder

MOST_BYTES = 512 << 20  # some 40,000 sentences of the embedded encoder


class CachingEncoder:
    """Token states by token ids in half precision; beyond the bound, what was asked for longest ago is forgotten.

    The first reading is rounded too, so that an answer does not depend on what is remembered.
    """

    def __init__(self, encoder: TextEncoder, most_bytes: int = MOST_BYTES) -> None:
        self.encoder, self.most_bytes = encoder, most_bytes
        self.width, self.tokeniser = encoder.width, encoder.tokeniser
        self.batch_tokens, self.workers = encoder.batch_tokens, encoder.workers
        self.held_bytes = 0
        self._held: OrderedDict[tuple[int, ...], np.ndarray] = OrderedDict()
        self._lock = threading.Lock()

    def states(self, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """(T, d) of each sentence in single precision."""
        keys = [tuple(row) for row in ids]
        found = self._recall(keys)
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if missing:
            read = self.encoder.states(missing)
            new = {key: states.astype(np.float16) for key, states in zip(missing, read, strict=True)}
            self._remember(new)
            found.update(new)
        return [found[key].astype(np.float32) for key in keys]

    def shared_states(self, ids: Sequence[Sequence[int]]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The states, and those of the lower layer that sentiment is told from, which are not remembered."""
        _, shared = cast("SharingEncoder", self.encoder).shared_states(ids)
        return self.states(ids), shared

    def _recall(self, keys: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], np.ndarray]:
        with self._lock:
            found = {key: self._held[key] for key in keys if key in self._held}
            for key in found:
                self._held.move_to_end(key)
            return found

    def _remember(self, new: dict[tuple[int, ...], np.ndarray]) -> None:
        with self._lock:
            for key, states in new.items():
                if key not in self._held:  # another thread may have read the same
                    self._held[key] = states
                    self.held_bytes += states.nbytes
            while self.held_bytes > self.most_bytes:
                _, states = self._held.popitem(last=False)
                self.held_bytes -= states.nbytes
