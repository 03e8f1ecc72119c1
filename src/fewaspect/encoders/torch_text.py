"""Token states by torch, on a GPU where there is one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from fewaspect.encoders.packed import PackedStates
from fewaspect.encoders.transformer import TokenEncoder, UpperLayers
from fewaspect.text.tokenization import SentenceTokeniser


class TorchTextEncoder:
    """A `TextEncoder` of frozen and trained layers; torch brings its own threads."""

    batch_tokens = 4096
    workers = 1

    def __init__(self, encoder: TokenEncoder, upper: UpperLayers) -> None:
        self.encoder, self.upper, self.width = encoder, upper, encoder.width
        self.tokeniser = SentenceTokeniser(encoder.frozen.tokeniser.backend_tokenizer, encoder.frozen.max_length)

    @torch.inference_mode()
    def states(self, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """(T, d) states of each sentence of a batch."""
        frozen = self.encoder.frozen.hidden(ids)
        lengths = torch.tensor([len(part) for part in frozen])
        packed = PackedStates(torch.from_numpy(np.concatenate(frozen)), lengths)
        values = self.upper(packed.to(self.encoder.frozen.model.device)).values
        return np.split(values.float().cpu().numpy(), lengths.cumsum(0)[:-1].numpy())
