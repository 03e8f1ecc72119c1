"""What the polarities of the shipped model are compared with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fewaspect.data.labels import describe_aspect
from fewaspect.data.polarity import POLARITIES, PolarSentence
from fewaspect.detector.model import InferenceModel
from fewaspect.inference.encoded import unit

VADER_NEUTRAL = 0.05  # a compound score below it, either way, is neutral: its authors' bound


def vader(rows: Sequence[PolarSentence]) -> np.ndarray:
    """(pairs, 3): the lexicon's answer for the sentence, whatever the aspect."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer, told = SentimentIntensityAnalyzer(), []
    for row in rows:
        score = analyzer.polarity_scores(row.text)["compound"]
        answer = np.array([max(-score, 0), VADER_NEUTRAL, max(score, 1e-6)])  # 0 counts as positive: most are
        told += [answer / answer.sum()] * len(row.polarities)
    return np.array(told)


def majority(rows: Sequence[PolarSentence]) -> np.ndarray:
    """(pairs, 3): positive, the most frequent polarity of the training sets."""
    return np.tile([0.0, 0.0, 1.0], (sum(len(row.polarities) for row in rows), 1))


class Regressions:
    """Logistic regression on the sentence vector, and on it beside the vector that the aspect's name attends to."""

    def __init__(self, model: InferenceModel, rows: Sequence[PolarSentence]) -> None:
        from sklearn.linear_model import LogisticRegression

        self.model = model
        features = self.features(rows)
        truth = np.array([p for row in rows for p in row.polarities.values()])
        known = np.isin(truth, POLARITIES)
        self.plain, self.attended = (
            LogisticRegression(C=4.0, max_iter=300).fit(part[known], truth[known])
            for part in (features[:, : self.model.encoder.width], features)
        )

    def __call__(self, rows: Sequence[PolarSentence], attended: bool) -> np.ndarray:
        """(pairs, 3)."""
        regression, features = self.attended if attended else self.plain, self.features(rows)
        columns = [regression.classes_.tolist().index(polarity) for polarity in POLARITIES]
        return regression.predict_proba(features if attended else features[:, : self.model.encoder.width])[:, columns]

    def features(self, rows: Sequence[PolarSentence]) -> np.ndarray:
        """(pairs, 2 d): the sentence vector, and the mean of its token states weighed by their likeness to the name."""
        names = list(dict.fromkeys(name for row in rows for name in row.polarities))
        labels = dict(zip(names, self._vectors([describe_aspect(name) or name for name in names]), strict=True))
        first = np.cumsum([0, *(len(row.polarities) for row in rows)])
        found = np.zeros((first[-1], 2 * self.model.encoder.width), dtype=np.float32)
        for batch, read in self.model.map_batches([row.text for row in rows], None, lambda sentences: sentences):
            for (start, end), vector, index in zip(read.spans(), read.vectors, batch.tolist(), strict=True):
                tokens = read.tokens[start:end]
                for place, name in enumerate(rows[index].polarities, start=first[index]):
                    weights = np.exp(self.model.scorer.attention * (unit(tokens) @ labels[name]))
                    found[place] = np.concatenate([vector, unit((weights[:, None] * tokens).sum(axis=0))])
        return found

    def _vectors(self, texts: Sequence[str]) -> np.ndarray:
        """(texts, d)."""
        vectors = np.zeros((len(texts), self.model.encoder.width), dtype=np.float32)
        for batch, read in self.model.map_batches(texts, None, lambda sentences: sentences.vectors):
            vectors[batch] = read
        return vectors
