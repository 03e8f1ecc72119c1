"""Short sentences whose clear predicate is negated by rule: "the staff was friendly" becomes "the staff wasn't ..."."""

from __future__ import annotations

import random
import re

import numpy as np

from polarity.examples import NEGATIVE, POSITIVE, Example

GOOD = (
    "good|great|nice|friendly|fresh|clean|comfortable|helpful|easy|reliable|tasty|delicious|fast|quick|useful|clear|"
    "interesting|happy|satisfied|pleased|impressed|excellent|amazing|perfect|attentive|polite|smooth|sturdy|solid|"
    "accurate|bright|quiet|convenient|affordable|reasonable|effective|engaging|enjoyable|funny|organized|"
    "knowledgeable|professional|worth it|well made|worth the money|worth the price"
)
BAD = (
    "bad|terrible|awful|horrible|slow|rude|dirty|noisy|loud|expensive|difficult|hard|boring|confusing|cold|stale|bland|"
    "disappointed|disappointing|uncomfortable|unreliable|poor|weak|cheap|heavy|annoying|overpriced"
)
DEGREE = "very|really|so|quite|pretty|extremely|super|too"
MOST_WORDS = 12
OF_GOOD = np.array([0.9, 0.07, 0.03])  # "not good" is negative
OF_BAD = np.array([0.1, 0.35, 0.55])  # "not bad" is positive or neutral
SHORT = {"is": "isn't", "was": "wasn't", "are": "aren't", "were": "weren't"}


def _predicate(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(is|was|are|were) (?:(?:{DEGREE}) )?({words})\b", re.IGNORECASE)


PREDICATES = {POSITIVE: (_predicate(GOOD), OF_GOOD), NEGATIVE: (_predicate(BAD), OF_BAD)}


def negated(example: Example, rng: random.Random) -> Example | None:
    """With the polarity that follows; None if there is not exactly one predicate of the sentence's own polarity."""
    words = example.text.lower().replace("n't", " not").split()
    if (
        example.sure not in PREDICATES
        or len(words) > MOST_WORDS
        or {"not", "no", "never", "but", "if", "and", "&"} & set(words)
    ):
        return None
    pattern, target = PREDICATES[example.sure]
    places = list(pattern.finditer(example.text))
    if len(places) != 1:
        return None
    verb = places[0].group(1)
    forms = [f"{verb} not", f"{verb} not", f"{verb} never", SHORT[verb.lower()], SHORT[verb.lower()]]
    start, end = places[0].span(1)
    return Example(
        example.text[:start] + rng.choice(forms) + example.text[end:], dict.fromkeys(example.targets, target)
    )
