"""`AspectDetector`: name the aspects, give a few examples, tag any text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from fewaspect.data.labels import check_texts, to_indicator_matrix
from fewaspect.detector import thresholds as tuning
from fewaspect.detector.explain import decide, plain, thresholds_of
from fewaspect.detector.fitting import Snapshot
from fewaspect.detector.model import ModelReference
from fewaspect.detector.predictor import Predictor
from fewaspect.detector.thresholds import Tuned

if TYPE_CHECKING:
    from typing_extensions import Self

    from fewaspect.detector.labelling.audit import Audit
    from fewaspect.detector.labelling.discover import AspectGroup
    from fewaspect.detector.labelling.growth import Growth
    from fewaspect.detector.labelling.label_issues import LabelIssue
    from fewaspect.detector.labelling.suggest import Settling, Suggestion
    from fewaspect.detector.labelling.target_precision import Promised


class AspectDetector(Predictor):
    """Finds aspects in text from a few examples each; an aspect may also be known by its name and description alone.

    `model`: the shipped model, "multilingual" for other languages (extra [multilingual]), or the folder of an exported
    one. `threshold`: what a probability must reach, one number for all aspects or a dict of some; None takes what was
    tuned, else 0.4. `batch_tokens`: encoded at once; None: as many as are fastest.

    >>> from fewaspect import AspectDetector
    >>> examples = {"food": ["the soup was cold"], "parking": ["no valet", "garage full"]}
    >>> detector = AspectDetector().fit(examples)
    >>> detector.predict(["we found no place to park", "cold soup again"])
    [['parking'], ['food']]
    """

    @overload
    def tune(self, texts: Sequence[str] | None = None, labels: Any = None) -> Tuned: ...

    @overload
    def tune(
        self, texts: Sequence[str] | None = None, labels: Any = None, *, precision: float, confidence: float = 0.9,
        per_aspect: bool = False, progress: Callable[[float], None] = ...,
    ) -> Promised: ...  # fmt: skip

    def tune(
        self, texts: Sequence[str] | None = None, labels: Any = None, *, precision: float | None = None,
        confidence: float = 0.9, per_aspect: bool = False, progress: Callable[[float], None] = lambda share: None,
    ) -> Tuned | Promised:  # fmt: skip
        """Set each aspect's threshold to where its F1 is best on labelled texts; returns a table of what changed.

        Without texts, on the examples: each is read as if it had not been given; how many other sentences would be
        answered wrongly, which they cannot show, is taken from the probabilities. Refused while a `threshold` is set
        for all aspects or for one that is tuned here: it would overrule what is tuned.

        With `precision`, these thresholds stay. A second one is set, from which on an answer is accepted: at least this
        share of the accepted answers is right, with this confidence, overall or, if `per_aspect`, of each aspect.
        Where the labels are too few for that, nothing is accepted, and the table says how many more it would take.
        With hundreds of examples and no texts this takes seconds: `progress` gets the share that is done.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold", "good pizza"], "noise": ["thin walls"]})
        >>> tuned = detector.tune(["cold soup", "thin walls", "see you on Monday"], [["food"], ["noise"], []])
        >>> tuned["food"].f1, tuned["food"].threshold == detector.thresholds_["food"]
        (1.0, True)
        >>> promised = detector.tune(["cold soup", "loud music"], [["food"], ["noise"]], precision=0.9)
        >>> promised["food"].threshold is None, promised["food"].more > 20  # two labels are too few to promise anything
        (True, True)
        """
        if precision is not None:
            return self._tune_precision(texts, labels, precision, confidence, per_aspect, progress)
        tuning.refuse_overruled(self.threshold)
        now = self._now(fitted=True)
        if texts is None and labels is None:
            probabilities = tuning.left_out_probabilities(now.state.model, now.state, self.batch_tokens)
            tuned = tuning.tune_on_examples(now.names, probabilities, now.state.examples.membership, now.thresholds)
        else:
            checked, truth = tuning.read_labelled(now.names, texts, labels)
            tuned = tuning.tune(now.names, self._predictions(now, checked).of_texts, truth, now.thresholds)
        tuning.refuse_overruled(self.threshold, [name for name, row in tuned.items() if row.texts])
        thresholds = {name: row.threshold for name, row in tuned.items()}
        if self._replace_state(now.state, replace(now.state, tuned=thresholds)):
            return tuned
        return self.tune(texts, labels)  # another thread has changed what was tuned

    def _tune_precision(
        self, texts: Sequence[str] | None, labels: Any, precision: float, confidence: float, per_aspect: bool,
        progress: Callable[[float], None],
    ) -> Promised:  # fmt: skip
        from fewaspect.detector.labelling.target_precision import Goal, promise_on_examples, promise_on_texts

        goal, now = Goal.checked(precision, confidence), self._now(fitted=True)
        state, names = now.state, now.names
        if texts is None and labels is None:
            left_out = tuning.left_out_probabilities(state.model, state, self.batch_tokens, progress)
            truth = state.examples.membership
            promised = promise_on_examples(names, left_out, truth, now.thresholds, goal, per_aspect)
        else:
            checked, truth = tuning.without_examples(state.examples, *tuning.read_labelled(names, texts, labels))
            found = self._predictions(now, checked).of_texts
            promised = promise_on_texts(names, found, truth, now.thresholds, goal, per_aspect)
        if self._replace_state(state, replace(state, promise=promised.promise)):
            return promised
        return self._tune_precision(texts, labels, precision, confidence, per_aspect, progress)

    def sentiment(self, texts: Sequence[str], aspects: Any = None) -> list[dict[str, dict[str, float]]]:
        """For each text, how negative, neutral and positive it is about each answered aspect: probabilities that sum
        to 1. With `aspects`, a list of names for each text, about these instead.

        A review of several sentences: the mean over those that speak of the aspect, weighed by its probability in each.
        About given aspects it is read as a whole; one of more than 78 tokens in pieces, of which those count that speak
        of the aspect, else the one where it is most probable. A given name that is none of the detector's aspects is
        read as it stands, in all pieces alike.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "staff": ["the waiter was rude"]})
        >>> (found,) = detector.sentiment(["The waiter was lovely, but the soup was awful."])
        >>> {aspect: max(own, key=own.get) for aspect, own in sorted(found.items())}
        {'food': 'negative', 'staff': 'positive'}
        >>> list(detector.sentiment(["a friendly waiter"], aspects=[["staff"]])[0]["staff"])
        ['negative', 'neutral', 'positive']
        """
        from fewaspect.detector.sentiment import aspect_sentiment as sentiments

        now, checked = self._now(fitted=True), check_texts(texts)
        state, model = now.state, now.state.model
        if aspects is None:
            predictions = self._predictions(now, checked, sentiment=True)
            return sentiments.as_dicts(sentiments.answered_sentiment(predictions, now.names, now.thresholds))
        given = sentiments.check_aspects(aspects, len(checked))
        names, request = sentiments.given_request(model, state, checked, given, self._correction(state))
        predictions = model.predict_sentences(state.fitted, checked, self.batch_tokens, polarity=request)
        return sentiments.as_dicts(sentiments.given_sentiment(predictions, names, now.thresholds, given))

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """(texts, d) unit vectors by which examples are near or far: products of two are cosine similarities.

        Of a text of several sentences, the direction of their sum; zeros for one without a word.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> soup, stew, walls = detector.embed(["The soup was cold.", "Our stew was cold.", "Thin walls."])
        >>> bool(soup @ stew > soup @ walls)
        True
        """
        return self.model_.text_vectors(check_texts(texts), self.batch_tokens)

    def suggest(self, texts: Sequence[str], n: int = 10, skip: Sequence[str] = ()) -> list[Suggestion]:
        """Which `n` of these texts to label next, best first, and why: typical ones of what the examples do not show,
        and doubtful ones. Not those in `skip`, no copies, no fragments, none in a foreign language.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> texts = ["a cold soup!", "A cold soup", "we met loud neighbours", "the lift was out of order", "wow"]
        >>> sorted(suggestion.index for suggestion in detector.suggest(texts, skip=["We met loud neighbours."]))
        [0, 3]
        """
        from fewaspect.detector.labelling.offer import foreign_to, offered
        from fewaspect.detector.labelling.suggest import suggest

        now, checked = self._now(fitted=True), check_texts(texts)
        foreign = partial(foreign_to, now.state.model)
        candidates = offered(checked, now.state.examples.texts, check_texts(skip, "skip"), foreign)
        predictions = self._predictions(now, checked, vectors=True)
        return suggest(now.state, checked, predictions, now.thresholds, n, candidates)

    def settling(self, texts: Sequence[str], last: int = 20) -> Settling:
        """What share of the answers the `last` examples have changed, of these texts, and whether it is so small (under
        6 %) that more labels will hardly change answers.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold", "good pizza"], "noise": ["thin walls"]})
        >>> detector.settling(["cold soup", "see you on Monday"], last=1).changed
        0.0
        """
        from fewaspect.detector.fitting import fit_aspects
        from fewaspect.detector.labelling.suggest import settling

        now, checked = self._now(fitted=True), check_texts(texts)
        examples = now.state.examples.texts
        fewer = now.state.without(examples[max(0, len(examples) - last) :])
        before = now._replace(state=fit_aspects(fewer.model, fewer))
        was, is_now = (decide(self._predictions(one, checked).of_texts, one.thresholds) for one in (before, now))
        return settling(was, is_now, last, len(examples))

    def discover(self, texts: Sequence[str], n: int = 10) -> list[AspectGroup]:
        """Aspects that nobody has named: up to `n` groups, the largest first, of sentences that no aspect claims.

        Needs the extra [discover]. At most 5,000 sentences are read, a fair sample of more; [] if too few are left
        unclaimed. `adopt` makes a group an aspect.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> hows = ("awful", "expensive", "free of charge", "much too small", "a bit dark", "the best in town")
        >>> texts = [f"{what} was {how}" for how in hows for what in ("parking", "the car park", "our parking spot",
        ...          "parking the car", "the soup", "the pasta", "my pizza", "the cold soup")]
        >>> [(group.name, group.size > 10) for group in detector.discover(texts, n=1)]
        [('parking', True)]
        """
        from fewaspect.detector.labelling.discover import discover

        now, checked = self._now(fitted=True), check_texts(texts)
        new_threshold = thresholds_of((*now.names, ""), self.threshold, now.state.tuned)[-1]
        return discover(now.state.model, now.state, checked, now.thresholds, float(new_threshold), n)

    def adopt(self, group: AspectGroup, name: str | None = None) -> Self:
        """Make a group that `discover` found an aspect, with its typical sentences as examples.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> hows = ("awful", "expensive", "free of charge", "much too small", "a bit dark", "the best in town")
        >>> texts = [f"{what} was {how}" for how in hows for what in ("parking", "the car park", "our parking spot",
        ...          "parking the car", "the soup", "the pasta", "my pizza", "the cold soup")]
        >>> detector.adopt(detector.discover(texts, n=1)[0], name="cars").shots_
        {'food': 1, 'noise': 1, 'cars': 8}
        """
        return self.add_aspect(name or group.name, [sentence.text for sentence in group.sentences])

    def audit(self, texts: Sequence[str], n: int = 50, *, seed: int = 0, after: Audit | None = None) -> Audit:
        """Draw `n` of these texts to check, so that precision and recall of every aspect can be estimated on all.

        `audit.result(labels)` tells them, with intervals. Examples are left out: they would flatter. `after`: one more
        draw, `n` further texts behind those of an earlier one; what was checked serves again.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> audit = detector.audit(["cold soup", "thin walls", "see you on Monday", "loud music"], n=3)
        >>> result = audit.result([list(sentence.answers) for sentence in audit.sentences])  # all of them right
        >>> result.labelled, result.f1.low <= result.f1.value <= result.f1.high
        (3, True)
        """
        from fewaspect.detector.labelling.audit import draw_audit, texts_after

        checked, now = check_texts(texts), self._now(fitted=True)
        first, probabilities = texts_after(after, now.names, checked), self._predictions(now, checked).of_texts
        examples = now.state.examples.texts
        return draw_audit(now.names, checked, probabilities, now.thresholds, n, seed, first=first, without=examples)

    def label_issues(self, least: float | None = None) -> list[LabelIssue]:
        """Examples whose aspects the other examples contradict, the strongest first, with what they suggest.

        Each example is read as if it had not been given. `least`: the strength from which one is listed; 0 lists all
        that are contradicted at all. The first few are named in `remarks_` from then on.

        >>> from fewaspect import AspectDetector
        >>> food = ["the soup was cold", "good pizza", "tasty fish", "loud street noise all night"]
        >>> noise = ["thin walls", "noisy neighbours", "music until three in the night", "traffic noise"]
        >>> issue = AspectDetector().fit({"food": food, "noise": noise}).label_issues()[0]
        >>> issue.text, issue.given, issue.suggested
        ('loud street noise all night', ('food',), ('noise',))
        """
        from fewaspect.detector.labelling.label_issues import LEAST_STRENGTH, find_label_issues
        from fewaspect.detector.labelling.left_out import left_out_logits

        state = self._fitted()
        logits = left_out_logits(state.model, state)
        issues = find_label_issues(state.examples, logits, LEAST_STRENGTH if least is None else least)
        remarked = state.examples.with_issues([issue.text for issue in issues])
        self._replace_state(state, replace(state, examples=remarked))
        return issues

    def growth(self) -> dict[str, Growth]:
        """For each aspect whether more examples may help: growing, level, contradictory, or too few to say.

        Each example is read by what was fitted to half of the others, and to all of them.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> detector.growth()["food"].signal
        'too few'
        """
        from fewaspect.detector.labelling.growth import measure_growth

        state = self._fitted()
        return measure_growth(state.model, state)

    def evaluate(self, texts: Sequence[str], labels: Any, *, intervals: bool = False) -> dict[str, Any]:
        """Macro and micro F1, mean average precision, empty accuracy, calibration error; each aspect's own.

        With `intervals`, each is a dict of its value and the ends of a 95 % bootstrap interval over the texts.

        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> result = detector.evaluate(["cold soup", "thin walls", "see you on Monday"], [["food"], ["noise"], []])
        >>> result["macro_f1"], result["empty_accuracy"], result["aspects"]["food"]["recall"]
        (1.0, 1.0, 1.0)
        """
        from fewaspect.detector.labelling.metric_intervals import measure_with_intervals
        from fewaspect.detector.metrics import measure

        now = self._now(fitted=True)
        return (measure_with_intervals if intervals else measure)(now.names, *self._compared(now, texts, labels))

    def score(self, X: Sequence[str], y: Any) -> float:
        """Micro-F1, for model selection in scikit-learn; an aspect that was not in the examples counts as missed.

        >>> from fewaspect import AspectDetector
        >>> AspectDetector().fit({"food": ["cold soup"], "noise": ["thin walls"]}).score(["the soup"], [["food"]])
        1.0
        """
        from fewaspect.detector.metrics import f1_with_unknown

        return f1_with_unknown(*self._compared(self._now(fitted=True), X, y)[1:])

    def save(self, folder: str | Path) -> Path:
        """Write a folder with safetensors, JSON and a model card; an earlier save is replaced, nothing else is.

        >>> import tempfile
        >>> from fewaspect import AspectDetector
        >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
        >>> sorted(path.name for path in detector.save(tempfile.mkdtemp()).iterdir())
        ['MODEL_CARD.md', 'detector.json', 'examples.safetensors']
        """
        from fewaspect.detector.persistence import write_detector

        now = self._now()  # a threshold of no aspect is refused rather than saved
        parameters = {"threshold": plain(now.given), "batch_tokens": self.batch_tokens}
        write_detector(Path(folder), replace(now.state, promise=now.promise), parameters)
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
        detector = cls(model.name if model.shipped else model.folder, **saved.parameters)
        reference = ModelReference(model.folder, model)
        detector._state = replace(
            state, reference=reference, matrix=saved.matrix, tuned=saved.tuned, promise=saved.promise
        )
        return detector

    def _compared(
        self, now: Snapshot, texts: Sequence[str], labels: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, Any]:
        """(texts, N) probabilities, what is decided, what is true, and which labels are no aspects."""
        truth, unknown = to_indicator_matrix(labels, now.names, len(checked := check_texts(texts)))
        probabilities = self._predictions(now, checked).of_texts
        return probabilities, decide(probabilities, now.thresholds), truth, unknown
