"""FewAsp as one JSON object: {aspect: [[tokens, [aspects]], ...]}."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from fewaspect.data.formats.record_fields import Fields, make_sentence
from fewaspect.data.formats.records import Place, parse_json, quoted, read_whole, shown
from fewaspect.data.labelled import LabelledSentence

_FIELDS = Fields("tokens", "aspects")


def read(path: Path, fields: Fields, encoding: str) -> Iterator[LabelledSentence]:
    """One sentence per listing, its tokens joined by a space: a sentence under two aspects is listed twice."""
    place = Place(path)
    groups = parse_json(read_whole(path, "grouped JSON", encoding), place)
    if not isinstance(groups, dict):
        raise place.error(f"expected one JSON object with a list per aspect, found {shown(groups)}.")
    for aspect, entries in groups.items():
        here = place.at(f"aspect {quoted(aspect)}")
        if not isinstance(entries, list):
            raise here.error(f"expected a list of [tokens, aspects], found {shown(entries)}.")
        for number, entry in enumerate(entries, 1):
            yield _sentence(here.at(f"{here.spot}, entry {number}"), aspect, entry)


def write(sentences: Iterable[LabelledSentence], file: IO[Any], place: Place) -> None:
    """Each sentence under one of its aspects; repeated lines of one sentence go under its aspects one after another."""
    groups: dict[str, list[list[list[str]]]] = {}
    listed: dict[LabelledSentence, int] = {}
    for number, sentence in enumerate(sentences, 1):
        if not sentence.aspects:
            raise place.at(f"sentence {number}").error(
                "grouped JSON lists sentences by aspect, found one without any.", "Write jsonl or another format."
            )
        turn = listed[sentence] = listed.get(sentence, -1) + 1
        aspect = sentence.aspects[turn % len(sentence.aspects)]
        groups.setdefault(aspect, []).append([sentence.text.split(" "), list(sentence.aspects)])
    json.dump(groups, file, ensure_ascii=False)
    file.write("\n")


def _sentence(place: Place, aspect: str, entry: object) -> LabelledSentence:
    if not isinstance(entry, list) or len(entry) != 2:
        raise place.error(f"expected [tokens, aspects], found {shown(entry)}.")
    tokens, aspects = entry
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise place.error(f'"tokens" must be a list of words, found {shown(tokens)}.')
    sentence = make_sentence(place, _FIELDS, " ".join(tokens), aspects)
    if aspect.strip() not in sentence.aspects:
        raise place.error(
            f"expected {quoted(aspect)} among the sentence's aspects, found it missing.",
            "Add it, or list the sentence under an aspect it carries.",
        )
    return sentence
