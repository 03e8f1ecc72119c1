"""`AspectDetector`: the detector as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from fewaspect.detector.detector import Detector


class AspectDetector(Detector, BaseEstimator):
    """Finds aspects in text from a few examples each; an aspect may also be known by its name and description alone.

    `model`: the shipped weights, or the folder of an lpn-plus run. `threshold`: what a probability must reach, one
    number for all aspects or a dict of some; None takes what was tuned, else 0.5. `batch_tokens`: read at once;
    None: as many as are best. `backend`: "torch", "onnx", "onnx-int8", or "auto": what is fastest here.

    >>> from fewaspect import AspectDetector
    >>> detector = AspectDetector().fit({"food": ["the soup was cold"], "parking": ["no valet", "garage full"]})
    >>> detector.predict(["we found no place to park", "cold soup again"])
    [['parking'], ['food']]
    """

    def __sklearn_tags__(self) -> Any:
        """Takes strings. No classifier to scikit-learn, which would have it split lists of names by class."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.target_tags.multi_output = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Without the weights, which every process has of its own."""
        return {**super().__getstate__(), **({"_loaded": None} if self.__sklearn_is_fitted__() else {})}
