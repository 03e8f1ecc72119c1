"""What a detector holds once it is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.core.errors import ConfigError
from fewaspect.data.labels import check_texts
from fewaspect.detector.decision import Threshold, thresholds_of
from fewaspect.detector.support import Examples

if TYPE_CHECKING:
    from fewaspect.detector.encoding import FittedState
    from fewaspect.detector.model import InferenceModel
    from fewaspect.detector.predictions import SentencePredictions
    from fewaspect.detector.tables import TextPredictions


class Fitted:
    """Knowledge, weights and thresholds behind the public methods."""

    model: str | Path | None
    threshold: Threshold
    batch_tokens: int | None
    backend: str
    _known: FittedState  # these six are there after `fit` alone
    _model: str | Path | None
    _backend: str
    _loaded: InferenceModel | None
    _matrix: bool
    _tuned: dict[str, float]

    @property
    def classes_(self) -> np.ndarray:
        """The names of the aspects, in the order of the columns of `predict_proba`."""
        return np.array(self._examples.names, dtype=object)

    @property
    def shots_(self) -> dict[str, int]:
        """How many examples each aspect has."""
        return {name: self._examples.shots(name) for name in self._examples.names}

    @property
    def thresholds_(self) -> dict[str, float]:
        """What each aspect's probability must reach."""
        return dict(zip(self._examples.names, self._thresholds.tolist(), strict=True))

    @property
    def prototypes_(self) -> np.ndarray:
        """(aspects, d) where each aspect lies; an aspect's own examples, name and description alone decide it."""
        return self._knowledge.prototypes

    @property
    def remarks_(self) -> tuple[str, ...]:
        """What was odd about the examples given last: duplicates, contradictions, empty ones."""
        return self._examples.remarks

    @property
    def _knowledge(self) -> FittedState:
        if not self.__sklearn_is_fitted__():
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"This {type(self).__name__} knows no aspects yet. Call fit or add_aspect first.")
        return self._known

    @property
    def _examples(self) -> Examples:
        return self._knowledge.examples

    @property
    def _thresholds(self) -> np.ndarray:
        return thresholds_of(self._examples.names, self.threshold, self._tuned)

    @property
    def _scorer(self) -> InferenceModel:
        """Loaded when first needed, of the `model` and `backend` there were at the time of `fit`."""
        from fewaspect.detector.model import load_model

        if self._loaded is None:
            self._loaded = load_model(self._model, self._backend)
            self._backend = self._loaded.backend
        return self._loaded

    def _learn(self, examples: Examples) -> None:
        from fewaspect.detector.encoding import learn

        self._known = learn(self._scorer, examples, getattr(self, "_known", None))

    def _serve(self, model: Path) -> None:
        """Answer by another form of the same model."""
        from fewaspect.detector.encoding import learn
        from fewaspect.detector.model import load_model

        scorer = load_model(model)
        self.backend = "auto"  # it has one only
        self._known = learn(scorer, self._examples)
        self._model, self._backend, self._loaded = model, scorer.backend, scorer

    def _forget(self) -> None:
        if not is_batch_size(self.batch_tokens):
            raise ConfigError(f"batch_tokens: expected a whole number from 1, or None, found {self.batch_tokens!r}.")
        self.__dict__.pop("_known", None)
        self._model = None if self.model is None else Path(self.model).resolve()  # wherever a copy is read again
        self._backend, self._loaded = self.backend, None

    def _read(self, texts: Sequence[str], *, vectors: bool = False, evidence: bool = False) -> SentencePredictions:
        from fewaspect.detector.predictions import read

        known = self._knowledge
        return read(self._scorer, known, texts, self.batch_tokens, vectors=vectors, evidence=evidence)

    def predict_texts(self, texts: Sequence[str]) -> TextPredictions:
        """Of each text: probabilities (n, N), its number of sentences (n,), and whether one was cut (n,)."""
        from fewaspect.detector.tables import TextPredictions

        reading = self._read(check_texts(texts))
        return TextPredictions(reading.of_texts, np.array([len(own) for own in reading.rows]), np.array(reading.cut))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_known")


def is_batch_size(tokens: Any) -> bool:
    return tokens is None or (isinstance(tokens, int) and tokens >= 1)
