"""How good a project's detector is on labelled texts, with a curve for each aspect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fewaspect.core.errors import DataError
from fewaspect.data.labels import to_indicator_matrix
from fewaspect.detector.decision import decide
from fewaspect.studio.engine.state import State

POINTS = 100  # of a curve at most


def measure_texts(state: State, texts: Sequence[str], labels: Sequence[Sequence[str]]) -> dict[str, Any]:
    """What the detector's `evaluate` says, and counts and curves beside it."""
    if state.detector is None:
        raise DataError("evaluate: expected a project with aspects, found none.")
    if not texts:
        raise DataError("texts: expected labelled texts, found none.")
    result = state.detector.evaluate(texts, labels)
    probabilities = state.detector.predict_proba(texts)
    truth, _ = to_indicator_matrix(labels, [aspect.name for aspect in state.definition.aspects], len(texts))
    decided = decide(probabilities, state.thresholds)
    numbers = ("texts", "macro_f1", "micro_f1", "mean_average_precision", "right_empties", "unknown_aspects")
    aspects = []
    for n, aspect in enumerate(state.definition.aspects):
        own = result["aspects"][aspect.name]
        aspects.append(
            {"id": aspect.id, "name": aspect.name, **{k: own[k] for k in ("precision", "recall", "f1")},
             "average_precision": own["average_precision"], "support": own["texts"],
             "confusion": confusion(decided[:, n], truth[:, n]), "curve": curve(probabilities[:, n], truth[:, n]),
             "threshold": float(state.thresholds[n])}
        )  # fmt: skip
    said = {name: result[name] for name in numbers}
    return {**said, "calibration_error": result["expected_calibration_error"], "aspects": aspects}


def confusion(decided: np.ndarray, truth: np.ndarray) -> dict[str, int]:
    return {
        "tp": int((decided & truth).sum()), "fp": int((decided & ~truth).sum()),
        "fn": int((~decided & truth).sum()), "tn": int((~decided & ~truth).sum()),
    }  # fmt: skip


def curve(probabilities: np.ndarray, truth: np.ndarray) -> list[dict[str, float]]:
    """Precision and recall at thresholds that occur, evenly chosen if there are many; [] without a positive."""
    from sklearn.metrics import precision_recall_curve

    if not truth.any():
        return []
    precision, recall, thresholds = precision_recall_curve(truth, probabilities)
    chosen = np.unique(np.linspace(0, len(thresholds) - 1, min(POINTS, len(thresholds))).round().astype(int))
    return [
        {"threshold": float(thresholds[i]), "precision": float(precision[i]), "recall": float(recall[i])}
        for i in chosen
    ]  # fmt: skip
