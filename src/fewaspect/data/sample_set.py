"""The sample set that ships with the package: three domains, class-disjoint splits, examples for the quickstart."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

from fewaspect.core.errors import DataError
from fewaspect.data.labelled import LabelledSentence, SentenceSet

SAMPLE_SPLITS = ("train", "validation", "test")


@dataclass(frozen=True)
class Showcase:
    """Examples for some test aspects, and unseen labelled reviews."""

    examples: dict[str, tuple[str, ...]]
    reviews: tuple[LabelledSentence, ...]


def load_sample() -> dict[str, SentenceSet]:
    """The splits "train", "validation" and "test", which share no aspect."""
    return {split: _load_split(split) for split in SAMPLE_SPLITS}


def load_showcase() -> Showcase:
    """The data of the quickstart; none of its sentences is in a split."""
    record = json.loads(_read("quickstart.json"))
    return Showcase(
        examples={aspect: tuple(texts) for aspect, texts in record["aspects"].items()},
        reviews=tuple(_sentence(review) for review in record["reviews"]),
    )


def _load_split(split: str) -> SentenceSet:
    # Not splitlines(): it also splits at characters that may stand in a JSON string.
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
