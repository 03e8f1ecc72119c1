"""What a project's detector learns from its imported sentences, encoded chunk by chunk before it learns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from fewaspect.detector.fitting import pile_sentences
from fewaspect.detector.model import InferenceModel
from fewaspect.reviews.sampling import ReviewSample


class SentencePile:
    """A sample of the sentences, the same for the same sentences."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._sentences = sentences
        self._left: list[str] | None = None  # to be encoded

    @cached_property
    def texts(self) -> list[str]:
        sample = ReviewSample()
        for sentence in self._sentences:
            sample.add(sentence)
        return sample.texts()

    def encode(self, model: InferenceModel, size: int) -> bool:
        """Let the model's cache hold some more of the sentences; True once it holds all."""
        if self._left is None:
            self._left = pile_sentences(model, self.texts)
        some, self._left = self._left[:size], self._left[size:]
        for _ in model.map_batches(some, None, lambda read: None):
            pass
        return not self._left
