"""Which sentences a simulated person labels next: our `suggest`, chance, and what others propose.

Every strategy sees the same embeddings and the probabilities of the same detector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewaspect.detector.fitting import FittedState
from fewaspect.detector.labelling.suggest import suggest, uncertainty
from fewaspect.detector.model import SentencePredictions
from simulation.labelling_pool import LabellingPool

INSTALL = "pip install --constraint constraints.txt scikit-activeml==1.0.1 small-text==1.4.1"


@dataclass
class Round:
    """What is known before a round: the detector so far, and which texts of the pool have no label yet."""

    pool: LabellingPool
    labelled: list[str]
    unlabelled: np.ndarray  # numbers in the pool
    n: int
    random: np.random.Generator

    @cached_property
    def state(self) -> FittedState:
        return self.pool.fit(self.labelled)

    @cached_property
    def predictions(self) -> SentencePredictions:
        """Of all texts of the pool."""
        return self.pool.pool.predictions(self.pool.model, self.state)

    @cached_property
    def probabilities(self) -> np.ndarray:
        """(U, N) of the unlabelled texts."""
        return self.predictions.of_texts[self.unlabelled]

    @cached_property
    def vectors(self) -> np.ndarray:
        """(U + L, d) unit vectors of the unlabelled texts, then the labelled, without what all have in common."""
        texts = self.pool.pool.text_vectors
        every = np.concatenate([texts[self.unlabelled], self.pool.vectors_of(self.labelled)]) - texts.mean(axis=0)
        return every / np.maximum(np.linalg.norm(every, axis=1, keepdims=True), 1e-9)

    @property
    def known(self) -> np.ndarray:
        """(U + L,) labels as scikit-activeml takes them: nan for none."""
        return np.concatenate([np.full(len(self.unlabelled), np.nan), np.zeros(len(self.labelled))])


def ours(r: Round) -> list[int]:
    """`AspectDetector.suggest`, by the function that it calls."""
    found = suggest(
        r.state, r.pool.pool.texts, r.predictions, r.pool.thresholds, r.n, r.pool.offered(r.unlabelled, r.labelled)
    )
    place = {number: i for i, number in enumerate(r.unlabelled.tolist())}
    chosen = [place[one.index] for one in found]
    rest = [i for i in range(len(r.unlabelled)) if i not in set(chosen)]  # near-duplicates, when nothing else is left
    return [*chosen, *rest[: r.n - len(chosen)]]


def random(r: Round) -> list[int]:
    return r.random.permutation(len(r.unlabelled))[: r.n].tolist()


def uncertain(r: Round) -> list[int]:
    """The nearest to the threshold of any aspect."""
    return np.argsort(-uncertainty(r.probabilities, r.pool.thresholds).max(axis=1), kind="stable")[: r.n].tolist()


def former(r: Round) -> list[int]:
    """`suggest` of version 0.1: unsure, unlike the examples and unlike each other."""
    texts = r.pool.pool.text_vectors[r.unlabelled]
    similar = (texts @ r.state.example_vectors.T).max(axis=1).clip(0, 1)
    value = 0.6 * uncertainty(r.probabilities, r.pool.thresholds).max(axis=1) + 0.4 * (1 - similar)
    chosen: list[int] = []
    taken = np.zeros(len(texts))
    for _ in range(r.n):
        left = value * (1 - taken)
        left[chosen] = -np.inf
        chosen.append(int(left.argmax()))
        taken = np.maximum(taken, (texts @ texts[chosen[-1]]).clip(0, 1))
    return chosen


def typiclust(r: Round) -> list[int]:
    """Typical sentences of clusters without a label (Hacohen, Dekel & Weinshall 2022), scikit-activeml."""
    from skactiveml.pool import TypiClust

    return TypiClust(random_state=0).query(r.vectors, r.known, batch_size=r.n).tolist()


def max_herding(r: Round) -> list[int]:
    """Greedy coverage of the pool by a kernel (Bae, Oliveira & Sutherland 2024), scikit-activeml."""
    from skactiveml.pool import MaxHerding

    return MaxHerding(random_state=0).query(r.vectors, r.known, batch_size=r.n).tolist()


def coreset(r: Round) -> list[int]:
    """The farthest from all labels (Sener & Savarese 2018), small-text."""
    from small_text.query_strategies.coresets import greedy_coreset

    here = len(r.unlabelled)
    return greedy_coreset(r.vectors, np.arange(here), here + np.arange(len(r.labelled)), r.n, "euclidean").tolist()


def cvirs(r: Round) -> list[int]:
    """Multi-label: inconsistent with the labels so far and small margins (Reyes, Morell & Ventura 2018), small-text."""
    from scipy.sparse import csr_matrix
    from small_text.query_strategies.multi_label import CategoryVectorInconsistencyAndRanking

    truth = np.array([[name in r.pool.labels[text] for name in r.pool.names] for text in r.labelled], dtype=int)
    strategy = CategoryVectorInconsistencyAndRanking(prediction_threshold=float(r.pool.thresholds[0]), pbar=None)
    everything = np.arange(len(r.unlabelled))
    return strategy.query(_Probabilities(), r.probabilities, everything, None, csr_matrix(truth), n=r.n).tolist()


class _Probabilities:
    """A classifier as small-text asks it, whose texts are their probabilities."""

    def predict_proba(self, texts: np.ndarray) -> np.ndarray:
        return texts


PACKAGES = {
    "typiclust": ("skactiveml",), "max-herding": ("skactiveml",), "coreset": ("small_text",), "cvirs": ("small_text",)
}  # fmt: skip
STRATEGIES: dict[str, Callable[[Round], list[int]]] = {
    "suggest": ours, "random": random, "uncertainty": uncertain, "suggest-0.1": former, "typiclust": typiclust,
    "max-herding": max_herding, "coreset": coreset, "cvirs": cvirs,
}  # fmt: skip
