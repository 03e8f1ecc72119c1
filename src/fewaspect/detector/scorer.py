"""Encoder and LPN+ as one: texts to representations, examples to aspects, representations to probabilities."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from fewaspect.detector.presence import Presence
from fewaspect.encoders.batching import length_batches
from fewaspect.encoders.packed import PackedStates
from fewaspect.encoders.transformer import TokenEncoder
from fewaspect.errors import ConfigError
from fewaspect.methods.base import Represented
from fewaspect.methods.lpn_plus import Aspects, LPNPlus
from fewaspect.methods.model import FewShotModel
from fewaspect.training.run import RunFolder, load_run

MOST_OTHERS = 128  # rows that an aspect is told apart from: those of an episode of the benchmark and more
SEEN_AT_ONCE = 1 << 24  # numbers in what all aspects see of some sentences: 64 MB
SHIPPED = Path(__file__).parent / "shipped"
PRESENCE = "presence.json"
SAVED = "detector.json"  # what a folder has that is no run but a whole detector


class Scorer:
    """A trained LPN+ on its encoder. It keeps nothing of what it reads, neither in memory nor on disk."""

    def __init__(self, encoder: TokenEncoder, model: FewShotModel, presence: Presence, name: str) -> None:
        if not isinstance(model.method, LPNPlus):
            raise ConfigError(f"{name}: expected a run of the method lpn-plus, found {type(model.method).__name__}.")
        self.encoder = encoder
        self.model = model.eval().requires_grad_(False)
        self.method = model.method
        self.presence = presence
        self.device = next(model.parameters()).device
        self.specials = encoder.frozen.tokeniser.num_special_tokens_to_add()

    @property
    def identity(self) -> dict[str, str]:
        """What representations depend on besides the text."""
        digest = hashlib.sha256()
        for name, value in sorted(self.model.state_dict().items()):
            digest.update(name.encode())
            digest.update(value.detach().cpu().contiguous().numpy().tobytes())
        digest.update(repr(self.presence).encode())
        source = self.encoder.source
        return {"encoder": Path(source.name).name, "encoder_digest": source.digest, "weights": digest.hexdigest()}

    def too_long(self, texts: Sequence[str]) -> list[bool]:
        """Which texts the encoder could read only in part."""
        # A token is one character at least; only where text can be spelt out in bytes has it more tokens.
        sure = self.encoder.frozen.max_length - self.specials - 1
        doubtful = [i for i, text in enumerate(texts) if len(text) > sure or not text.isascii()]
        cut = [False] * len(texts)
        for i, truncated in zip(doubtful, self._tokenised([texts[i] for i in doubtful])[1], strict=True):
            cut[i] = bool(truncated)
        return cut

    def represent(self, texts: Sequence[str], batch_tokens: int) -> Iterator[tuple[np.ndarray, Represented]]:
        """Batches of texts of similar length, by their indices; a text without a single token the encoder reads is
        left out."""
        lengths = self._tokenised(texts)[0]
        readable = np.flatnonzero(lengths > self.specials)
        for batch in length_batches(lengths[readable], batch_tokens):
            yield readable[batch], self._represented([texts[i] for i in readable[batch]])

    @torch.inference_mode()
    def learn(
        self, support: Represented, membership: Tensor, none: Tensor, labels: Represented, prototypes: Tensor
    ) -> Aspects:
        return self.method.learn(support, membership, labels, none=none, prototypes=prototypes, most_others=MOST_OTHERS)

    @torch.inference_mode()
    def prototype(self, shots: Tensor, weights: Tensor, label: Tensor) -> Tensor:
        """(d,) one aspect's, from its own (K, d) shots and (d,) label text alone."""
        return self.method.prototypes(Represented(shots), weights[:, None], Represented(label[None]))[0]

    @torch.inference_mode()
    def probabilities(self, aspects: Aspects, queries: Represented) -> np.ndarray:
        """(Q, N)."""
        found = [np.zeros((0, len(aspects.shots)))]
        for some in self._some(aspects, queries):
            parts = self.method.parts(aspects, some)
            present = self.presence(parts, self.method.together(parts), aspects.shots)
            found.append(present.double().cpu().numpy())
        return np.concatenate(found)

    @torch.inference_mode()
    def evidence(self, aspects: Aspects, queries: Represented) -> list[np.ndarray]:
        """For each sentence (N, T) what each of its tokens adds to its scores."""
        scale = self.method.log_scale.exp()
        assert queries.tokens is not None
        lengths = queries.tokens.lengths[queries.token_rows].tolist()
        parts = [self.method.evidence(aspects, part) / scale for part in self._some(aspects, queries)]
        shares = [share.double().cpu().numpy() for part in parts for share in part]
        return [share[:, :length] for share, length in zip(shares, lengths, strict=True)]

    def _some(self, aspects: Aspects, queries: Represented) -> list[Represented]:
        """Few enough sentences at once that what all aspects see of them is of bounded size."""
        rows = max(1, SEEN_AT_ONCE // max(1, aspects.looking.numel()))
        return [queries.take(part) for part in torch.arange(len(queries), device=self.device).split(rows)]

    @torch.inference_mode()
    def _represented(self, texts: list[str]) -> Represented:
        states, _ = self.encoder.frozen.states(texts)
        lengths = torch.tensor([len(part) for part in states])
        packed = PackedStates(torch.from_numpy(np.concatenate(states)), lengths)
        return self.model.represent(packed.to(self.device))

    def _tokenised(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        tokenised = self.encoder.frozen.tokenise(texts)
        return np.array([len(ids) for ids in tokenised.ids], dtype=np.int64), tokenised.truncated


def load_scorer(model: str | Path | None) -> Scorer:
    """The shipped weights, or those of a run folder; loaded once in a process, unless the folder changes."""
    folder = SHIPPED if model is None else Path(model)
    if (folder / SAVED).is_file():
        raise ConfigError(
            f"{folder}: expected the folder of a training run, found a saved detector, which has examples of its own.\n"
            "Use it without others: --model alone on the command line, AspectDetector.load(folder) in Python."
        )
    best = RunFolder(folder).best
    return _load(str(folder.resolve()), best.stat().st_mtime_ns if best.is_file() else 0)


@lru_cache(maxsize=4)
def _load(folder: str, _changed: int) -> Scorer:
    """A run that says nothing of probabilities gets those of the shipped one: both are LPN+ on the scale of cosines."""
    with torch.random.fork_rng():  # a fresh method draws its start; the user's random numbers are not touched
        _, encoder, trained = load_run(Path(folder))
    own = Path(folder) / PRESENCE
    return Scorer(encoder, trained, Presence.load(own if own.is_file() else SHIPPED / PRESENCE), folder)
