"""A bounded number of different sentences from any number of reviews, each with the same chance."""

from __future__ import annotations

import random
from collections.abc import Iterable

from fewaspect.data.sentences import text_identity
from fewaspect.detector.splitting import sentence_spans


def sample_sentences(reviews: Iterable[str], limit: int, seed: int = 0) -> list[str]:
    """All sentences if there are at most `limit`, else a fair sample of so many, in the order of the reviews."""
    chance = random.Random(seed)
    kept: dict[int, tuple[int, str, str]] = {}  # by place in the sample: number, identity, sentence
    held: set[str] = set()
    met = 0
    for review in reviews:
        for start, end in sentence_spans(review):
            sentence = review[start:end]
            if not (same := text_identity(sentence)) or same in held:
                continue
            met += 1
            place = met - 1 if met <= limit else chance.randrange(met)
            if place < limit:
                if place in kept:
                    held.discard(kept[place][1])
                kept[place] = (met, same, sentence)
                held.add(same)
    return [sentence for _, _, sentence in sorted(kept.values())]
