"""An exported model as it serves: encoder, LPN+ and probability model; texts in, probabilities of their sentences out.

Equal sentences are scored once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from fewaspect.core.errors import WRONG_VALUE, CheckpointError, ConfigError
from fewaspect.detector.calibration import ProbabilityModel, score_features
from fewaspect.detector.scoring import FittedAspects, LPNPlusScorer
from fewaspect.inference.encoded import Sentences, unit
from fewaspect.inference.encoder import (
    GRAPH,
    HEAD,
    NAMED,
    ONE_THREAD,
    SENTIMENT,
    SENTIMENT_HEAD,
    SHIPPED,
    TextEncoder,
    is_model,
    load_encoder,
    lower_means,
    model_files,
    model_folder,
    read_metadata,
)
from fewaspect.inference.sentiment_branch import PolarityModel, SentimentBranch, States
from fewaspect.text.splitting import Span, fitting_spans, grouped_spans, sentence_spans
from fewaspect.text.tokenization import length_batches

if TYPE_CHECKING:
    from fewaspect.inference.encoder import SharingEncoder

SAVED = "detector.json"  # a folder with this file is a saved detector
Result = TypeVar("Result")


@dataclass(frozen=True)
class SentencePredictions:
    """The sentences of each text, and the probabilities of the distinct ones."""

    spans: list[list[Span]]  # of each text
    rows: list[list[int]]  # of each text, beside its spans: which of the distinct sentences each is
    sentences: list[str]  # distinct
    probabilities: np.ndarray  # (sentences, N)
    vectors: np.ndarray  # (sentences, d), or (0, d) if they were not asked for
    cut: list[bool]  # of each text: whether a sentence was longer than the encoder reads and was read in pieces
    evidence: dict[int, np.ndarray] = field(default_factory=dict)  # (N, T) by sentence: what tokens add to scores
    polarities: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)  # (3,) by sentence and label

    @property
    def of_texts(self) -> np.ndarray:
        """(texts, N): an aspect is as probable in a text as in the sentence where it is most probable."""
        result = np.zeros((len(self.rows), self.probabilities.shape[1]))
        for text, rows in enumerate(self.rows):
            if rows:
                result[text] = self.probabilities[rows].max(axis=0)
        return result


@dataclass(frozen=True)
class PolarityRequest:
    """For which labels the polarity of a sentence is wanted. `wanted`: (Q, labels) of the indices of Q sentences and
    their (Q, N) probabilities."""

    labels: Sequence[States]
    wanted: Callable[[np.ndarray, np.ndarray], np.ndarray]
    correct: Callable[[np.ndarray, Sequence[np.ndarray], np.ndarray], np.ndarray] | None = None
    """The (pairs, 3) probabilities as a user sees it, of the labels and sentence states of the pairs, and of ours."""
    tokens: int = 0  # up to which sentences that follow each other are read as one


@dataclass(frozen=True, eq=False)
class InferenceModel:
    """A trained LPN+ on its encoder. It keeps nothing of what it encodes, neither in memory nor on disk."""

    encoder: TextEncoder
    scorer: LPNPlusScorer
    probability_model: ProbabilityModel
    identity: Mapping[str, str]  # what encodings depend on besides the text: encoder, weights, precision
    folder: Path | None = None  # of the exported model, None where it was made in memory
    sentiment: PolarityModel | None = None  # models that were exported without it have none
    languages: tuple[str, ...] | None = None  # that it was made for, by their codes; None where nobody has said it

    @property
    def shipped(self) -> bool:
        """Whether it comes with the package, as the English model or by name."""
        return self.folder is not None and (self.folder.resolve() == SHIPPED.resolve() or self.name is not None)

    @property
    def name(self) -> str | None:
        """By which it is chosen; None for the English model and for others that come from a folder."""
        own = self.folder and self.folder.resolve()
        return next((name for name, folder in NAMED.items() if folder.resolve() == own), None)

    def map_batches(
        self, texts: Sequence[str], batch_tokens: int | None, work: Callable[[Sentences], Result]
    ) -> Iterator[tuple[np.ndarray, Result]]:
        """The result of `work` for batches of texts of similar length, with their indices, by several threads.

        A text without a single token that the encoder reads is left out.
        """

        def read(_: np.ndarray, ids: list[list[int]]) -> Result:
            return work(self.read(ids))

        return self.map_ids(texts, batch_tokens, read)

    def map_ids(
        self, texts: Sequence[str], batch_tokens: int | None, work: Callable[[np.ndarray, list[list[int]]], Result]
    ) -> Iterator[tuple[np.ndarray, Result]]:
        """As `map_batches`; `work` is given the indices and the token ids of a batch."""
        ids = self.encoder.tokeniser.ids(texts)
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        readable = np.flatnonzero(lengths > self.encoder.tokeniser.special_tokens)
        shared = -(-int(lengths[readable].sum()) // self.encoder.workers)  # few sentences keep all workers busy too
        tokens = batch_tokens or max(1, min(self.encoder.batch_tokens, shared))
        batches = [readable[batch] for batch in length_batches(lengths[readable], tokens)]

        def one(batch: np.ndarray) -> tuple[np.ndarray, Result]:
            return batch, work(batch, [ids[i] for i in batch])

        workers = min(self.encoder.workers, len(batches))
        with ONE_THREAD:
            if workers <= 1:
                yield from map(one, batches)
                return
            with ThreadPoolExecutor(workers) as pool:
                yield from pool.map(one, batches)

    def read(self, ids: Sequence[Sequence[int]]) -> Sentences:
        """Sentences of a batch, by their token ids."""
        if not self.scorer.settings.lower_head:
            return Sentences.of(self.encoder.states(ids), self.encoder.width)
        states, lower = cast("SharingEncoder", self.encoder).states_and_lower(ids)
        return Sentences.of(states, self.encoder.width, lower)

    def shared_states(self, ids: Sequence[Sequence[int]]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """(T, d) states of each sentence, and those that sentiment is read from; of a model with sentiment."""
        return cast("SharingEncoder", self.encoder).shared_states(ids)

    def probabilities(self, aspects: FittedAspects, sentences: Sentences) -> np.ndarray:
        """(Q, N)."""
        components = self.scorer.components(aspects, sentences)
        features = score_features(components, self.scorer.combine_scores(components), aspects.shots)
        return self.probability_model(features, aspects.bias)

    def split_sentences(
        self, texts: Sequence[str], tokens: int = 0
    ) -> tuple[list[list[Span]], list[list[int]], list[str], list[bool]]:
        """The sentences of each text, none longer than the encoder reads: spans, numbers, the distinct ones, and
        which texts have a sentence that had to be cut. Neighbours are one, as long as they have at most `tokens`."""
        whole = [sentence_spans(text) for text in texts]
        spans = fitting_spans(texts, whole, self.encoder.tokeniser.too_long)
        cut = [own != first for own, first in zip(spans, whole, strict=True)]
        if tokens:
            spans = [self._grouped(text, own, tokens) for text, own in zip(texts, spans, strict=True)]
        numbers: dict[str, int] = {}
        rows = [
            [numbers.setdefault(text[start:end], len(numbers)) for start, end in own]
            for text, own in zip(texts, spans, strict=True)
        ]
        return spans, rows, list(numbers), cut

    def _grouped(self, text: str, spans: list[Span], tokens: int) -> list[Span]:
        if len(spans) < 2:
            return spans
        return grouped_spans(spans, self.encoder.tokeniser.pieces([text[start:end] for start, end in spans]), tokens)

    def sentence_vectors(self, sentences: Sequence[str], batch_tokens: int | None = None) -> np.ndarray:
        """(sentences, d) unit vectors; zeros where there is no word to read."""
        vectors = np.zeros((len(sentences), self.encoder.width), dtype=np.float32)
        for batch, own in self.map_batches(sentences, batch_tokens, lambda read: read.vectors):
            vectors[batch] = own
        return vectors

    def text_vectors(self, texts: Sequence[str], batch_tokens: int | None = None) -> np.ndarray:
        """(texts, d) unit vectors: the direction of the sum of those of its sentences."""
        _, rows, sentences, _ = self.split_sentences(texts)
        vectors = self.sentence_vectors(sentences, batch_tokens)
        sums = [vectors[own].sum(axis=0) for own in rows]
        return unit(np.stack(sums)) if sums else vectors[:0]

    def predict_sentences(
        self, aspects: FittedAspects, texts: Sequence[str], batch_tokens: int | None = None, *, vectors: bool = False,
        evidence: bool = False, polarity: PolarityRequest | None = None,
    ) -> SentencePredictions:  # fmt: skip
        """Every sentence against every fitted aspect; a sentence without a readable word has probabilities of 0."""
        spans, rows, sentences, cut = self.split_sentences(texts, polarity.tokens if polarity else 0)
        predictions = SentencePredictions(
            spans, rows, sentences, np.zeros((len(sentences), len(aspects.shots))),
            np.zeros((len(sentences) if vectors else 0, self.encoder.width), dtype=np.float32), cut,
        )  # fmt: skip

        def score(some: Sentences) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
            adds = self.scorer.token_evidence(aspects, some) if evidence else []
            return self.probabilities(aspects, some), some.vectors, adds

        def score_with_polarity(batch: np.ndarray, ids: list[list[int]]) -> tuple[np.ndarray, np.ndarray, Any]:
            assert polarity is not None
            assert self.sentiment is not None
            states, shared = self.shared_states(ids)
            lower = lower_means(shared) if self.scorer.settings.lower_head else None
            found = score(Sentences.of(states, self.encoder.width, lower))
            pairs = np.argwhere(polarity.wanted(batch, found[0]))
            told = self.sentiment.of_pairs(list(zip(shared, states, strict=True)), polarity.labels, pairs)
            if polarity.correct is not None and len(pairs):
                told = polarity.correct(pairs[:, 1], [shared[q] for q, _ in pairs], told)
            predictions.polarities.update(((int(batch[q]), int(n)), p) for (q, n), p in zip(pairs, told, strict=True))
            return found

        if polarity is None:
            read = self.map_batches(sentences, batch_tokens, score)
        else:
            read = self.map_ids(sentences, batch_tokens, score_with_polarity)
        for batch, (probabilities, directions, adds) in read:
            predictions.probabilities[batch] = probabilities
            if vectors:
                predictions.vectors[batch] = directions
            if evidence:
                predictions.evidence.update(zip(batch.tolist(), adds, strict=True))
        return predictions


def load_model(model: str | Path | InferenceModel | None = None) -> InferenceModel:
    """The shipped model, one by its name ("multilingual") or an exported one from its folder; loaded once in a process,
    unless the folder changes."""
    if isinstance(model, InferenceModel):
        return model
    folder = SHIPPED if model is None else model_folder(model)
    if (folder / SAVED).is_file():
        raise ConfigError(
            f"{folder}: expected an exported model, found a saved detector, which has examples of its own.\n"
            "Use it without others: --model alone on the command line, AspectDetector.load(folder) in Python."
        )
    if not is_model(folder):
        found = "a training run" if (folder / "run.json").is_file() else "none"
        raise ConfigError(
            f"{folder}: expected an exported model, found {found}.\n"
            "Export a training run first: fewaspect export RUN FOLDER."
        )
    changed = max((path.stat().st_mtime_ns for path in model_files(folder) if path.is_file()), default=0)
    return _load(str(folder.resolve()), changed)


class ModelReference:
    """A model by where it comes from: loaded when first needed, and by every process for itself."""

    def __init__(self, source: Path | InferenceModel | None, loaded: InferenceModel | None = None) -> None:
        self.source, self._loaded = source, loaded

    def load(self) -> InferenceModel:
        if self._loaded is None:
            self._loaded = load_model(self.source)
        return self._loaded

    def __getstate__(self) -> dict[str, Any]:
        return {"source": self.source, "_loaded": None}


@lru_cache(maxsize=4)
def _load(path: str, _changed: int) -> InferenceModel:
    folder = Path(path)
    metadata = read_metadata(folder)
    try:
        scorer = LPNPlusScorer.from_json(metadata["scorer"], path)
        probability_model = ProbabilityModel.from_json(metadata["probability_model"])
        identity = {str(name): str(value) for name, value in metadata["identity"].items()}
        identity.setdefault("graph", metadata["files"][HEAD if "package" in metadata else GRAPH])
        precision = metadata.get("precision") or ("int8" if metadata["backend"] == "onnx-int8" else "fp32")
        encoder = load_encoder(folder, metadata)
        sentiment = _load_sentiment(folder, metadata.get("sentiment"), encoder)
        languages = tuple(map(str, own)) if (own := metadata.get("languages")) else None
    except WRONG_VALUE as error:
        raise CheckpointError(
            f"{folder}: expected the metadata of a model, found a damaged file: {error!r}."
        ) from error
    identity = {**identity, "precision": precision}
    return InferenceModel(encoder, scorer, probability_model, identity, folder, sentiment, languages)


def _load_sentiment(folder: Path, about: Mapping[str, Any] | None, encoder: TextEncoder) -> PolarityModel | None:
    """None for a model without it."""
    if about is None:
        return None
    chosen = {name: float(about[name]) for name in ("temperature", "neutral_bias", "mixed_least")}
    if not (folder / SENTIMENT_HEAD).is_file():
        return SentimentBranch(folder / SENTIMENT, **chosen)
    from fewaspect.inference.universal_sentiment import load_universal_sentiment

    return load_universal_sentiment(folder / SENTIMENT_HEAD, encoder, float(about["attention"]), chosen)


def check_batch_size(tokens: Any) -> None:
    if not (tokens is None or (isinstance(tokens, int) and tokens >= 1)):
        raise ConfigError(f"batch_tokens: expected an integer from 1, or None, found {tokens!r}.")


def model_metadata(model: InferenceModel, padding: int) -> dict[str, Any]:
    """What `write_model` keeps beside the graph, so that `load_model` gives the same model again."""
    identity = dict(model.identity)
    return {
        "precision": identity.pop("precision"),
        "width": model.encoder.width,
        "padding": padding,
        "max_length": model.encoder.tokeniser.max_length,
        "identity": identity,
        "scorer": asdict(model.scorer),
        "probability_model": asdict(model.probability_model),
    }
