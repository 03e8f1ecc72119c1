"""Evaluation of a project's detector on labelled texts, with a precision-recall curve for each aspect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fewaspect.core.errors import DataError
from fewaspect.data.labels import to_indicator_matrix
from fewaspect.detector.explain import decide
from fewaspect.studio.engine.snapshot import Snapshot

POINTS = 100  # of a curve at most


def evaluate_texts(snapshot: Snapshot, texts: Sequence[str], labels: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The result of the detector's `evaluate`, with a confusion matrix and a curve for each aspect."""
    if snapshot.detector is None:
        raise DataError("evaluate: expected a project with aspects, found none.")
    if not texts:
        raise DataError("texts: expected labelled texts, found none.")
    result = snapshot.detector.evaluate(texts, labels)
    probabilities = snapshot.detector.predict_proba(texts)
    truth, _ = to_indicator_matrix(labels, [aspect.name for aspect in snapshot.definition.aspects], len(texts))
    decided = decide(probabilities, snapshot.thresholds)
    names = ("texts", "macro_f1", "micro_f1", "mean_average_precision", "unknown_aspects")
    aspects = []
    for n, aspect in enumerate(snapshot.definition.aspects):
        own = result["aspects"][aspect.name]
        aspects.append(
            {"id": aspect.id, "name": aspect.name, **{k: own[k] for k in ("precision", "recall", "f1")},
             "average_precision": own["average_precision"], "support": own["texts"],
             "confusion": confusion(decided[:, n], truth[:, n]),
             "curve": curve_points(probabilities[:, n], truth[:, n]), "threshold": float(snapshot.thresholds[n])}
        )  # fmt: skip
    totals = {name: result[name] for name in names}
    totals["right_empties"] = result["empty_accuracy"]  # as the REST API of version 0.1 calls it
    return {**totals, "calibration_error": result["expected_calibration_error"], "aspects": aspects}


def confusion(decided: np.ndarray, truth: np.ndarray) -> dict[str, int]:
    return {
        "tp": int((decided & truth).sum()), "fp": int((decided & ~truth).sum()),
        "fn": int((~decided & truth).sum()), "tn": int((~decided & ~truth).sum()),
    }  # fmt: skip


def precision_recall_curve(truth: np.ndarray, probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Precision, recall and thresholds (P,), which are the distinct probabilities, ascending."""
    order = np.argsort(probabilities, kind="stable")
    thresholds, first = np.unique(probabilities[order], return_index=True)
    true_positives = truth[order][::-1].cumsum()[::-1][first]
    return true_positives / (len(truth) - first), true_positives / truth.sum(), thresholds


def curve_points(probabilities: np.ndarray, truth: np.ndarray) -> list[dict[str, float]]:
    """At most POINTS of the curve, evenly chosen; [] without a positive text."""
    if not truth.any():
        return []
    curve = np.stack(precision_recall_curve(truth, probabilities), axis=1)  # (P, 3)
    chosen = np.unique(np.linspace(0, len(curve) - 1, min(POINTS, len(curve))).round().astype(int))
    return [{"threshold": t, "precision": p, "recall": r} for p, r, t in curve[chosen].tolist()]
