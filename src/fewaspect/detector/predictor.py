"""Examples in, probabilities and decisions out: what everything else that a detector does is made of."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.core.errors import ConfigError
from fewaspect.core.estimator import Estimator, not_fitted
from fewaspect.data.labels import check_texts
from fewaspect.detector.explain import Analysis, Threshold, best_first, decide, explain, thresholds_of
from fewaspect.detector.fitting import FittedState, encode_examples, encode_pile, fit_aspects
from fewaspect.detector.model import InferenceModel, SentencePredictions, check_batch_size, load_model
from fewaspect.detector.support import Examples, read_examples

if TYPE_CHECKING:
    from typing_extensions import Self

    from fewaspect.detector.arrow_tables import TextPredictions
    from fewaspect.detector.labelling.target_precision import Promise
    from fewaspect.detector.sentiment.aspect_sentiment import AspectSentiment

_REPLACING = threading.Lock()  # a fitted state takes the place of an unfitted one only if no newer one has come


class Predictor(Estimator):
    """Learns aspects from examples, names and descriptions, and reads texts with them."""

    _state: FittedState  # these five are there after `fit` alone
    _source: Path | InferenceModel | None
    _loaded: InferenceModel | None
    _matrix: bool
    _tuned: dict[str, float]
    _promise: Promise | None = None
    _promise_void = False  # there was one, before the detector changed

    def __init__(
        self, model: str | Path | InferenceModel | None = None, threshold: Threshold = None,
        batch_tokens: int | None = None,
    ) -> None:  # fmt: skip
        self.model = model
        self.threshold = threshold
        self.batch_tokens = batch_tokens

    @property
    def classes_(self) -> np.ndarray:
        """The names of the aspects, in the order of the columns of `predict_proba`."""
        return np.array(self.examples_.names, dtype=object)

    @property
    def shots_(self) -> dict[str, int]:
        """How many examples each aspect has."""
        return {name: self.examples_.shots(name) for name in self.examples_.names}

    @property
    def thresholds_(self) -> dict[str, float]:
        """What each aspect's probability must reach."""
        return dict(zip(self.examples_.names, self._thresholds.tolist(), strict=True))

    @property
    def promise_(self) -> Promise | None:
        """What `tune(precision=...)` promised of accepted answers; None without one, once the detector changes, and
        while a threshold keeps some of these answers back: what is left of all aspects may be right less often."""
        if self._promise is not None:
            accepted_from = [self._promise.thresholds[name] for name in self.examples_.names]
            pairs = zip(self._thresholds, accepted_from, strict=True)
            if any(own is not None and threshold > own for threshold, own in pairs):
                return None
        return self._promise

    @property
    def prototypes_(self) -> np.ndarray:
        """(aspects, d) where each aspect lies, by its own examples, name and description."""
        fitted = self._fitted().fitted
        return fitted.prototypes if fitted.uncentred_prototypes is None else fitted.uncentred_prototypes

    @property
    def examples_(self) -> Examples:
        """The examples it was given, each sentence once, with names and descriptions."""
        return self._encoded().examples

    @property
    def pile_size_(self) -> int:
        """How many unlabelled sentences it has learned from."""
        return len(self._encoded().pile or ())

    @property
    def remarks_(self) -> tuple[str, ...]:
        """What was odd about the examples given last: duplicates, contradictions, empty ones."""
        return self.examples_.remarks

    @property
    def model_(self) -> InferenceModel:
        """The model it predicts with, loaded when first needed."""
        self._encoded()
        return self._model()

    def fit(
        self, X: Any, y: Any = None, *, names: Sequence[str] | None = None,
        descriptions: Mapping[str, str] | None = None, none: Sequence[str] = (), unlabelled: Sequence[str] = (),
    ) -> Self:  # fmt: skip
        """Learn the aspects from examples: a dict of lists, or texts with lists of names or a 0/1 matrix.

        A text with an empty list, or one in `none`, is an example of "none of these". Nothing is trained: each example
        is encoded once. Examples given twice or with different aspects are reported as an `ExampleWarning`.
        `unlabelled` are texts to `adapt` to.

        >>> from fewaspect import AspectDetector
        >>> texts = ["the soup was cold", "garage full", "cold soup and no parking", "hello"]
        >>> AspectDetector().fit(texts, [["food"], ["parking"], ["food", "parking"], []]).classes_.tolist()
        ['food', 'parking']
        >>> AspectDetector().fit(texts, [[1, 0], [0, 1], [1, 1], [0, 0]]).predict(["no parking"])
        array([[0, 1]])
        """
        examples, matrix = read_examples(X, y, names=names, descriptions=descriptions, none=none)
        thresholds_of(examples.names, self.threshold, {})  # refused now rather than at the first answer
        check_batch_size(self.batch_tokens)
        model = self.model
        self._source = Path(model).resolve() if isinstance(model, str | Path) else model  # found again from anywhere
        self._loaded, self._tuned, self._matrix = None, {}, matrix
        self._promise, self._promise_void = None, False
        self.__dict__.pop("_state", None)
        self._change_examples(examples)
        return self.adapt(unlabelled).fit_aspects()

    def adapt(self, texts: Sequence[str]) -> Self:
        """Learn from unlabelled texts of the kind that will be read: what all of them are about, and which are alike.

        At most 2,000 of their sentences are kept, as one vector each; with fewer than 100, nothing changes.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.adapt([f"Table {number} was loud. Good soup." for number in range(120)]).pile_size_
        121
        """
        if (pile := encode_pile(self.model_, check_texts(texts))) is not None:
            self._void_promise()
            self._state = replace(self._state, pile=pile, aspects=None)
        return self

    @classmethod
    def from_examples(
        cls, model: InferenceModel, examples: Examples, thresholds: Mapping[str, float],
        previous: Predictor | None = None,
    ) -> Self:  # fmt: skip
        """A detector on a model that is loaded already; an example that `previous` has is not encoded again.

        >>> from fewaspect import AspectDetector
        >>> from fewaspect.detector.model import load_model
        >>> from fewaspect.detector.support import read_examples
        >>> examples, _ = read_examples({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> AspectDetector.from_examples(load_model(), examples, {"food": 0.6}).thresholds_["food"]
        0.6
        """
        thresholds_of(examples.names, thresholds, {})  # refused now rather than at the first answer
        detector = cls(model)
        detector._source, detector._loaded = model.folder or model, model
        detector._tuned, detector._matrix = dict(thresholds), False
        if previous is not None:
            detector._state = previous._state
        if previous is None or replace(previous.examples_, remarks=()) != examples:
            detector._change_examples(examples)
        return detector

    def add_aspect(self, name: str, examples: Sequence[str] = (), description: str | None = None) -> Self:
        """One more aspect; without examples, its name and description serve alone. The other prototypes stay.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"]})
        >>> detector.add_aspect("noise", ["thin walls"], description="loud neighbours, street noise").classes_.tolist()
        ['food', 'noise']
        """
        if not self.__sklearn_is_fitted__():
            return self.fit({name: examples}, descriptions={name: description} if description else None)
        self._change_examples(self.examples_.with_aspect(name, examples, description))
        return self

    def remove_aspect(self, name: str) -> Self:
        """One aspect less; examples that stood for it alone go with it.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.remove_aspect("noise").classes_.tolist()
        ['food']
        """
        self._change_examples(self.examples_.without_aspect(name))
        self._tuned.pop(name, None)
        if isinstance(self.threshold, Mapping):
            self.threshold = {other: value for other, value in self.threshold.items() if other != name}
        return self

    def add_examples(self, texts: Sequence[str], labels: Any) -> Self:
        """More examples of known aspects, or of none of them (an empty list).

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.add_examples(["street noise all night", "we went on Monday"], [["noise"], []]).shots_
        {'food': 1, 'noise': 2}
        """
        self._change_examples(self.examples_.with_labelled(texts, labels))
        return self

    def fit_aspects(self) -> Self:
        """Fit all aspects to the examples as they are now: the step that `fit` ends with.

        After `add_aspect`, `remove_aspect` or `add_examples` the next prediction does it, so that ten aspects added
        one after another cost one fit.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"]})
        >>> detector.add_aspect("noise").add_aspect("parking").fit_aspects().prototypes_.shape
        (3, 384)
        """
        self._fitted()
        return self

    def predict_proba(self, texts: Sequence[str]) -> np.ndarray:
        """(n, aspects): how probable each aspect is in each text, in the order of `classes_`.

        A review is scored sentence by sentence; its probability of an aspect is the highest of its sentences. A text
        without words has probabilities of 0.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.predict_proba(["cold soup", ""]).argmax(axis=1), detector.predict_proba([]).shape
        (array([0, 0]), (0, 2))
        """
        return self._predictions(check_texts(texts), self._fitted()).of_texts

    def predict(self, texts: Sequence[str], review: bool = False) -> Any:
        """The aspects of each text, best first, [] where none applies; a 0/1 matrix if it was fitted with one.

        With `review`, pairs of a name and "accepted" or "review", after `tune(precision=...)`: accepted answers keep
        the promise, the others need a look.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.predict(["Cold soup! And the walls are thin.", "see you on Monday"])
        [['food', 'noise'], []]
        >>> promised = detector.tune(["cold soup", "loud music"], [["food"], ["noise"]], precision=0.9)
        >>> detector.predict(["Cold soup!"], review=True)  # two labels are too few to accept anything
        [[('food', 'review')]]
        """
        promise = self._asked_promise() if review else None
        probabilities, names = self.predict_proba(texts), self.examples_.names
        decided = decide(probabilities, self._thresholds)
        if promise is not None:
            words = np.where(promise.reached(names, probabilities), "accepted", "review")
            return [
                [(names[n], str(word[n])) for n in best_first(p, own)]
                for p, own, word in zip(probabilities, decided, words, strict=True)
            ]
        if self._matrix:
            return decided.astype(int)
        return [[names[n] for n in best_first(p, own)] for p, own in zip(probabilities, decided, strict=True)]

    def predict_texts(self, texts: Sequence[str], sentiment: bool = False) -> TextPredictions:
        """What a table says of each text: probabilities, number of sentences, whether one was cut; if wanted, the
        polarity of each aspect.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.predict_texts(["Cold soup. Thin walls.", "hello"]).sentences
        array([2, 1])
        """
        from fewaspect.detector.arrow_tables import TextPredictions

        state = self._fitted()
        found = self._predictions(check_texts(texts), state, sentiment=sentiment)
        polarities = self._sentiments(found, state) if sentiment else None
        counts = np.array([len(own) for own in found.rows])
        return TextPredictions(found.of_texts, counts, np.array(found.cut), polarities)

    def predict_batch(self, table: Any, text: str = "text", prefix: str = "", sentiment: bool = False) -> Any:
        """The table with what was found in its column `text`: `aspects`, `p_NAME` of each, `sentences` and `cut`.

        After `tune(precision=...)` also `accepted` and `review`, into which the `aspects` fall; with `sentiment`, also
        `sentiment_NAME` of each: negative, neutral, positive or mixed, nothing where the aspect is not answered.
        For a pyarrow Table or RecordBatch, a pandas or Polars DataFrame, and so for `map_batches` of Ray and
        `mapInPandas` of Spark. Equal texts are scored once, and no text is an empty one.

        >>> import pyarrow as pa
        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> found = detector.predict_batch(pa.table({"id": [7, 8], "text": ["cold soup", "see you on Monday"]}))
        >>> found.column_names, found["aspects"].to_pylist()
        (['id', 'text', 'aspects', 'p_food', 'p_noise', 'sentences', 'cut'], [['food'], []])
        """
        from fewaspect.detector.arrow_tables import column_of, columns_of, distinct_texts, with_columns

        texts, rows = distinct_texts(column_of(table, text), text)
        found = self.predict_texts(texts, sentiment=True) if sentiment else self.predict_texts(texts)
        columns = columns_of(self.examples_.names, self._thresholds, found, prefix, self.promise_)
        return with_columns(table, {name: column.take(rows) for name, column in columns.items()})

    def analyze(self, text: str, sentiment: bool = False) -> Analysis:
        """All there is to say of one text: probabilities, the decision and its reason, words, nearest examples; with
        `sentiment`, also the polarity of each answered aspect.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "parking": ["no valet", "garage full"]})
        >>> analysis = detector.analyze("Nobody could park.")
        >>> analysis.aspects, max(analysis.words, key=lambda word: word.evidence["parking"]).text
        (('parking',), 'park')
        """
        return self.analyze_many([text], sentiment=sentiment)[0]

    def analyze_many(
        self, texts: Sequence[str], words: bool = True, nearest: bool | None = None, sentiment: bool = False
    ) -> list[Analysis]:
        """`analyze` for many texts at once, if wanted without what the `words` add or without the `nearest` examples.

        What is said of `words` holds for the examples too, unless something else is said of these.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> [len(a.sentences) for a in detector.analyze_many(["Cold soup. Thin walls.", "fine"], words=False)]
        [2, 1]
        """
        state, checked = self._fitted(), check_texts(texts)
        vectors = words if nearest is None else nearest
        predictions = self._predictions(checked, state, vectors=vectors, evidence=words, sentiment=sentiment)
        analyses = explain(self._model(), state, checked, predictions, self._thresholds, self.promise_)
        if not sentiment:
            return analyses
        from fewaspect.detector.sentiment.sentiment_analysis import with_sentiment

        of_texts = self._sentiments(predictions, state)
        return with_sentiment(analyses, of_texts, predictions, state.examples.names, self._model())

    @property
    def _thresholds(self) -> np.ndarray:
        """(N,) in the order of the aspects."""
        return thresholds_of(self.examples_.names, self.threshold, self._tuned)

    def _asked_promise(self) -> Promise:
        if (promise := self.promise_) is None:
            found = "one that changed since" if self._promise_void or self._promise else "none"
            raise ConfigError(
                f"review: expected a detector that was tuned to a precision, found {found}.\n"
                "Call tune(texts, labels, precision=0.9) first."
            )
        return promise

    def _void_promise(self) -> None:
        """A promise belongs to the detector it was tuned on, and not to what becomes of it."""
        self._promise, self._promise_void = None, self._promise_void or self._promise is not None

    def _encoded(self) -> FittedState:
        """The examples as they are now, fitted or not."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(f"This {type(self).__name__} knows no aspects yet. Call fit or add_aspect first.")
        return self._state

    def _fitted(self) -> FittedState:
        """The aspects fitted to the examples as they are now; whoever holds the result is safe from later changes."""
        state = self._encoded()
        if state.aspects is not None:
            return state
        fitted = fit_aspects(self._model(), state)
        self._replace_state(state, fitted)
        return fitted

    def _replace_state(self, before: FittedState, after: FittedState) -> None:
        """Unless the examples have changed meanwhile."""
        with _REPLACING:
            if self._state is before:
                self._state = after

    def _change_examples(self, examples: Examples) -> None:
        """Encode what is new; the aspects are fitted by the next prediction, or by `fit_aspects`."""
        self._void_promise()
        self._state = encode_examples(self._model(), examples, getattr(self, "_state", None))

    def _model(self) -> InferenceModel:
        """Of the `model` there was at the time of `fit`; loaded when first needed."""
        if self._loaded is None:
            self._loaded = load_model(self._source)
        return self._loaded

    def _predictions(
        self, texts: Sequence[str], state: FittedState, *, vectors: bool = False, evidence: bool = False,
        sentiment: bool = False,
    ) -> SentencePredictions:  # fmt: skip
        model, request = self._model(), None
        if sentiment:
            from fewaspect.detector.sentiment.aspect_sentiment import answered_request

            request = answered_request(model, state, self._thresholds)
        return model.predict_sentences(
            state.fitted, texts, self.batch_tokens, vectors=vectors, evidence=evidence, polarity=request
        )

    def _sentiments(self, predictions: SentencePredictions, state: FittedState) -> list[dict[str, AspectSentiment]]:
        """Of each text, what is answered about each answered aspect."""
        from fewaspect.detector.sentiment.aspect_sentiment import answered_sentiment, as_answers, sentiment_branch

        found = answered_sentiment(predictions, state.examples.names, self._thresholds)
        return as_answers(found, sentiment_branch(self._model()))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_state")

    def __getstate__(self) -> dict[str, Any]:
        """Without the model, which every process loads for itself."""
        return {**self.__dict__, **({"_loaded": None} if self.__sklearn_is_fitted__() else {})}
