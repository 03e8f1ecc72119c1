"""The frozen layers of an encoder behind a disk cache: each text runs through them once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from fewaspect.encoders.packed import PackedStates
from fewaspect.encoders.state_cache import StateCache, states_root
from fewaspect.encoders.transformer import TokenEncoder

TEXTS_PER_SEGMENT = 2048


class FrozenStates:
    """Token states after the frozen layers, computed on first use and cached on disk."""

    def __init__(self, encoder: TokenEncoder, root: Path | None = None) -> None:
        self.encoder = encoder
        self.cache = StateCache(root or states_root(), encoder.cache_key(), encoder.source.name)

    def handles(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> np.ndarray:
        """(n,) indices of the texts in the cache, for `gather`; texts that are not cached are encoded now."""
        missing = self.cache.missing(texts)
        if on_done and len(missing) < len(texts):
            on_done(len(texts) - len(missing))
        for start in range(0, len(missing), TEXTS_PER_SEGMENT):
            part = missing[start : start + TEXTS_PER_SEGMENT]
            states, truncated = self.encoder.frozen.states(part, on_done)
            self.cache.add(part, states, truncated.tolist())
        return self.cache.handles(texts)

    def gather(self, handles: np.ndarray) -> PackedStates:
        """The states of these texts, in this order."""
        lengths = self.lengths(handles)
        # Into torch's aligned memory: the last bits of a matrix product depend on the alignment of its input.
        values = torch.empty(int(lengths.sum()), self.cache.width or 0)
        self.cache.gather(handles, values.numpy())
        return PackedStates(values, torch.from_numpy(lengths.astype(np.int64)))

    def truncated(self, handles: np.ndarray) -> int:
        """How many of these texts were longer than the encoder can read."""
        return int(self.cache.truncated(handles).sum())

    def lengths(self, handles: np.ndarray) -> np.ndarray:
        """(n,) number of tokens of each text."""
        return self.cache.lengths(handles)
