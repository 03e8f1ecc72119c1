"""Encoder and LPN+ as one: texts to representations, examples to aspects, representations to probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np

from fewaspect.core.errors import ConfigError
from fewaspect.detector.calibration import ProbabilityModel, score_features
from fewaspect.detector.scoring import FittedAspects, LPNPlusScorer
from fewaspect.inference.batching import length_batches
from fewaspect.inference.encoded import Sentences
from fewaspect.inference.model_folder import ABOUT as EXPORTED
from fewaspect.inference.model_folder import load_runtime
from fewaspect.inference.threads import ONE_THREAD
from fewaspect.text.tokenization import TextEncoder
from fewaspect.training.backends import (
    BACKENDS,
    RANGES,
    choose_backend,
    identity_of,
    make_encoder,
    precision_of,
    ranges_of,
)
from fewaspect.training.folder import RunFolder
from fewaspect.training.product_weights import PRESENCE, SHIPPED, load_weights

SAVED = "detector.json"  # what a folder has that is no run but a whole detector
Result = TypeVar("Result")


class InferenceModel:
    """A trained LPN+ on its encoder. It keeps nothing of what it reads, neither in memory nor on disk."""

    def __init__(
        self,
        encoder: TextEncoder,
        looking: LPNPlusScorer,
        presence: ProbabilityModel,
        identity: dict[str, str],
        backend: str,
    ) -> None:
        self.encoder, self.looking, self.presence, self.backend = encoder, looking, presence, backend
        self.identity = {**identity, "precision": precision_of(backend)}

    def each(
        self, texts: Sequence[str], batch_tokens: int | None, work: Callable[[Sentences], Result]
    ) -> Iterator[tuple[np.ndarray, Result]]:
        """What `work` makes of batches of texts of similar length, with their indices; a text without a single token
        that the encoder reads is left out."""
        ids = self.encoder.tokens.ids(texts)
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        readable = np.flatnonzero(lengths > self.encoder.tokens.specials)
        shared = -(-int(lengths[readable].sum()) // self.encoder.workers)  # few sentences keep all workers busy too
        tokens = batch_tokens or max(1, min(self.encoder.batch_tokens, shared))
        batches = [readable[batch] for batch in length_batches(lengths[readable], tokens)]

        def one(batch: np.ndarray) -> tuple[np.ndarray, Result]:
            states = self.encoder.states([ids[i] for i in batch])
            return batch, work(Sentences.of(states, self.encoder.width))

        workers = min(self.encoder.workers, len(batches))
        with ONE_THREAD:
            if workers <= 1:
                yield from map(one, batches)
                return
            with ThreadPoolExecutor(workers) as pool:
                yield from pool.map(one, batches)

    def probabilities(self, fitted: FittedAspects, sentences: Sentences) -> np.ndarray:
        """(Q, N)."""
        components = self.looking.components(fitted, sentences)
        features = score_features(components, self.looking.combine_scores(components), fitted.shots)
        return self.presence(features, fitted.bias)


def load_model(model: str | Path | None, backend: str = "auto", precision: str | None = None) -> InferenceModel:
    """The shipped weights, or those of a run folder; loaded once in a process, unless the folder changes.

    With "auto", a backend of this `precision`, if one is given.
    """
    if backend not in BACKENDS:
        raise ConfigError(f"backend: expected one of {', '.join(BACKENDS)}, found {backend!r}.")
    folder = SHIPPED if model is None else Path(model)
    if (folder / SAVED).is_file():
        raise ConfigError(
            f"{folder}: expected the folder of a training run, found a saved detector, which has examples of its own.\n"
            "Use it without others: --model alone on the command line, AspectDetector.load(folder) in Python."
        )
    names = (EXPORTED, PRESENCE, RANGES, RunFolder(folder).best.name)
    changed = [path.stat().st_mtime_ns for path in (folder / name for name in names) if path.is_file()]
    return _load(str(folder.resolve()), backend, precision, max(changed, default=0))


@lru_cache(maxsize=4)
def _load(folder: str, backend: str, precision: str | None, _changed: int) -> InferenceModel:
    if (Path(folder) / EXPORTED).is_file():
        encoder, exported = load_runtime(Path(folder), backend)
        return InferenceModel(encoder, exported.looking, exported.presence, exported.identity, exported.backend)
    weights = load_weights(Path(folder))
    name = choose_backend(backend, weights, precision)
    ranges = ranges_of(name, weights)
    encoder = make_encoder(name, weights, ranges)
    return InferenceModel(encoder, weights.looking, weights.presence, identity_of(weights, ranges), name)
