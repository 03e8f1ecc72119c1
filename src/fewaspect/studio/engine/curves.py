"""Evaluation of a project's detector on labelled texts, with a precision-recall curve for each aspect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fewaspect.core.errors import DataError
from fewaspect.data.labels import to_indicator_matrix
from fewaspect.detector.explain import decide
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.studio.store.definition import name_identity

STEPS = np.round(np.arange(1, 100) / 100, 2)  # thresholds that can be tried on the page
POINTS = 100  # distinct probabilities of a curve at most, besides
MISTAKES = 1_000  # texts with a wrong answer that are listed


def evaluate_texts(snapshot: Snapshot, texts: Sequence[str], labels: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The result of the detector's `evaluate`, with what each threshold of an aspect would give, the one in use among
    them, and the texts with a wrong answer."""
    if snapshot.detector is None:
        raise DataError("evaluate: expected a project with aspects, found none.")
    if not texts:
        raise DataError("texts: expected labelled texts, found none.")
    labels = _as_named(labels, [aspect.name for aspect in snapshot.definition.aspects])
    result = snapshot.detector.evaluate(texts, labels)
    probabilities = snapshot.detector.predict_proba(texts)
    truth, _ = to_indicator_matrix(labels, [aspect.name for aspect in snapshot.definition.aspects], len(texts))
    aspects = []
    for n, aspect in enumerate(snapshot.definition.aspects):
        in_use = float(snapshot.thresholds[n])
        confusion, metrics = at_threshold(probabilities[:, n], truth[:, n], in_use)
        aspects.append(
            {"id": aspect.id, "name": aspect.name, **metrics, "support": int(truth[:, n].sum()), "threshold": in_use,
             "average_precision": result["aspects"][aspect.name]["average_precision"], "confusion": confusion,
             "curve": curve_points(probabilities[:, n], truth[:, n], in_use)}
        )  # fmt: skip
    names = ("texts", "macro_f1", "micro_f1", "mean_average_precision", "unknown_aspects", "without_texts")
    totals = {name: result[name] for name in names}
    totals["right_empties"] = result["empty_accuracy"]  # as the REST API of version 0.1 calls it
    totals["calibration_error"] = result["expected_calibration_error"]
    mistakes = list_mistakes(snapshot.aspect_ids, texts, decide(probabilities, snapshot.thresholds), truth)
    return {**totals, "aspects": aspects, "mistakes": mistakes}


def _as_named(labels: Sequence[Sequence[str]], names: Sequence[str]) -> list[list[str]]:
    """Labels that people take for the name of an aspect, such as Noise for noise, are that aspect."""
    known = {name_identity(name): name for name in reversed(names)} | {name: name for name in names}
    return [[known.get(label, known.get(name_identity(label), label)) for label in own] for own in labels]


def at_threshold(
    probabilities: np.ndarray, truth: np.ndarray, threshold: float
) -> tuple[dict[str, int], dict[str, float | None]]:
    """What is right and wrong of one aspect, (texts,) each, in counts and as precision, recall and F1."""
    decided = decide(probabilities, threshold)
    tp, fp = int((decided & truth).sum()), int((decided & ~truth).sum())
    fn, tn = int((~decided & truth).sum()), int((~decided & ~truth).sum())
    ratios = {"precision": (tp, tp + fp), "recall": (tp, tp + fn), "f1": (2 * tp, 2 * tp + fp + fn)}
    counts = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    return counts, {name: part / whole if whole else None for name, (part, whole) in ratios.items()}


def curve_points(probabilities: np.ndarray, truth: np.ndarray, in_use: float) -> list[dict[str, float | None]]:
    """At the thresholds that can be tried, the one in use and some distinct probabilities, ascending; [] without a
    positive text."""
    if not truth.any():
        return []
    distinct = np.unique(probabilities[probabilities > 0])
    chosen = np.unique(np.linspace(0, len(distinct) - 1, min(POINTS, len(distinct))).round().astype(int))
    points = []
    for threshold in np.unique([*STEPS, in_use, *distinct[chosen]]).tolist():
        _, metrics = at_threshold(probabilities, truth, threshold)
        points.append({"threshold": threshold, "precision": metrics["precision"], "recall": metrics["recall"]})
    return points


def list_mistakes(
    ids: Sequence[int], texts: Sequence[str], decided: np.ndarray, truth: np.ndarray
) -> list[dict[str, Any]]:
    """Texts, the first of many, with the ids of aspects that were found but are wrong, and of those missed."""
    found = []
    for row in np.flatnonzero((decided != truth).any(axis=1))[:MISTAKES].tolist():
        wrong, missed = decided[row] & ~truth[row], ~decided[row] & truth[row]
        own = ([ids[n] for n in np.flatnonzero(part).tolist()] for part in (wrong, missed))
        found.append({"text": texts[row], **dict(zip(("wrong", "missed"), own, strict=True))})
    return found
