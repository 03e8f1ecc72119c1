"""Sentences with the polarity of each of their aspects, as JSON Lines: `text`, and `aspects` of `name`, `polarity`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from fewaspect.core.errors import WRONG_VALUE, DataError

POLARITIES = ("negative", "neutral", "positive")  # in the order of probabilities
MIXED = "mixed"  # negative and positive at once
ANSWERS = (*POLARITIES, MIXED)  # what may be said of an aspect
POLARITY_SIGNS = {"-": "negative", "+": "positive"}


@dataclass(frozen=True)
class PolarSentence:
    """A sentence and the polarity of each of its aspects."""

    text: str
    polarities: dict[str, str]  # by aspect

    @property
    def contrasting(self) -> bool:
        """Whether it is negative about one aspect and positive about another."""
        return {"negative", "positive"} <= set(self.polarities.values())


def check_polarity(value: object, where: str) -> str:
    """One of the four words, in any case, or a sign for negative or positive."""
    word = value.strip().casefold() if isinstance(value, str) else ""
    if (found := POLARITY_SIGNS.get(word, word)) not in ANSWERS:
        raise DataError(f"{where}: expected {', '.join(POLARITIES)} or {MIXED} (or - or +), found {value!r}.")
    return found


def read_polarities(path: Path) -> list[PolarSentence]:
    """The sentences of a file, in its order."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            own = {str(aspect["name"]): str(aspect["polarity"]) for aspect in row["aspects"]}
            if unknown := set(own.values()) - {*POLARITIES, MIXED}:
                raise ValueError(f"the polarity {unknown.pop()!r}")
            found.append(PolarSentence(str(row["text"]), own))
        except WRONG_VALUE as error:
            raise DataError(
                f'{path}, line {number}: expected "text" and "aspects", a list of "name" and "polarity" '
                f"({', '.join(POLARITIES)} or {MIXED}), found: {error!r}."
            ) from None
    return found
