"""Thresholds tuned to the best F1: on labelled texts, or on the examples, left out one at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fewaspect.core.errors import ConfigError, DataError
from fewaspect.data.labels import check_texts, to_indicator_matrix
from fewaspect.detector.explain import DEFAULT_THRESHOLD, Threshold, decide
from fewaspect.detector.fitting import FittedState, biases_without_each, fit_aspects
from fewaspect.detector.model import InferenceModel
from fewaspect.detector.support import Examples, ExampleWarning
from fewaspect.text.identity import example_identity

F1 = Callable[[np.ndarray, np.ndarray, float], float]  # of probabilities and truth, each (texts,), at a threshold

MIN_TUNED = 0.2  # that examples alone can set: what would be wrong more often than four times in five is not answered
MAX_FOLDS = 64  # up to so many examples, one is left out at a time; with more, a few


def refuse_overruled(given: Threshold, tuned: Sequence[str] = ()) -> None:
    """A threshold that is given for all aspects, or for one that is tuned, would overrule the tuned one."""
    if given is None:
        return
    overruled = [name for name in tuned if name in given] if isinstance(given, Mapping) else None
    if overruled != []:
        what = f"{given} is set for all aspects" if overruled is None else f"set for {', '.join(overruled)}"
        raise ConfigError(f"threshold: {what} and would overrule what is tuned. Call set_params(threshold=None) first.")


@dataclass(frozen=True)
class TunedAspect:
    """An aspect's new threshold and its F1 at the old and the new one, on what it was tuned on."""

    threshold: float
    f1_before: float
    f1: float
    texts: int  # that carry the aspect; without one, the threshold stays as it was


class Tuned(dict[str, TunedAspect]):
    """Tuned aspects by name; as a string, a table."""

    def __str__(self) -> str:
        width = max([len("aspect"), *map(len, self)])
        rows = [f"{'aspect':{width}}  threshold  F1 before    F1  texts"]
        rows += [
            f"{name:{width}}  {row.threshold:9.3f}  {row.f1_before:9.3f} {row.f1:5.3f}  {row.texts:5d}"
            for name, row in self.items()
        ]
        return "\n".join(rows)


def f1_at(probabilities: np.ndarray, truth: np.ndarray, threshold: float) -> float:
    decided = decide(probabilities, threshold)
    return _f1(int((decided & truth).sum()), int((decided & ~truth).sum()), int((~decided & truth).sum()))


def expected_f1_at(probabilities: np.ndarray, truth: np.ndarray, threshold: float) -> float:
    """Of examples, among which there are far fewer sentences without the aspect than there are elsewhere.

    Probabilities say how many: of those that get 0.2, four in five. At least as many are taken to be answered wrongly.
    """
    decided = decide(probabilities, threshold)
    found = probabilities[decided & truth]
    wrong = max(float((decided & ~truth).sum()), float((1 / found - 1).sum()))
    return _f1(len(found), wrong, int((~decided & truth).sum()))


def _f1(right: int, wrong: float, missed: int) -> float:
    return 2 * right / (2 * right + wrong + missed) if right + wrong + missed else 1.0


def read_labelled(names: Sequence[str], texts: Any, labels: Any) -> tuple[list[str], np.ndarray]:
    """Texts to tune on and (texts, N) what is true of them; labels that are no aspects are taken as none."""
    if texts is None:
        raise DataError("texts: expected those of the labels, found none. Give both, or neither.")
    truth, unknown = to_indicator_matrix(labels, names, len(checked := check_texts(texts)))
    if not checked:
        raise DataError("texts: expected labelled texts to tune on, found none.")
    if unknown:
        warnings.warn(f"labels that are no aspects, taken as none: {', '.join(unknown)}.", ExampleWarning, 3)
    return checked, truth


def without_examples(examples: Examples, texts: list[str], truth: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Labelled texts that are no examples: of what it was given, a detector is surer than of anything else."""
    given = {example_identity(text) for text in examples.texts}
    kept = [row for row, text in enumerate(texts) if example_identity(text) not in given]
    if not kept:
        raise DataError("texts: expected some that are no examples, found none. Without texts, examples are left out.")
    if gone := len(texts) - len(kept):
        warnings.warn(f"labelled texts that are examples, left out: {gone}.", ExampleWarning, 4)
    return [texts[row] for row in kept], truth[kept]


def tune(
    names: Sequence[str], probabilities: np.ndarray, truth: np.ndarray, thresholds: np.ndarray, f1_at: F1 = f1_at,
    least: float = 0.0,
) -> Tuned:  # fmt: skip
    """For each aspect the threshold with the best F1; (texts, N) arrays and (N,) thresholds until now.

    Where no threshold finds anything, it stays as it was.
    """
    tuned = Tuned()
    for n, name in enumerate(names):
        p, y, old = probabilities[:, n], truth[:, n], float(thresholds[n])
        new = best_threshold(p, y, f1_at, least) if y.any() else old
        new = new if f1_at(p, y, new) else old
        tuned[name] = TunedAspect(new, f1_at(p, y, old), f1_at(p, y, new), int(y.sum()))
    return tuned


def tune_on_examples(
    names: Sequence[str], probabilities: np.ndarray, truth: np.ndarray, thresholds: np.ndarray
) -> Tuned:
    """The same of examples that were left out one at a time: by the F1 to be expected, and cautiously."""
    return tune(names, probabilities, truth, thresholds, expected_f1_at, MIN_TUNED)


def best_threshold(probabilities: np.ndarray, truth: np.ndarray, f1_at: F1 = f1_at, least: float = 0.0) -> float:
    """The cut with the highest F1, half-way between two probabilities; of equal ones that nearest to the default."""
    values = np.unique(probabilities)
    cuts = np.concatenate([values[:1] / 2, (values[1:] + values[:-1]) / 2])
    cuts = np.maximum(cuts, np.concatenate([[0.0], np.nextafter(values[:-1], 1.0)]))  # between neighbours, the upper
    cuts = np.maximum(cuts, least)
    f1 = np.array([f1_at(probabilities, truth, cut) for cut in cuts])
    best = cuts[f1 >= f1.max() - 1e-12]
    return float(best[np.abs(best - DEFAULT_THRESHOLD).argmin()])


def left_out_probabilities(
    model: InferenceModel, state: FittedState, batch_tokens: int | None,
    progress: Callable[[float], None] = lambda share: None,
) -> np.ndarray:  # fmt: skip
    """(S, N) the probabilities of each example, had it not been given.

    The aspects are fitted again for each of at most 64 folds; examples keep their encodings. `progress` gets the
    share that is done before each fold.
    """
    texts, biases = state.examples.texts, biases_without_each(model, state)
    result = np.zeros((len(texts), len(state.examples.names)))
    for number, fold in enumerate(every := folds(state.examples.membership)):
        progress(number / len(every))
        left_out = [texts[row] for row in fold]
        bias = None if biases is None else biases[int(fold[0])]  # then each fold is one example
        aspects = fit_aspects(model, state.without(left_out), bias).fitted
        result[fold] = model.predict_sentences(aspects, left_out, batch_tokens).of_texts
    return result


def folds(membership: np.ndarray, most: int = MAX_FOLDS) -> list[np.ndarray]:
    """Each example in one fold of one; with more than `most` of them, examples of an aspect are spread over folds."""
    aspect = np.where(membership.any(axis=1), membership.argmax(axis=1), membership.shape[1])
    order = np.argsort(aspect, kind="stable")
    count = min(most, len(order))
    return [order[start::count] for start in range(count)]
