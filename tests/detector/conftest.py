"""Detectors on the embedded encoder; its weights are loaded once for all tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from detector_texts import EXAMPLES
from fewaspect import AspectDetector


@pytest.fixture
def fitted() -> Callable[..., AspectDetector]:
    """A fresh detector of three aspects: `fitted(threshold=0.3)`."""

    def fit(**parameters: Any) -> AspectDetector:
        return AspectDetector(**parameters).fit(EXAMPLES)

    return fit
