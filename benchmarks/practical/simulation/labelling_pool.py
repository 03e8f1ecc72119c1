"""A set for simulated labelling: every sentence encoded once, so that a fit and a reading take milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from draws import Draw, draw
from fewaspect.data.labelled import LabelledSentence
from fewaspect.detector.explain import DEFAULT_THRESHOLD
from fewaspect.detector.fitting import FittedState, encode_examples, encode_pile, fit_aspects
from fewaspect.detector.labelling.offer import offered
from fewaspect.detector.metrics import measure
from fewaspect.detector.model import InferenceModel, SentencePredictions
from fewaspect.detector.support import read_examples
from fewaspect.inference.encoded import Sentences, unit
from fewaspect.text.splitting import Span


@dataclass
class EncodedTexts:
    """Texts split into sentences, and the distinct sentences as the encoder reads them."""

    texts: list[str]
    spans: list[list[Span]]
    rows: list[list[int]]
    names: list[str]  # of the distinct sentences: their texts
    cut: list[bool]
    read: np.ndarray  # numbers of the sentences that have a token
    sentences: Sentences  # of these

    @classmethod
    def of(cls, model: InferenceModel, texts: Sequence[str]) -> EncodedTexts:
        spans, rows, names, cut = model.split_sentences(texts)
        parts = list(model.map_batches(names, None, lambda some: some))
        read = np.concatenate([batch for batch, _ in parts])
        every = [some for _, some in parts]
        joined = (np.concatenate([getattr(some, name) for some in every]) for name in ("vectors", "tokens", "lengths"))
        return cls(list(texts), spans, rows, names, cut, read, Sentences(*joined))

    @cached_property
    def text_vectors(self) -> np.ndarray:
        """(texts, d) unit vectors."""
        vectors = np.zeros((len(self.names), self.sentences.vectors.shape[1]), np.float32)
        vectors[self.read] = self.sentences.vectors
        return unit(np.stack([vectors[rows].sum(axis=0) for rows in self.rows]))

    def predictions(self, model: InferenceModel, state: FittedState) -> SentencePredictions:
        """What `InferenceModel.predict_sentences` returns of these texts, without encoding them again."""
        width, aspects = self.sentences.vectors.shape[1], len(state.fitted.shots)
        probabilities, vectors = np.zeros((len(self.names), aspects)), np.zeros((len(self.names), width), np.float32)
        probabilities[self.read] = model.probabilities(state.fitted, self.sentences)
        vectors[self.read] = self.sentences.vectors
        return SentencePredictions(self.spans, self.rows, self.names, probabilities, vectors, self.cut)


class LabellingPool:
    """The texts of one draw that can be labelled, their true aspects, and the texts that the result is measured on."""

    def __init__(
        self, model: InferenceModel, sentences: Sequence[LabelledSentence], seed: int, most: int, test: int
    ) -> None:
        self.model = model
        self.drawn: Draw = draw(sentences, 1, seed, test)
        pile = self.drawn.pile[:most]
        aspects = {sentence.text: sentence.aspects for sentence in sentences}
        self.names, self.start = self.drawn.names, self.drawn.examples
        self.labels = {
            text: [name for name in aspects[text] if name in self.names] for text in dict.fromkeys([*pile, *self.start])
        }
        self.pool = EncodedTexts.of(model, pile)
        self.test = EncodedTexts.of(model, self.drawn.texts)
        self.truth = np.array(self.drawn.rows, dtype=bool)
        self.thresholds = np.full(len(self.names), DEFAULT_THRESHOLD)
        self._encoded = encode_examples(model, read_examples(*self._labelled(list(self.labels)), names=self.names)[0])
        self._pile = encode_pile(model, pile)

    def fit(self, labelled: Sequence[str]) -> FittedState:
        """The detector after these texts were labelled truthfully; it has learned from the pile as well."""
        examples, _ = read_examples(*self._labelled(labelled), names=self.names)
        state = encode_examples(self.model, examples, replace(self._encoded, pile=self._pile))
        return fit_aspects(self.model, state)

    def vectors_of(self, texts: Sequence[str]) -> np.ndarray:
        """(texts, d) unit vectors of texts that can be labelled."""
        return np.stack([self._encoded.encodings[text].vector for text in texts])

    def offered(self, numbers: np.ndarray, labelled: Sequence[str]) -> list[int]:
        """Those of the texts with these numbers that `AspectDetector.suggest` would offer."""
        texts, pieces = self.pool.texts, self.model.encoder.tokeniser.pieces
        return numbers[offered([texts[i] for i in numbers], labelled, (), pieces)].tolist()

    def measure(self, state: FittedState) -> dict[str, float]:
        """On the test texts."""
        probabilities = self.test.predictions(self.model, state).of_texts
        decided = probabilities >= self.thresholds
        found = measure(self.names, probabilities, decided, self.truth, {})
        return {name: found[name] for name in ("macro_f1", "mean_average_precision")}

    def _labelled(self, texts: Sequence[str]) -> tuple[list[str], list[list[str]]]:
        return list(texts), [self.labels[text] for text in texts]
