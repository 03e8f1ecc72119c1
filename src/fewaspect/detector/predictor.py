"""Examples in, probabilities and decisions out: what everything else that a detector does is made of."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from fewaspect.core.estimator import Estimator, not_fitted
from fewaspect.data.labels import check_texts
from fewaspect.detector.explain import Analysis, Threshold, best_first, decide, explain, thresholds_of
from fewaspect.detector.fitting import FittedState, Snapshot, encode_examples, encode_pile, fit_aspects
from fewaspect.detector.model import InferenceModel, ModelReference, SentencePredictions, check_batch_size
from fewaspect.detector.support import Examples, check_polarities, read_examples
from fewaspect.inference.encoder import model_folder
from fewaspect.inference.languages import unread_remarks

if TYPE_CHECKING:
    from typing_extensions import Self

    from fewaspect.detector.arrow_tables import TextPredictions
    from fewaspect.detector.labelling.target_precision import Promise
    from fewaspect.detector.sentiment.aspect_sentiment import AspectSentiment
    from fewaspect.detector.sentiment.own_polarities import PolarityCorrection

_LAST_READ: WeakKeyDictionary[Predictor, Sequence[str]] = WeakKeyDictionary()  # the texts that each read last
_REPLACING = threading.Lock()  # a state takes the place of the one it was made from only if no newer one has come


def _renew_lock() -> None:
    """In a child, where the thread that held it is not there to let it go."""
    global _REPLACING
    _REPLACING = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


class Predictor(Estimator):
    """Learns aspects from examples, names and descriptions, and reads texts with them. Threads may share one, also
    while some of them change it."""

    _state: FittedState  # there after `fit` alone
    _corrected: tuple[Examples, PolarityCorrection | None] | None = None

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
        """The number of examples of each aspect."""
        examples = self.examples_
        return {name: examples.shots(name) for name in examples.names}

    @property
    def thresholds_(self) -> dict[str, float]:
        """The threshold of each aspect: what its probability must reach."""
        now = self._now()
        return dict(zip(now.names, now.thresholds.tolist(), strict=True))

    @property
    def promise_(self) -> Promise | None:
        """The promise of `tune(precision=...)` about accepted answers. None without one, once the detector has changed,
        and while a threshold rejects some of these answers: the others may be right less often."""
        return self._now().promise

    @property
    def prototypes_(self) -> np.ndarray:
        """(aspects, d) the prototype of each aspect, from its own examples, name and description."""
        fitted = self._fitted().fitted
        return fitted.prototypes if fitted.uncentred_prototypes is None else fitted.uncentred_prototypes

    @property
    def examples_(self) -> Examples:
        """The examples it was given, each sentence once, with names and descriptions."""
        return self._encoded().examples

    @property
    def pile_size_(self) -> int:
        """The number of unlabelled sentences that it has learned from."""
        return len(self._encoded().pile or ())

    @property
    def remarks_(self) -> tuple[str, ...]:
        """Remarks on the examples given last (duplicates, contradictions, empty ones), and on which of them, or
        of the texts that were read last, are in languages that the model does not read."""
        return (*self.examples_.remarks, *unread_remarks(self.model_, self.examples_.texts, _LAST_READ.get(self, ())))

    @property
    def polarity_correction_(self) -> PolarityCorrection | None:
        """The correction of the model's polarities, fitted to those that were given; None without any."""
        return self._correction(self._encoded())

    @property
    def model_(self) -> InferenceModel:
        """The model it predicts with, loaded when first needed."""
        return self._encoded().model

    def fit(
        self, X: Any, y: Any = None, *, names: Sequence[str] | None = None,
        descriptions: Mapping[str, str] | None = None, none: Sequence[str] = (), unlabelled: Sequence[str] = (),
        polarities: Any = None,
    ) -> Self:  # fmt: skip
        """Learn the aspects from examples: a dict of lists, or texts with lists of names or a 0/1 matrix.

        A text with an empty list, or one in `none`, is an example of "none of these". Nothing is trained: each example
        is encoded once. Examples given twice or with different aspects are reported as an `ExampleWarning`.
        `unlabelled` are texts to `adapt` to. `polarities`: what examples say about their aspects (negative, neutral,
        positive, mixed), which `sentiment` then learns from; lists beside those of a dict, or a dict for each text.

        >>> from fewaspect import AspectDetector
        >>> texts = ["the soup was cold", "garage full", "cold soup and no parking", "hello"]
        >>> AspectDetector().fit(texts, [["food"], ["parking"], ["food", "parking"], []]).classes_.tolist()
        ['food', 'parking']
        >>> AspectDetector().fit(texts, [[1, 0], [0, 1], [1, 1], [0, 0]]).predict(["no parking"])
        array([[0, 1]])
        """
        given = {"names": names, "descriptions": descriptions, "none": none, "polarities": polarities}
        examples, matrix = read_examples(X, y, **given)
        thresholds_of(examples.names, self.threshold, {})  # refused now rather than at the first answer
        check_batch_size(self.batch_tokens)
        model = self.model
        reference = ModelReference(model_folder(model).resolve() if isinstance(model, str | Path) else model)
        state = replace(encode_examples(reference.load(), examples), reference=reference, matrix=matrix)
        self._corrected = None
        self._state = fit_aspects(state.model, _with_pile(state, check_texts(unlabelled)))  # in one step
        return self

    def adapt(self, texts: Sequence[str]) -> Self:
        """Learn from unlabelled texts of the kind that will be read: what all of them are about, and which are alike.

        At most 2,000 of their sentences are kept, as one vector each; with fewer than 100, nothing changes.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.adapt([f"Table {number} was loud. Good soup." for number in range(120)]).pile_size_
        121
        """
        checked = check_texts(texts)
        return self._change(lambda state: _with_pile(state, checked))

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
        detector, state = cls(model), None
        if previous is not None:
            state, detector._corrected = previous._encoded(), previous._corrected
        if state is None or not state.examples.same_aspects(examples):
            state = encode_examples(model, examples, state)
        elif state.examples.polarities != examples.polarities:
            state = replace(state, examples=replace(state.examples, polarities=examples.polarities))
        reference = ModelReference(model.folder or model, model)
        detector._state = replace(
            state, reference=reference, matrix=False, tuned=dict(thresholds), promise=None, promise_void=False
        )
        return detector

    def add_aspect(self, name: str, examples: Sequence[str] = (), description: str | None = None) -> Self:
        """Add an aspect; without examples, its name and description serve alone. The other prototypes stay.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"]})
        >>> detector.add_aspect("noise", ["thin walls"], description="loud neighbours, street noise").classes_.tolist()
        ['food', 'noise']
        """
        if not self.__sklearn_is_fitted__():
            return self.fit({name: examples}, descriptions={name: description} if description else None)
        return self._change(lambda state: _with(state, state.examples.with_aspect(name, examples, description)))

    def remove_aspect(self, name: str) -> Self:
        """Remove an aspect, and the examples that stood for it alone.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.remove_aspect("noise").classes_.tolist()
        ['food']
        """

        def without(state: FittedState) -> FittedState:
            left = {other: value for other, value in state.tuned.items() if other != name}
            return replace(_with(state, state.examples.without_aspect(name)), tuned=left)

        return self._change(without)

    def add_examples(self, texts: Sequence[str], labels: Any, polarities: Any = None) -> Self:
        """Add examples of known aspects, or of none of them (an empty list); `polarities` as for `fit`.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.add_examples(["street noise all night", "we went on Monday"], [["noise"], []]).shots_
        {'food': 1, 'noise': 2}
        """
        checked = check_texts(texts)
        polar = None if polarities is None else check_polarities(polarities, len(checked))

        def more(examples: Examples) -> Examples:
            labelled = examples.with_labelled(checked, labels)
            return labelled if polar is None else labelled.with_polarities(checked, polar)

        return self._change(lambda state: _with(state, more(state.examples)))

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
        return self._predictions(self._now(fitted=True), check_texts(texts)).of_texts

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
        now = self._now(fitted=True)
        names, promise = now.names, now.asked_promise if review else None
        probabilities = self._predictions(now, check_texts(texts)).of_texts
        decided = decide(probabilities, now.thresholds)
        if promise is not None:
            words = np.where(promise.reached(names, probabilities), "accepted", "review")
            return [
                [(names[n], str(word[n])) for n in best_first(p, own)]
                for p, own, word in zip(probabilities, decided, words, strict=True)
            ]
        if now.state.matrix:
            return decided.astype(int)
        return [[names[n] for n in best_first(p, own)] for p, own in zip(probabilities, decided, strict=True)]

    def predict_texts(self, texts: Sequence[str], sentiment: bool = False) -> TextPredictions:
        """For each text, probabilities, number of sentences, whether one was cut and, with `sentiment`, the polarity
        of each aspect: what `predict_batch` writes into a table.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.predict_texts(["Cold soup. Thin walls.", "hello"]).sentences
        array([2, 1])
        """
        return self._text_predictions(self._now(fitted=True), texts, sentiment)

    def predict_batch(self, table: Any, text: str = "text", prefix: str = "", sentiment: bool = False) -> Any:
        """The table with what was found in its column `text`: `aspects`, `p_NAME` of each, `text_language`,
        `sentences` and `cut`.

        After `tune(precision=...)` also `accepted` and `to_review`, into which the `aspects` fall; with `sentiment`,
        also `sentiment_NAME` of each: negative, neutral, positive or mixed, nothing where it is not answered.
        For a pyarrow Table or RecordBatch, a pandas or Polars DataFrame, and so for `map_batches` of Ray and
        `mapInPandas` of Spark. Equal texts are scored once, and no text is an empty one.

        >>> import pyarrow as pa
        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> found = detector.predict_batch(pa.table({"id": [7, 8], "text": ["cold soup", "see you on Monday"]}))
        >>> found.column_names, found["aspects"].to_pylist()
        (['id', 'text', 'aspects', 'p_food', 'p_noise', 'text_language', 'sentences', 'cut'], [['food'], []])
        """
        from fewaspect.detector.arrow_tables import column_of, columns_of, distinct_texts, with_columns

        texts, rows = distinct_texts(column_of(table, text), text)
        now = self._now(fitted=True)
        found = self._text_predictions(now, texts, sentiment)
        columns = columns_of(now.names, now.thresholds, texts, found, prefix, now.promise)
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
        now, checked = self._now(fitted=True), check_texts(texts)
        vectors, model = words if nearest is None else nearest, now.state.model
        predictions = self._predictions(now, checked, vectors=vectors, evidence=words, sentiment=sentiment)
        analyses = explain(model, now.state, checked, predictions, now.thresholds, now.promise)
        if not sentiment:
            return analyses
        from fewaspect.detector.sentiment.sentiment_analysis import with_sentiment

        return with_sentiment(analyses, _sentiments(predictions, now), predictions, now.names, model)

    def _encoded(self) -> FittedState:
        """The examples as they are now, fitted or not."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(f"This {type(self).__name__} knows no aspects yet. Call fit or add_aspect first.")
        return self._state

    def _fitted(self) -> FittedState:
        """The aspects fitted to the examples as they are now."""
        return self._fit(self._encoded())

    def _now(self, *, fitted: bool = False) -> Snapshot:
        """The state and the thresholds that belong to it."""
        with _REPLACING:
            state, threshold = self._encoded(), self.threshold
        thresholds = thresholds_of(state.examples.names, threshold, state.tuned)
        return Snapshot(self._fit(state) if fitted else state, thresholds, threshold)

    def _fit(self, state: FittedState) -> FittedState:
        if state.aspects is not None:
            return state
        self._replace_state(state, fitted := fit_aspects(state.model, state))
        return fitted

    def _change(self, change: Callable[[FittedState], FittedState]) -> Self:
        """Encode what is new; the aspects are fitted by the next prediction, or by `fit_aspects`.

        Made again from what another thread has changed meanwhile, so that no change is lost.
        """
        while not self._replace_state(before := self._encoded(), change(before)):
            pass
        return self

    def _replace_state(self, before: FittedState, after: FittedState) -> bool:
        """Whether it was done: not if the state has changed meanwhile. With an aspect goes its `threshold`."""
        gone = set(before.examples.names) - set(after.examples.names)
        with _REPLACING:
            if self._state is not before:
                return False
            self._state = after
            if gone and isinstance(self.threshold, Mapping):
                self.threshold = {name: value for name, value in self.threshold.items() if name not in gone}
        return True

    def _predictions(
        self, now: Snapshot, texts: Sequence[str], *, vectors: bool = False, evidence: bool = False,
        sentiment: bool = False,
    ) -> SentencePredictions:  # fmt: skip
        model, request, _LAST_READ[self] = now.state.model, None, texts
        if sentiment:
            from fewaspect.detector.sentiment.aspect_sentiment import answered_request

            request = answered_request(model, now.state, now.thresholds, self._correction(now.state))
        return model.predict_sentences(
            now.state.fitted, texts, self.batch_tokens, vectors=vectors, evidence=evidence, polarity=request
        )

    def _text_predictions(self, now: Snapshot, texts: Sequence[str], sentiment: bool) -> TextPredictions:
        from fewaspect.detector.arrow_tables import TextPredictions

        found = self._predictions(now, check_texts(texts), sentiment=sentiment)
        polarities = _sentiments(found, now) if sentiment else None
        return TextPredictions(found.of_texts, np.array([*map(len, found.rows)]), np.array(found.cut), polarities)

    def _correction(self, state: FittedState) -> PolarityCorrection | None:
        """What the polarities that were given change, fitted once; None without any."""
        from fewaspect.detector.sentiment.own_polarities import fit_correction

        fitted = self._corrected
        if fitted is None or fitted[0] is not state.examples:
            before = fitted[1] if fitted else None
            self._corrected = fitted = (state.examples, fit_correction(state.model, state, before))
        return fitted[1]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_state")

    def __getstate__(self) -> dict[str, Any]:
        """Without what every process fits for itself."""
        return {name: value for name, value in self.__dict__.items() if name != "_corrected"}


def _with(state: FittedState, examples: Examples) -> FittedState:
    return encode_examples(state.model, examples, state)


def _with_pile(state: FittedState, texts: Sequence[str]) -> FittedState:
    pile = encode_pile(state.model, texts)
    return state if pile is None else state.changed(pile=pile)


def _sentiments(predictions: SentencePredictions, now: Snapshot) -> list[dict[str, AspectSentiment]]:
    """Of each text, what is answered about each answered aspect."""
    from fewaspect.detector.sentiment.aspect_sentiment import answered_sentiment, as_answers, sentiment_branch

    found = answered_sentiment(predictions, now.names, now.thresholds)
    return as_answers(found, sentiment_branch(now.state.model))
