"""`AspectDetector`: name the aspects, give a few examples, tag any text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.data.labels import check_texts, to_indicator_matrix
from fewaspect.detector import thresholds as tuning
from fewaspect.detector.explain import decide, plain, thresholds_of
from fewaspect.detector.predictor import Predictor
from fewaspect.detector.thresholds import Tuned

if TYPE_CHECKING:
    from typing_extensions import Self

    from fewaspect.detector.labelling.settling import Settling
    from fewaspect.detector.labelling.suggest import Suggestion


class AspectDetector(Predictor):
    """Finds aspects in text from a few examples each; an aspect may also be known by its name and description alone.

    `model`: the shipped model, or the folder of an exported one. `threshold`: what a probability must reach, one
    number for all aspects or a dict of some; None takes what was tuned, else 0.4. `batch_tokens`: encoded at once;
    None: as many as are fastest.

    >>> from fewaspect import AspectDetector
    >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "parking": ["no valet", "garage full"]})
    >>> detector.predict(["we found no place to park", "cold soup again"])
    [['parking'], ['food']]
    """

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
        state, names = self._encoded(), self.examples_.names
        tuning.refuse_overruled(self.threshold)
        if texts is None and labels is None:
            probabilities = tuning.left_out_probabilities(self._model(), state, self.batch_tokens)
            tuned = tuning.tune_on_examples(names, probabilities, state.examples.membership, self._thresholds)
        else:
            checked, truth = tuning.read_labelled(names, texts, labels)
            tuned = tuning.tune(names, self.predict_proba(checked), truth, self._thresholds)
        tuning.refuse_overruled(self.threshold, [name for name, row in tuned.items() if row.texts])
        self._tuned = {name: row.threshold for name, row in tuned.items()}
        return tuned

    def suggest(self, texts: Sequence[str], n: int = 10, skip: Sequence[str] = ()) -> list[Suggestion]:
        """Which `n` of these texts to label next, best first, and why: typical ones of what the examples do not show,
        and doubtful ones. Not those in `skip`, no copies, no fragments, none in a foreign language.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> texts = ["a cold soup!", "A cold soup", "we met loud neighbours", "the lift was out of order", "wow"]
        >>> sorted(suggestion.index for suggestion in detector.suggest(texts, skip=["We met loud neighbours."]))
        [0, 3]
        """
        from fewaspect.detector.labelling.offer import offered
        from fewaspect.detector.labelling.suggest import suggest

        state, checked = self._fitted(), check_texts(texts)
        pieces = self._model().encoder.tokeniser.pieces
        candidates = offered(checked, state.examples.texts, check_texts(skip, "skip"), pieces)
        predictions = self._predictions(checked, state, vectors=True)
        return suggest(state, checked, predictions, self._thresholds, n, candidates)

    def settling(self, texts: Sequence[str], last: int = 20) -> Settling:
        """What share of the answers the `last` examples have changed, of these texts, and whether it is so small (under
        6 %) that more labels will hardly change answers.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold", "good pizza"], "noise": ["thin walls"]})
        >>> detector.settling(["cold soup", "see you on Monday"], last=1).changed
        0.0
        """
        from fewaspect.detector.fitting import fit_aspects
        from fewaspect.detector.labelling.settling import settling

        state, checked, examples = self._fitted(), check_texts(texts), self.examples_.texts
        before = fit_aspects(self._model(), state.without(examples[max(0, len(examples) - last) :]))
        was, now = (decide(self._predictions(checked, one).of_texts, self._thresholds) for one in (before, state))
        return settling(was, now, last, len(examples))

    def evaluate(self, texts: Sequence[str], labels: Any) -> dict[str, Any]:
        """Macro and micro F1, mean average precision, empty accuracy, calibration error; each aspect's own.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> result = detector.evaluate(["cold soup", "thin walls", "see you on Monday"], [["food"], ["noise"], []])
        >>> result["macro_f1"], result["empty_accuracy"], result["aspects"]["food"]["recall"]
        (1.0, 1.0, 1.0)
        """
        from fewaspect.detector.metrics import measure

        return measure(self.examples_.names, *self._compared(texts, labels))

    def score(self, X: Sequence[str], y: Any) -> float:
        """Micro-F1, for model selection in scikit-learn; an aspect that was not in the examples counts as missed.

        >>> from fewaspect import AspectDetector
        >>> AspectDetector().fit({"food": ["cold soup"], "noise": ["thin walls"]}).score(["the soup"], [["food"]])
        1.0
        """
        from fewaspect.detector.metrics import f1_with_unknown

        return f1_with_unknown(*self._compared(X, y)[1:])

    def save(self, folder: str | Path) -> Path:
        """Write a folder with safetensors, JSON and a model card; an earlier save is replaced, nothing else is.

        >>> import tempfile
        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> sorted(path.name for path in detector.save(tempfile.mkdtemp()).iterdir())
        ['MODEL_CARD.md', 'detector.json', 'examples.safetensors']
        """
        from fewaspect.detector.persistence import write_detector

        thresholds_of(self.examples_.names, self.threshold, self._tuned)  # refused rather than saved
        parameters = {"threshold": plain(self.threshold), "batch_tokens": self.batch_tokens}
        write_detector(Path(folder), self._encoded(), self._model(), self._matrix, self._tuned, parameters)
        return Path(folder)

    @classmethod
    def load(cls, folder: str | Path, *, encode_again: bool = False) -> Self:
        """A saved detector. `encode_again` encodes its examples anew, where they were edited or the model changed.

        >>> import tempfile
        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> AspectDetector.load(detector.save(tempfile.mkdtemp())).predict(["cold soup"])
        [['food']]
        """
        from fewaspect.detector.persistence import read_detector

        saved, model, state = read_detector(Path(folder), encode_again=encode_again)
        detector = cls(None if model.shipped else model.folder, **saved.parameters)
        detector._source, detector._loaded, detector._state = model.folder, model, state
        detector._matrix, detector._tuned = saved.matrix, saved.tuned
        return detector

    def _compared(self, texts: Sequence[str], labels: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, Any]:
        """(texts, N) probabilities, what is decided, what is true, and which labels are no aspects."""
        truth, unknown = to_indicator_matrix(labels, self.examples_.names, len(checked := check_texts(texts)))
        probabilities = self.predict_proba(checked)
        return probabilities, decide(probabilities, self._thresholds), truth, unknown
