"""The small sample set that ships with the package: three domains, class-disjoint splits, a showcase."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

from fewaspect.core.errors import DataError
from fewaspect.data.labelled import LabelledSentence, SentenceSet

SAMPLE_SPLITS = ("train", "validation", "test")


@dataclass(frozen=True)
class Showcase:
    """A handful of examples for each of some test aspects, and unseen reviews with the aspects they should get."""

    examples: dict[str, tuple[str, ...]]
    reviews: tuple[LabelledSentence, ...]


def load_sample() -> dict[str, SentenceSet]:
    """The splits "train", "validation" and "test"; no aspect occurs in two of them."""
    return {split: _load_split(split) for split in SAMPLE_SPLITS}


def load_showcase() -> Showcase:
    """What the quickstart tags; none of its sentences is in a split."""
    record = json.loads(_read("quickstart.json"))
    return Showcase(
        examples={aspect: tuple(texts) for aspect, texts in record["aspects"].items()},
        reviews=tuple(_sentence(review) for review in record["reviews"]),
    )


def _load_split(split: str) -> SentenceSet:
    # Not splitlines(): a line of JSON may hold characters that it takes for line ends.
    lines = _read(f"{split}.jsonl").strip().split("\n")
    return SentenceSet((_sentence(json.loads(line)) for line in lines), name=f"sample/{split}")


def _sentence(record: dict) -> LabelledSentence:
    return LabelledSentence(record["text"], tuple(record["labels"]))


def _read(name: str) -> str:
    try:
        return files("fewaspect.data").joinpath("sample").joinpath(name).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise DataError(
            f'expected the sample file "{name}" inside the installed package, found none. Install fewaspect again.'
        ) from error
