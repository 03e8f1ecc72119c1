"""Name the aspects, give a few examples, tag any text."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.core.errors import ConfigError, DataError
from fewaspect.data.labels import check_texts, to_indicator_matrix
from fewaspect.detector.decision import Threshold, best_first, decide, thresholds_of
from fewaspect.detector.fitted import Fitted
from fewaspect.detector.support import ExampleWarning, read_examples

if TYPE_CHECKING:
    from typing_extensions import Self

    from fewaspect.detector.explain import Analysis
    from fewaspect.detector.model import InferenceModel
    from fewaspect.detector.suggest import Suggestion
    from fewaspect.detector.support import Examples
    from fewaspect.detector.tuning import Tuned


class Detector(Fitted):
    """All that an `AspectDetector` does, without scikit-learn, whose import takes longer than the weights'."""

    def __init__(
        self, model: str | Path | None = None, threshold: Threshold = None, batch_tokens: int | None = None,
        backend: str = "auto",
    ) -> None:  # fmt: skip
        self.model = model
        self.threshold = threshold
        self.batch_tokens = batch_tokens
        self.backend = backend

    def fit(
        self, X: Any, y: Any = None, *, names: Sequence[str] | None = None,
        descriptions: Mapping[str, str] | None = None, none: Sequence[str] = (),
    ) -> Self:  # fmt: skip
        """Learn the aspects from examples: a dict of lists, or texts with lists of names or a 0/1 matrix.

        A text with an empty list, or one in `none`, is an example of "none of these". Nothing is trained: each example
        is read once. Examples given twice or with different aspects are reported as an `ExampleWarning`.

        >>> from fewaspect import AspectDetector
        >>> texts = ["the soup was cold", "garage full", "cold soup and no parking", "hello"]
        >>> AspectDetector().fit(texts, [["food"], ["parking"], ["food", "parking"], []]).classes_.tolist()
        ['food', 'parking']
        >>> AspectDetector().fit(texts, [[1, 0], [0, 1], [1, 1], [0, 0]]).predict(["no parking"])
        array([[0, 1]])
        """
        examples, matrix = read_examples(X, y, names=names, descriptions=descriptions, none=none)
        thresholds_of(examples.names, self.threshold, {})  # refused now rather than at the first answer
        self._forget()
        self._learn(examples)
        self._matrix = matrix
        self._tuned = {}
        return self

    @classmethod
    def on(
        cls, scorer: InferenceModel, examples: Examples, thresholds: Mapping[str, float], before: Detector | None = None
    ) -> Self:  # fmt: skip
        """A detector on weights that are loaded already; an example that `before` knows is not read again.

        >>> from fewaspect import AspectDetector
        >>> from fewaspect.detector.support import read_examples
        >>> from fewaspect.detector.model import load_scorer
        >>> examples, _ = read_examples({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> AspectDetector.on(load_scorer(None), examples, {"food": 0.6}).thresholds_
        {'food': 0.6, 'noise': 0.5}
        """
        thresholds_of(examples.names, thresholds, {})  # refused now rather than at the first answer
        detector = cls()
        detector._forget()
        detector._loaded, detector._backend = scorer, scorer.backend
        if before is not None:
            detector._known = before._knowledge
        if before is None or replace(before._examples, remarks=()) != examples:
            detector._learn(examples)
        detector._matrix, detector._tuned = False, dict(thresholds)
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
        self._learn(self._examples.with_aspect(name, examples, description))
        return self

    def remove_aspect(self, name: str) -> Self:
        """One aspect less; examples that stood for it alone go with it.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.remove_aspect("noise").classes_.tolist()
        ['food']
        """
        self._learn(self._examples.without_aspect(name))
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
        self._learn(self._examples.with_labelled(texts, labels))
        return self

    def predict_proba(self, texts: Sequence[str]) -> np.ndarray:
        """(n, aspects): how probable each aspect is in each text, in the order of `classes_`.

        A review is read sentence by sentence; its probability of an aspect is the highest of its sentences. A text
        without words has probabilities of 0.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.predict_proba(["cold soup", ""]).argmax(axis=1), detector.predict_proba([]).shape
        (array([0, 0]), (0, 2))
        """
        return self._read(check_texts(texts)).of_texts

    def predict(self, texts: Sequence[str]) -> Any:
        """The aspects of each text, best first, [] where none applies; a 0/1 matrix if it was fitted with one.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.predict(["Cold soup! And the walls are thin.", "see you on Monday"])
        [['food', 'noise'], []]
        """
        probabilities = self.predict_proba(texts)
        decided = decide(probabilities, self._thresholds)
        if self._matrix:
            return decided.astype(int)
        names = self._examples.names
        return [[names[n] for n in best_first(p, own)] for p, own in zip(probabilities, decided, strict=True)]

    def predict_batch(self, table: Any, text: str = "text", prefix: str = "") -> Any:
        """The table with what was found in its column `text`: `aspects`, `p_NAME` of each, `sentences` and `cut`.

        For a pyarrow Table or RecordBatch, a pandas or Polars DataFrame, and so for `map_batches` of Ray and
        `mapInPandas` of Spark. Equal texts are read once, and no text is an empty one.

        >>> import pyarrow as pa
        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> found = detector.predict_batch(pa.table({"id": [7, 8], "text": ["cold soup", "see you on Monday"]}))
        >>> found.column_names, found["aspects"].to_pylist()
        (['id', 'text', 'aspects', 'p_food', 'p_noise', 'sentences', 'cut'], [['food'], []])
        """
        from fewaspect.detector.tables import column_of, columns_of, distinct_texts, with_columns

        texts, rows = distinct_texts(column_of(table, text), text)
        columns = columns_of(self._examples.names, self._thresholds, self._find(texts), prefix)
        return with_columns(table, {name: column.take(rows) for name, column in columns.items()})

    def analyze(self, text: str) -> Analysis:
        """All there is to say of one text: probabilities, the decision and its reason, words, nearest examples.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "parking": ["no valet", "garage full"]})
        >>> analysis = detector.analyze("Nobody could park.")
        >>> analysis.aspects, analysis.nearest["parking"][0].text
        (('parking',), 'no valet')
        >>> max(analysis.words, key=lambda word: word.evidence["parking"]).text
        'park'
        """
        return self.analyze_many([text])[0]

    def analyze_many(self, texts: Sequence[str], words: bool = True, nearest: bool | None = None) -> list[Analysis]:
        """`analyze` for many texts at once, if wanted without what the `words` add or without the `nearest` examples.

        What is said of `words` holds for the examples too, unless something else is said of these.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> [len(a.sentences) for a in detector.analyze_many(["Cold soup. Thin walls.", "fine"], words=False)]
        [2, 1]
        """
        from fewaspect.detector.explain import explain

        checked = check_texts(texts)
        reading = self._read(checked, vectors=words if nearest is None else nearest, evidence=words)
        return explain(self._scorer, self._knowledge, checked, reading, self._thresholds)

    def tune(self, texts: Sequence[str] | None = None, labels: Any = None) -> Tuned:
        """Set each aspect's threshold to where its F1 is best on labelled texts; returns a table of what changed.

        Without texts, on the examples: each is read as if it had not been given; how many other sentences would be
        answered wrongly, which they cannot show, is taken from the probabilities. Refused while a `threshold` is set
        for all aspects or for one that is tuned here: it would overrule what is tuned.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold", "good pizza"], "noise": ["thin walls"]})
        >>> tuned = detector.tune(["cold soup", "thin walls", "see you on Monday"], [["food"], ["noise"], []])
        >>> tuned["food"].f1, tuned["food"].threshold == detector.thresholds_["food"]
        (1.0, True)
        """
        from fewaspect.detector.tuning import left_out_probabilities, tune, tune_on_examples

        known, names = self._knowledge, self._examples.names
        if self.threshold is not None and not isinstance(self.threshold, Mapping):
            raise ConfigError(
                f"threshold: {self.threshold} is set for all aspects and would overrule what is tuned. "
                "Call set_params(threshold=None) first."
            )
        if texts is None and labels is not None:
            raise DataError("texts: expected those of the labels, found none. Give both, or neither.")
        if texts is None:
            truth = known.examples.membership
            probabilities = left_out_probabilities(self._scorer, known, self.batch_tokens)
        else:
            truth, unknown = to_indicator_matrix(labels, names, len(checked := check_texts(texts)))
            if not checked:
                raise DataError("texts: expected labelled texts to tune on, found none.")
            if unknown:
                warnings.warn(f"labels that are no aspects, taken as none: {', '.join(unknown)}.", ExampleWarning, 2)
            probabilities = self.predict_proba(checked)
        tuned = (tune_on_examples if texts is None else tune)(names, probabilities, truth, self._thresholds)
        if overruled := [name for name, row in tuned.items() if row.texts and name in (self.threshold or {})]:
            raise ConfigError(
                f"threshold: set for {', '.join(overruled)} and would overrule what is tuned. "
                "Call set_params(threshold=None) first."
            )
        self._tuned = {name: row.threshold for name, row in tuned.items()}
        return tuned

    def suggest(self, texts: Sequence[str], n: int = 10) -> list[Suggestion]:
        """Which `n` of these texts to label next, best first, and why: unsure ones, new ones, no two alike.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> texts = ["cold soup", "cold soup", "loud and spicy", "the lift was out of order"]
        >>> len({suggestion.text for suggestion in detector.suggest(texts, n=3)})
        3
        """
        from fewaspect.detector.suggest import suggest

        if not isinstance(n, Integral) or n < 0:
            raise ConfigError(f"n: expected a whole number from 0, found {n!r}.")
        checked = check_texts(texts)
        reading = self._read(checked, vectors=True)
        return suggest(self._knowledge, checked, reading, self._thresholds, n)

    def evaluate(self, texts: Sequence[str], labels: Any) -> dict[str, Any]:
        """Macro and micro F1, mean average precision, share of right empties, calibration error; each aspect's own.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> result = detector.evaluate(["cold soup", "thin walls", "see you on Monday"], [["food"], ["noise"], []])
        >>> result["macro_f1"], result["right_empties"], result["aspects"]["food"]["recall"]
        (1.0, 1.0, 1.0)
        """
        from fewaspect.detector.metrics import measure

        names = self._examples.names
        truth, unknown = to_indicator_matrix(labels, names, len(checked := check_texts(texts)))
        probabilities = self.predict_proba(checked)
        return measure(names, probabilities, decide(probabilities, self._thresholds), truth, unknown)

    def score(self, X: Sequence[str], y: Any) -> float:
        """Micro-F1, for model selection in scikit-learn; an aspect that was not in the examples counts as missed.

        >>> from fewaspect import AspectDetector
        >>> AspectDetector().fit({"food": ["cold soup"], "noise": ["thin walls"]}).score(["the soup"], [["food"]])
        1.0
        """
        from fewaspect.detector.metrics import f1_with_unknown

        truth, unknown = to_indicator_matrix(y, self._examples.names, len(checked := check_texts(X)))
        return f1_with_unknown(decide(self.predict_proba(checked), self._thresholds), truth, unknown)

    def save(self, folder: str | Path) -> Path:
        """Write a folder with safetensors, JSON and a model card; an earlier save is replaced, nothing else is.

        >>> import tempfile
        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> sorted(path.name for path in detector.save(tempfile.mkdtemp()).iterdir())
        ['MODEL_CARD.md', 'detector.json', 'examples.safetensors']
        """
        from fewaspect.detector.persistence import Stored, write

        thresholds_of(self._examples.names, self.threshold, self._tuned)  # refused rather than saved
        model = None if self._model is None else str(self._model)
        given = self.threshold
        if given is not None:  # JSON knows no numbers of numpy
            given = {k: float(v) for k, v in given.items()} if isinstance(given, Mapping) else float(given)
        parameters = {"threshold": given, "batch_tokens": self.batch_tokens, "backend": self.backend}
        write(Path(folder), Stored(self._knowledge, self._scorer, model, self._matrix, self._tuned, parameters))
        return Path(folder)

    @classmethod
    def load(cls, folder: str | Path, *, backend: str = "auto", encode_again: bool = False) -> Self:
        """A saved detector. `encode_again` represents its examples anew: with newer weights, or another precision.

        >>> import tempfile
        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> AspectDetector.load(detector.save(tempfile.mkdtemp())).predict(["cold soup"])
        [['food']]
        """
        from fewaspect.detector.persistence import read

        stored = read(Path(folder), backend, encode_again=encode_again)
        detector = cls(stored.model, **stored.parameters)
        detector._model, detector._loaded, detector._known = stored.model, stored.scorer, stored.known
        detector._backend = stored.scorer.backend
        detector._matrix, detector._tuned = stored.matrix, stored.tuned
        return detector
