"""Means over episodes with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from scipy.special import stdtrit


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean of `count` values and its confidence interval; `left_out` more were NaN. NaN where undefined."""

    mean: float
    low: float
    high: float
    half_width: float
    count: int
    left_out: int

    def to_percent(self) -> Interval:
        """The interval in percent."""
        return replace(self, **{name: 100 * getattr(self, name) for name in ("mean", "low", "high", "half_width")})

    def as_dict(self) -> dict[str, float | int | None]:
        """The fields by name, with None for NaN, which JSON does not have."""
        return {name: None if math.isnan(value) else value for name, value in asdict(self).items()}


def mean_interval(values: Sequence[float] | np.ndarray, confidence: float = 0.95) -> Interval:
    """Mean and Student's t interval of (E,) values; NaN values are left out and counted.

    A single value has a mean but no width; without any the mean is NaN too.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, found {confidence}: write 0.95 for 95 %.")
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or numbers.size == 0:
        raise ValueError(f"An interval needs a list of at least one value, found shape {numbers.shape}.")
    if np.isinf(numbers).any():
        raise ValueError(f"An interval needs finite values, found {numbers[np.isinf(numbers)][0]}.")
    defined = numbers[~np.isnan(numbers)]
    count = defined.size
    mean = float(defined.mean()) if count else math.nan
    half_width = math.nan
    if count > 1:
        quantile = stdtrit(count - 1, (1 + confidence) / 2)
        half_width = float(quantile * defined.std(ddof=1) / math.sqrt(count))
    return Interval(mean, mean - half_width, mean + half_width, half_width, count, numbers.size - count)
