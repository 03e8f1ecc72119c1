"""The sentences of an epoch: as they are, of different polarity joined into one, and negated by rule."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polarity.examples import NEUTRAL, POSITIVE, Example
from polarity.negation import negated

CONNECTORS = (
    ", but ", " but ", ". ", "; ", ", although ", " and ", ", while ", ", however ", ", and ", " though ", ", ",
)  # fmt: skip
MOST_JOINED_WORDS = 24  # of each part
TWICE_JOINED_WORDS = 14  # of each of three parts
TWICE_JOINED_SHARE = 0.2  # of joined sentences: three parts
POSITIVE_SHARE = 0.7  # of sentences that are positive about all their aspects


@dataclass(frozen=True)
class EpochPlan:
    """`joined_share`: sentences made of others, for each one of a set; `contrast_repeats`, `neutral_repeats`: further
    times that a sentence with both polarities, or with a neutral aspect, is read; `tokens`: of a batch of sentences,
    padding included."""

    joined_share: float
    contrast_repeats: int = 2
    neutral_repeats: int = 1
    tokens: int = 1024


def epoch_examples(sets: Mapping[str, Sequence[Example]], plan: EpochPlan, rng: random.Random) -> list[Example]:
    """All sentences in random order, those with both polarities or a neutral aspect more often, and joined ones."""
    found = []
    for rows in sets.values():
        for row in rows:
            if row.sure == POSITIVE and rng.random() > POSITIVE_SHARE:
                continue
            neutral = any(own[NEUTRAL] > 0.5 for own in row.targets.values())
            found += [row] * (1 + plan.contrast_repeats * row.contrasting + plan.neutral_repeats * neutral)
        groups = by_polarity(rows)
        found += [join for _ in range(round(plan.joined_share * len(rows))) if (join := joined(groups, rng))]
        found += [other for row in rows if (other := negated(row, rng))]
    rng.shuffle(found)
    return found


def by_polarity(rows: Sequence[Example]) -> dict[int, list[Example]]:
    """Short sentences of one polarity only."""
    groups: dict[int, list[Example]] = {}
    for row in rows:
        if len(row.text.split()) <= MOST_JOINED_WORDS and (own := row.sure) is not None:
            groups.setdefault(own, []).append(row)
    return groups


def joined(groups: Mapping[int, Sequence[Example]], rng: random.Random) -> Example | None:
    """Two sentences of different polarity about different aspects as one, or three; None if they are hard to find."""
    if len(groups) < 2:
        return None
    for _ in range(20):
        parts = [rng.choice(groups[polarity]) for polarity in rng.sample(sorted(groups), 2)]
        if rng.random() < TWICE_JOINED_SHARE:
            parts.append(rng.choice(groups[rng.choice(sorted(groups))]))
            if any(len(part.text.split()) > TWICE_JOINED_WORDS for part in parts):
                continue
        names = [name for part in parts for name in part.targets]
        if len(set(names)) == len(names):
            text = parts[0].text
            for part in parts[1:]:
                text = text.rstrip(" .!") + rng.choice(CONNECTORS) + part.text[:1].lower() + part.text[1:]
            return Example(text, {name: own for part in parts for name, own in part.targets.items()})
    return None
