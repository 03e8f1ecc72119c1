"""A bounded number of different sentences or reviews from any number of reviews, each with the same chance."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from fewaspect.text.identity import text_identity
from fewaspect.text.splitting import sentence_spans

if TYPE_CHECKING:
    from fewaspect.reviews.readers.source import Review

REVIEWS = 4000  # that a detector adapts to: more sentences than it keeps
_CHARACTERS = 10_000  # of each: some reviews are books


class FairSample:
    """The sentences whose digests are the smallest: how often or how early one occurs makes no difference."""

    def __init__(self, limit: int, seed: int = 0, identity: Callable[[str], str] = text_identity) -> None:
        self.limit, self.key, self.identity = limit, seed.to_bytes(8, "little"), identity
        self._heap: list[tuple[int, int, str]] = []  # the largest digest first: minus digest, number, sentence
        self._held: set[int] = set()
        self._met = 0

    def add(self, sentence: str) -> None:
        identity = self.identity(sentence)
        place = -int.from_bytes(hashlib.blake2b(identity.encode(), digest_size=8, key=self.key).digest(), "little")
        if not identity or place in self._held or (len(self._heap) == self.limit and place < self._heap[0][0]):
            return
        self._met += 1
        self._held.add(place)
        entry = (place, self._met, sentence)
        if len(self._heap) < self.limit:
            heapq.heappush(self._heap, entry)
        else:
            self._held.remove(heapq.heapreplace(self._heap, entry)[0])

    def sentences(self) -> list[str]:
        """In the order of their first occurrence."""
        return [sentence for _, _, sentence in sorted(self._heap, key=lambda entry: entry[1])]


def sample_sentences(reviews: Iterable[str], limit: int, seed: int = 0) -> list[str]:
    """All sentences if there are at most `limit` different ones, else a fair sample of so many."""
    sample = FairSample(limit, seed)
    for review in reviews:
        for start, end in sentence_spans(review):
            sample.add(review[start:end])
    return sample.sentences()


class ReviewSample:
    """Reviews for `AspectDetector.adapt`: the same ones for the same reviews, in any order and file format."""

    def __init__(self, limit: int = REVIEWS) -> None:
        self._sample = FairSample(limit, identity=str)

    def add(self, text: str) -> None:
        self._sample.add(text[:_CHARACTERS])

    def passing(self, reviews: Iterable[Review]) -> Iterator[Review]:
        """The reviews as they come, each a candidate."""
        for review in reviews:
            self.add(review.text)
            yield review

    def texts(self) -> list[str]:
        return self._sample.sentences()


def sample_reviews(reviews: Iterable[Review]) -> list[str]:
    """The texts of a `ReviewSample` of all these."""
    sample = ReviewSample()
    for review in reviews:
        sample.add(review.text)
    return sample.texts()
