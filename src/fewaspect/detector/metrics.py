"""How good probabilities and decisions are on labelled texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fewaspect.core.multilabel_metrics import average_precision, macro_f1, micro_f1

BINS = 10  # of the expected calibration error


def measure(
    names: Sequence[str], probabilities: np.ndarray, decided: np.ndarray, truth: np.ndarray,
    unknown: Mapping[str, np.ndarray],
) -> dict[str, Any]:  # fmt: skip
    """All numbers from 0 to 1, None where there is nothing to measure; (texts, N) arrays, truth and decided booleans.

    `unknown` are aspects of the labels that the detector was never told of. A text that carries only such ones carries
    none here; how many texts carry them is said beside the numbers. `without_texts`: aspects that no text carries, of
    which the macro means say nothing.
    """
    empty, carried = ~truth.any(axis=1), np.any(truth, axis=0)
    return {
        "texts": len(truth),
        "macro_f1": _one(macro_f1(truth[None, :, carried], decided[None, :, carried])),
        "micro_f1": _one(micro_f1(truth[None], decided[None])),
        "mean_average_precision": _one(average_precision(probabilities[None], truth[None])),
        "empties": int(empty.sum()),
        "empty_accuracy": float((~decided[empty]).all(axis=1).mean()) if empty.any() else None,
        "expected_calibration_error": calibration_error(probabilities, truth),
        "aspects": {name: _aspect(probabilities[:, n], decided[:, n], truth[:, n]) for n, name in enumerate(names)},
        "without_texts": [name for name, has in zip(names, carried, strict=False) if not has],
        "unknown_aspects": {name: int(column.sum()) for name, column in unknown.items()},
    }


def calibration_error(probabilities: np.ndarray, truth: np.ndarray, bins: int = BINS) -> float | None:
    """Expected calibration error over all (text, aspect) pairs: how far the mean probability of equally wide bins
    is from the share that is true, weighted by their sizes."""
    p, y = probabilities.ravel(), truth.ravel()
    if not len(p):
        return None
    bin_of = np.minimum((p * bins).astype(int), bins - 1)
    gaps = np.bincount(bin_of, p, bins) - np.bincount(bin_of, y, bins)
    return float(np.abs(gaps).sum() / len(p))


def f1_with_unknown(decided: np.ndarray, truth: np.ndarray, unknown: Mapping[str, np.ndarray]) -> float:
    """Micro-F1 in which an aspect that the detector does not know counts as missed; 1 if nothing is there or said."""
    missed = sum(int(column.sum()) for column in unknown.values())
    whole = int(decided.sum()) + int(truth.sum()) + missed
    return 2 * int((decided & truth).sum()) / whole if whole else 1.0


def _aspect(p: np.ndarray, decided: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    both, positives, answered = int((decided & truth).sum()), int(truth.sum()), int(decided.sum())
    return {
        "texts": positives,
        "answered": answered,
        "precision": both / answered if answered else None,
        "recall": both / positives if positives else None,
        "f1": 2 * both / (positives + answered) if positives + answered else None,
        "average_precision": _one(average_precision(p[None, :, None], truth[None, :, None])),
    }


def _one(values: np.ndarray) -> float | None:
    """The single episode's number, None where it is not defined."""
    return None if np.isnan(values[0]) else float(values[0])
