"""The metrics of labelled texts with bootstrap intervals: the texts drawn again with replacement, many times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fewaspect.detector.metrics import BINS, measure

DRAWS = 1000
AT_ONCE = 2**20  # texts of several draws, so that memory does not grow with the texts
CONFIDENCE = 0.95
OF_ALL = ("macro_f1", "micro_f1", "mean_average_precision", "empty_accuracy", "expected_calibration_error")
OF_ASPECT = ("precision", "recall", "f1", "average_precision")


def measure_with_intervals(
    names: Sequence[str], probabilities: np.ndarray, decided: np.ndarray, truth: np.ndarray,
    unknown: Mapping[str, np.ndarray], seed: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """What `measure` says, each metric as {"value", "low", "high"}; all None where there is nothing to measure."""
    result = measure(names, probabilities, decided, truth, unknown)
    drawn = drawn_metrics(probabilities, decided, truth, np.random.default_rng(seed))
    for key in OF_ALL:
        result[key] = _interval(result[key], drawn[key])
    for n, name in enumerate(names):
        for key in OF_ASPECT:
            result["aspects"][name][key] = _interval(result["aspects"][name][key], drawn[key][:, n])
    return result


def drawn_metrics(
    probabilities: np.ndarray, decided: np.ndarray, truth: np.ndarray, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """By metric (draws,), or (draws, N) of aspects, from (texts, N) arrays; nan where a draw has nothing to measure."""
    T = len(truth)
    parts, left = list[dict[str, np.ndarray]](), DRAWS
    while left:
        some = min(left, max(1, AT_ONCE // max(T, 1)))
        weights = rng.multinomial(T, np.full(T, 1 / max(T, 1)), some).astype(float)  # (some, texts)
        parts.append(_weighted_metrics(probabilities, decided, truth, weights))
        left -= some
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}


def _weighted_metrics(
    probabilities: np.ndarray, decided: np.ndarray, truth: np.ndarray, weights: np.ndarray
) -> dict[str, np.ndarray]:
    """Each text counted by its (draws, texts) weights."""
    both, answered, positives = (weights @ part.astype(float) for part in (decided & truth, decided, truth))
    found = {
        "precision": _ratio(both, answered),
        "recall": _ratio(both, positives),
        "f1": _ratio(2 * both, answered + positives),
        "micro_f1": _ratio(2 * both.sum(axis=1), (answered + positives).sum(axis=1)),
        "average_precision": np.stack(
            [_average_precision(p, y, weights) for p, y in zip(probabilities.T, truth.T, strict=True)], axis=1
        ),
    }
    found["macro_f1"] = _mean(np.where(positives > 0, found["f1"], np.nan))
    found["mean_average_precision"] = _mean(found["average_precision"])
    empty = ~truth.any(axis=1)
    right = empty & ~decided.any(axis=1)
    found["empty_accuracy"] = _ratio(weights @ right.astype(float), weights @ empty.astype(float))
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    gaps = np.stack([((bins == b) * (probabilities - truth)).sum(axis=1) for b in range(BINS)], axis=1)  # (texts, bins)
    found["expected_calibration_error"] = np.abs(weights @ gaps).sum(axis=1) / max(truth.size, 1)
    return found


def _average_precision(scores: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(draws,) of (T,) scores, each text counted by its (draws, T) weights; equal scores enter together."""
    order = np.argsort(-scores, kind="stable")
    ranked, positive, weights = scores[order], truth[order], weights[:, order]
    last = np.searchsorted(-ranked, -ranked, side="right") - 1  # of those tied with each
    right, all_of_them = (np.cumsum(part, axis=1)[:, last] for part in (weights * positive, weights))
    precision = np.where(all_of_them > 0, right / np.maximum(all_of_them, 1e-12), 0.0)
    return _ratio((precision * weights * positive).sum(axis=1), (weights * positive).sum(axis=1))


def _interval(value: float | None, draws: np.ndarray) -> dict[str, float | None]:
    there = draws[~np.isnan(draws)]
    if value is None or not len(there):
        return {"value": value, "low": None, "high": None}
    low, high = np.quantile(there, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return {"value": value, "low": float(low), "high": float(high)}


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)


def _mean(values: np.ndarray) -> np.ndarray:
    """(draws, N) to (draws,): over what is there."""
    there = ~np.isnan(values)
    return _ratio(np.where(there, values, 0.0).sum(axis=1), there.sum(axis=1).astype(float))
