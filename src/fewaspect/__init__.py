"""Few-shot, multi-label aspect category detection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fewaspect.detector.estimator import AspectDetector

__version__ = "0.1.0"
__all__ = ["AspectDetector", "__version__"]


def __getattr__(name: str) -> Any:
    """The detector is imported when it is asked for: it needs scikit-learn, and most commands' help does not."""
    if name == "AspectDetector":
        from fewaspect.detector.estimator import AspectDetector

        return AspectDetector
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
