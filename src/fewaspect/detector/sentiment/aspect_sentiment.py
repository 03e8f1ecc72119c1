"""The polarity of each aspect of a text, from the sentences that speak of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from fewaspect.core.errors import ConfigError, DataError
from fewaspect.data.labels import check_lists, describe_aspect
from fewaspect.data.polarity import MIXED, POLARITIES
from fewaspect.detector.explain import best_first, decide
from fewaspect.detector.model import PolarityRequest

if TYPE_CHECKING:
    from fewaspect.detector.fitting import FittedState
    from fewaspect.detector.model import InferenceModel, SentencePredictions
    from fewaspect.detector.sentiment.own_polarities import PolarityCorrection
    from fewaspect.detector.support import Examples
    from fewaspect.inference.sentiment_branch import PolarityModel, States

MOST_LABEL_TOKENS = 32
PIECE_TOKENS = 78  # of a text about given aspects: as long as the branch has learned from
MOST_EXAMPLES = 5  # that stand for the name of an aspect that has none
WITHOUT_WORDS = np.array([0.0, 1.0, 0.0])  # a text without words is neutral


@dataclass(frozen=True)
class AspectSentiment:
    """Of an aspect in a text: three probabilities that sum to 1, and what they come to. `polarity` is the most probable
    one, or mixed where negative and positive are both substantial."""

    polarity: str
    negative: float
    neutral: float
    positive: float

    @classmethod
    def of(cls, probabilities: np.ndarray, mixed_least: float) -> AspectSentiment:
        """From (3,) probabilities."""
        negative, neutral, positive = probabilities.tolist()
        mixed = min(negative, positive) >= mixed_least
        return cls(MIXED if mixed else POLARITIES[int(probabilities.argmax())], negative, neutral, positive)

    @property
    def probabilities(self) -> dict[str, float]:
        return {name: value for name, value in asdict(self).items() if name in POLARITIES}


def sentiment_branch(model: InferenceModel) -> PolarityModel:
    """Refused if the model has none."""
    if model.sentiment is None:
        which = model.name or model.folder or "the model"
        raise ConfigError(
            f"{which}: expected a model that tells sentiment, found one without it.\n"
            "Use the English model, or train it: benchmarks/studies/sentiment_model.py."
        )
    return model.sentiment


def answered_request(
    model: InferenceModel, state: FittedState, thresholds: np.ndarray, correct: PolarityCorrection | None = None
) -> PolarityRequest:
    """For each sentence, the aspects that are answered in it."""
    sentiment_branch(model)

    def wanted(_: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
        return decide(probabilities, thresholds)

    return PolarityRequest(label_states(model, state.examples, state.examples.names), wanted, correct)


def given_request(
    model: InferenceModel, state: FittedState, texts: Sequence[str], aspects: Sequence[Sequence[str]],
    correct: PolarityCorrection | None = None,
) -> tuple[list[str], PolarityRequest]:  # fmt: skip
    """For each piece of a text, the aspects given of that text; and the names of all, the detector's own first."""
    sentiment_branch(model)
    names = list(dict.fromkeys([*state.examples.names, *(name for own in aspects for name in own)]))
    place = {name: n for n, name in enumerate(names)}
    _, rows, pieces, _ = model.split_sentences(texts, PIECE_TOKENS)
    asked = np.zeros((len(pieces), len(names)), dtype=bool)
    for own, given in zip(rows, aspects, strict=True):
        for name in given:
            asked[own, place[name]] = True
    labels = label_states(model, state.examples, names)
    return names, PolarityRequest(labels, lambda batch, _: asked[batch], correct, PIECE_TOKENS)


def check_aspects(aspects: object, texts: int) -> list[list[str]]:
    """A list of names for each text."""
    lists = [list(own) for own in check_lists(aspects)]
    if len(lists) != texts:
        raise DataError(f"aspects: expected a list of names for each of {texts} texts, found {len(lists)} lists.")
    return lists


def label_states(model: InferenceModel, examples: Examples, names: Sequence[str]) -> list[States]:
    """The vectors of each label, (d,) of the lower and of the last layer: of its name read alone, else of its
    description, else the mean over a few examples."""
    own = [[text] if (text := label_of(examples, name)) else _examples_of(examples, name) for name in names]
    distinct = list(dict.fromkeys(text for some in own for text in some))
    ids = [row[:-1][: MOST_LABEL_TOKENS + 1] + row[-1:] for row in model.encoder.tokeniser.ids(distinct)]
    read = {text: _mean_states(model, row) for text, row in zip(distinct, ids, strict=True) if len(row) > 2}
    found: list[States] = []
    for some in own:
        states = [read[text] for text in some if text in read]
        if not states:  # nothing is known of it but that it is an aspect
            states = [(np.zeros(model.encoder.width, dtype=np.float32),) * 2]
        lower, last = zip(*states, strict=True)
        found.append((np.mean(lower, axis=0), np.mean(last, axis=0)))
    return found


def _mean_states(model: InferenceModel, ids: list[int]) -> States:
    """Over the tokens of a text, special ones left out."""
    (last,), (lower,) = model.shared_states([ids])
    return lower[1:-1].mean(axis=0), last[1:-1].mean(axis=0)


def label_of(examples: Examples, name: str) -> str:
    """The text that stands for an aspect; empty for a column of a matrix without a description."""
    read = "" if name in examples.unnamed else describe_aspect(name) or name
    return read or examples.descriptions.get(name, "")


def _examples_of(examples: Examples, name: str) -> list[str]:
    return [text for text, own in examples.sentences.items() if name in own][:MOST_EXAMPLES]


def answered_sentiment(
    predictions: SentencePredictions, names: Sequence[str], thresholds: np.ndarray
) -> list[dict[str, np.ndarray]]:
    """For each text, (3,) probabilities of each answered aspect, the most probable aspect first."""
    weights, of_texts = predictions.probabilities, predictions.of_texts
    decided = decide(weights, thresholds)
    found = []
    for text, rows in enumerate(predictions.rows):
        union: np.ndarray = np.any(decided[rows], axis=0) if rows else np.zeros(len(names), dtype=bool)
        found.append({
            names[n]: combined(predictions, [row for row in rows if decided[row, n]], n, weights[:, n])
            for n in best_first(of_texts[text], union)
        })  # fmt: skip
    return found


def given_sentiment(
    predictions: SentencePredictions, names: Sequence[str], thresholds: np.ndarray, aspects: Iterable[Sequence[str]]
) -> list[dict[str, np.ndarray]]:
    """For each text, (3,) probabilities of each aspect given of it.

    Of a text in several pieces those count that speak of the aspect. Where none does, the one with the highest
    probability of it counts; all count the same if the detector does not know the aspect.
    """
    place, known = {name: n for n, name in enumerate(names)}, predictions.probabilities.shape[1]
    found = []
    for rows, given in zip(predictions.rows, aspects, strict=True):
        own = {}
        for name in given:
            n = place[name]
            read = [row for row in rows if (row, n) in predictions.polarities]
            if n >= known:
                own[name] = combined(predictions, read, n, np.ones(len(predictions.sentences)))
                continue
            weights = predictions.probabilities[:, n]
            spoken = [row for row in read if weights[row] >= thresholds[n]]
            own[name] = combined(predictions, spoken or sorted(read, key=lambda row: -weights[row])[:1], n, weights)
        found.append(own)
    return found


def combined(predictions: SentencePredictions, rows: Sequence[int], label: int, weights: np.ndarray) -> np.ndarray:
    """(3,): the mean over these sentences, weighed by how probable the aspect is in each, (sentences,)."""
    return _weighted_mean([(predictions.polarities[row, label], float(weights[row])) for row in rows])


def joined_sentiment(
    sentences: Iterable[tuple[Mapping[str, AspectSentiment], Mapping[str, float]]], mixed_least: float
) -> dict[str, AspectSentiment]:
    """Of a text, from what each of its sentences says of its aspects and how probable they are in it: as `combined`."""
    told: dict[str, list[tuple[np.ndarray, float]]] = {}
    for sentiments, probabilities in sentences:
        for name, own in sentiments.items():
            told.setdefault(name, []).append((np.array([*own.probabilities.values()]), probabilities[name]))
    return {name: AspectSentiment.of(_weighted_mean(own), mixed_least) for name, own in told.items()}


def _weighted_mean(told: Sequence[tuple[np.ndarray, float]]) -> np.ndarray:
    """(3,) of probabilities (3,) and their weights."""
    if not told:
        return WITHOUT_WORDS.copy()
    weighted = [(p, max(weight, 1e-12)) for p, weight in told]
    return np.sum([p * weight for p, weight in weighted], axis=0) / sum(weight for _, weight in weighted)


def as_dicts(found: Iterable[Mapping[str, np.ndarray]]) -> list[dict[str, dict[str, float]]]:
    """Probabilities by polarity, by aspect, of each text."""
    return [{name: dict(zip(POLARITIES, p.tolist(), strict=True)) for name, p in own.items()} for own in found]


def as_answers(found: Iterable[Mapping[str, np.ndarray]], branch: PolarityModel) -> list[dict[str, AspectSentiment]]:
    return [{name: AspectSentiment.of(p, branch.mixed_least) for name, p in own.items()} for own in found]
