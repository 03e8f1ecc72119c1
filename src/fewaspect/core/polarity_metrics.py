"""How good polarities are, from (pairs, 3) probabilities and the true polarity of each pair of sentence and aspect."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

BINS = 10  # of the calibration error


def measure_polarity(
    probabilities: np.ndarray, truth: Sequence[int], sentences: Sequence[int]
) -> dict[str, float | None]:
    """`accuracy` over negative and positive pairs, `contrast_accuracy` over those of sentences that have both,
    `macro_f1` over negative, neutral and positive, `calibration_error`. Truth: 0, 1, 2; 3 is mixed and left out.
    None where there are no such pairs."""
    true, own = np.asarray(truth), np.asarray(sentences)
    polar = (true == 0) | (true == 2)
    right = (probabilities[:, 2] > probabilities[:, 0]) == (true == 2)
    contrast = polar & contrasting_pairs(true, own)
    known = true < 3
    answers = probabilities.argmax(axis=1)
    return {
        "pairs": int(known.sum()),
        "contrast_pairs": int(contrast.sum()),
        "accuracy": float(right[polar].mean()) if polar.any() else None,
        "contrast_accuracy": float(right[contrast].mean()) if contrast.any() else None,
        "macro_f1": polarity_f1(answers[known], true[known]),
        "calibration_error": polarity_calibration_error(probabilities[known], true[known]),
    }


def contrasting_pairs(truth: np.ndarray, sentences: np.ndarray) -> np.ndarray:
    """(pairs,) whether the sentence of a pair is negative about one aspect and positive about another."""
    both = set(sentences[truth == 0].tolist()) & set(sentences[truth == 2].tolist())
    return np.array([sentence in both for sentence in sentences.tolist()], dtype=bool)


def polarity_f1(answers: np.ndarray, truth: np.ndarray) -> float:
    """Mean F1 over the polarities that occur in the truth."""
    scores = []
    for polarity in np.unique(truth):
        found, real = answers == polarity, truth == polarity
        scores.append(2 * float((found & real).sum()) / float(found.sum() + real.sum()))
    return float(np.mean(scores)) if scores else np.nan


def polarity_calibration_error(probabilities: np.ndarray, truth: np.ndarray) -> float:
    """How far the probability of the answer is from how often it is right, over ten equal bins of probability."""
    if not len(truth):
        return float("nan")
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == truth
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [abs(confidence[bins == n].mean() - right[bins == n].mean()) * (bins == n).mean() for n in np.unique(bins)]
    return float(sum(gaps))
