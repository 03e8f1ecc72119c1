"""Probabilities to the aspects that are answered, and why in words. Thresholds act here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from fewaspect.core.errors import ConfigError
from fewaspect.data.labels import unknown_aspect_error

DEFAULT_THRESHOLD = 0.5  # on aspects held out in training, F1 is best from 0.4 to 0.5; higher, more empties are right

Threshold = float | Mapping[str, float] | None


def thresholds_of(names: Sequence[str], given: Threshold, tuned: Mapping[str, float]) -> np.ndarray:
    """(N,) what each aspect's probability must reach: what is given, else what was tuned, else the default."""
    if given is None or isinstance(given, Mapping):
        chosen = {**tuned, **(given or {})}
        for name in given or {}:
            if name not in names:
                raise unknown_aspect_error(name, names)
        own = {name: _checked(value, f"threshold of {name}") for name, value in chosen.items()}
        return np.array([own.get(name, DEFAULT_THRESHOLD) for name in names])
    return np.full(len(names), _checked(given, "threshold"))


def decide(probabilities: np.ndarray, thresholds: np.ndarray | float) -> np.ndarray:
    """(Q, N) booleans; a probability of nought, which only a text without words has, never suffices."""
    return (probabilities >= thresholds) & (probabilities > 0)


def reason(probabilities: np.ndarray, thresholds: np.ndarray, decided: np.ndarray, names: Sequence[str]) -> str:
    """Why these aspects and no others, or why none: the numbers that decided."""
    if not probabilities.any():
        return "no aspect: there are no words to read"
    if decided.any():
        return ", ".join(
            f"{names[n]} {probabilities[n]:.2f} >= {thresholds[n]:.2f}" for n in best_first(probabilities, decided)
        )
    best = int(probabilities.argmax())
    return f"best: {names[best]} {_below(probabilities[best], thresholds[best])}"


def best_first(probabilities: np.ndarray, decided: np.ndarray) -> list[int]:
    """The decided aspects' numbers, the most probable first."""
    return [int(n) for n in np.argsort(-probabilities, kind="stable") if decided[n]]


def _below(probability: float, threshold: float) -> str:
    """Both numbers with as many digits as it takes to tell them apart."""
    for digits in range(2, 6):
        if f"{probability:.{digits}f}" != f"{threshold:.{digits}f}":
            break
    return f"{probability:.{digits}f} < {threshold:.{digits}f}"


def _checked(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ConfigError(f"{name}: expected a number from 0 to 1, found {value!r}.")
    return float(value)
