"""Augmentation: multi-aspect sentences joined from two, for training data that has few of its own."""

from __future__ import annotations

import numpy as np

from fewaspect.data.labelled import LabelledSentence, SentenceSet


def with_joined_sentences(sentences: SentenceSet, share: float, seed: int) -> SentenceSet:
    """The sentences, plus `share` times as many that join two of them and have the aspects of both.

    Only sentences with disjoint, non-empty aspects are joined; where such pairs are rare, there may be fewer.
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 1])))
    labelled = [sentence for sentence in sentences if sentence.aspects]
    wanted = round(share * len(sentences)) if labelled else 0
    joined: list[LabelledSentence] = []
    attempts = 0
    while len(joined) < wanted and attempts < 100 * wanted:
        attempts += 1
        first, second = (labelled[int(position * len(labelled))] for position in rng.random(2))
        if not set(first.aspects) & set(second.aspects):
            joined.append(LabelledSentence(f"{first.text} {second.text}", (*first.aspects, *second.aspects)))
    return SentenceSet((*sentences, *joined), sentences.name)
