"""Aspects as a user defines them in a file: a mapping from names to examples, or labelled sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fewaspect.core.errors import DataError
from fewaspect.data.formats.json_lines import FEWASP_TEXT
from fewaspect.data.formats.recognition import EXTENSIONS
from fewaspect.data.formats.record_fields import POLARITY_FIELDS, SEPARATOR, Fields, PolarityError, make_sentence
from fewaspect.data.formats.records import FILE_LIMIT, Place, opened_text, parse_json, quoted, read_whole, shown
from fewaspect.data.labelled import LabelledSentence, SentenceSet
from fewaspect.data.polarity import ANSWERS, POLARITY_SIGNS
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.readers.source import Source

_MAPPING = re.compile(rb'\s*\{\s*(\}|"(?:[^"\\]|\\.)*"\s*:\s*(null|\[\s*["\]]|\{))')  # a first value that no record has
_PEEK = 1 << 16
_KIND = "a mapping of aspects"
_PARTS = ("examples", "description", *ANSWERS)
_YAML = (".yaml", ".yml")
_TABLES = {
    ".csv": InputFormat.CSV, ".tsv": InputFormat.TSV, ".tab": InputFormat.TSV,
    ".xlsx": InputFormat.XLSX, ".xlsm": InputFormat.XLSX,
}  # fmt: skip
_SIGNED = re.compile(r"(.*[^\s\d+-])\s*([-+])")
_OPTION = re.compile(r"--(from|text-field|label-field|label-separator|encoding)\b")


@dataclass(frozen=True)
class Definitions:
    """What to fit a detector with: examples by aspect, or sentences with lists of aspects; descriptions of some."""

    examples: dict[str, list[str]] | list[str]
    labels: list[list[str]] | None
    names: tuple[str, ...]
    descriptions: dict[str, str] = field(default_factory=dict)
    polarities: dict[str, list[str | None]] | list[dict[str, str]] | None = None  # beside the examples, as `fit` takes
    remarks: tuple[str, ...] = ()  # on what might have been meant as a polarity and is not read as one

    @property
    def options(self) -> dict[str, Any]:
        """What `fit` is given besides examples and labels."""
        return {"names": self.names, "descriptions": self.descriptions, "polarities": self.polarities}


def read_definitions(path: Path) -> Definitions:
    """A JSON or YAML mapping, or any file of labelled sentences that `fewaspect data check` reads."""
    extension = path.suffix.lower()
    if extension in _YAML:
        return _from_mapping(_yaml(path), Place(path))
    if extension == ".json" and (_MAPPING.match(_start(path)) or _has_no_records(path)):
        return _from_mapping(_json(path), Place(path))
    if extension not in (*EXTENSIONS, *_TABLES) and not path.is_dir():
        known = dict.fromkeys((*_YAML, *EXTENSIONS, *_TABLES))
        raise Place(path).error(
            f"expected an extension that names a format ({', '.join(known)}), found {path.suffix or 'none'}.",
            "Write a list of sentences for each aspect into a file that ends in .yaml.",
        )
    try:
        return _from_sentences(read_labelled(path, polarities=True), Place(path))
    except PolarityError as error:
        remark = f"no polarities are read, {error}"
        return replace(_from_sentences(read_labelled(path), Place(path)), remarks=(remark,))


def read_labelled(path: Path, polarities: bool = False) -> SentenceSet:
    """Labelled sentences, for commands that have no options to say how they are written."""
    from fewaspect.data.formats import read_sentences

    source = table_source(path)
    if source is not None and (source.format is InputFormat.XLSX or source.is_unusual):
        sentences = SentenceSet(_table_sentences(source, POLARITY_FIELDS if polarities else ()), path.name)
        if not len(sentences):
            raise source.place.error("expected labelled sentences, found none.")
        return sentences
    try:
        return read_sentences(path, polarities=polarities)
    except DataError as error:
        if not _OPTION.search(str(error)):
            raise
        raise DataError(f"{error}\n`fewaspect data convert` has that option; what it writes is read here.") from None


def table_source(path: Path) -> Source | None:
    """A file that a spreadsheet may have written, to be read as reviews are: its encoding, separator, sheet found."""
    format = _TABLES.get(path.suffix.lower())
    there = path.is_file() or format is InputFormat.XLSX  # which no other reader takes
    return Source(str(path), format) if format is not None and there else None


def _table_sentences(source: Source, polarities: tuple[str, ...]) -> Iterator[LabelledSentence]:
    fields = Fields(separator=SEPARATOR, polarities=polarities)
    with source.records() as records:
        names = records.names or []
        if missing := [name for name in (fields.text, fields.labels) if name not in names]:
            found = ", ".join(map(quoted, names[:8]))
            raise records.place.error(f"expected a column {quoted(missing[0])}, found {found}.", "Rename the column.")
        polarity = fields.polarity_field(names)
        for place, row in records.rows:
            told = None if polarity is None else row[polarity]
            yield make_sentence(place, fields, row[fields.text], row[fields.labels], told)


def _has_no_records(path: Path) -> bool:
    """One JSON object that is neither a labelled sentence nor lists of them: aspects, with a list forgotten."""
    try:
        content = json.loads(read_whole(path, _KIND)) if path.stat().st_size <= FILE_LIMIT else None
    except (ValueError, RecursionError):  # among them lines of JSON
        return False
    if not isinstance(content, dict) or {"text", FEWASP_TEXT} & content.keys():
        return False
    return not any(isinstance(value, list) and isinstance(next(iter(value), None), list) for value in content.values())


def _from_sentences(sentences: SentenceSet, place: Place) -> Definitions:
    if not sentences.classes:
        raise place.error("expected sentences with aspects, found none that has any.")
    in_order = dict.fromkeys(name for sentence in sentences for name in sentence.aspects)
    polar = [
        {name: polarity for name, polarity in zip(sentence.aspects, sentence.polarities, strict=False) if polarity}
        for sentence in sentences
    ]
    labels = [list(sentence.aspects) for sentence in sentences]
    return Definitions(list(sentences.texts), labels, tuple(in_order), polarities=polar if any(polar) else None)


def _from_mapping(content: object, place: Place) -> Definitions:
    """{"food": ["the soup was cold"], "parking": {"description": "garage, valet", "examples": []}}

    With polarities: {"food-": "the soup was cold", "parking": {"positive": ["a valet"]}}. The name of an aspect may
    always end in a sign where its value is a mapping.
    """
    if not isinstance(content, dict) or not content:
        found = "an empty one" if content == {} else shown(content)
        raise place.error(f"expected a mapping of aspect names to examples, found {found}.")
    by_aspect: dict[str, list[str]] = {}
    polarities: dict[str, list[str | None]] = {}
    descriptions, names, remarks = {}, set[str](), []
    keys = {name.strip() for name in content if isinstance(name, str)}
    for name, value in content.items():
        if not isinstance(name, str) or not name.strip():
            raise place.error(f"expected the name of an aspect, found {shown(name)}.", "Put the name in quotes.")
        here = place.at(f"aspect {quoted(name)}")
        if name.strip() in names:
            raise here.error("expected each name once, found two that differ in spaces only.", "Join their examples.")
        names.add(name.strip())
        aspect, own = _polar_key(name.strip(), value, keys)
        if own == "examples" and not isinstance(value, dict) and (said := _SIGNED.fullmatch(aspect)):
            remarks.append(_said_of(said[1], POLARITY_SIGNS[said[2]], aspect))
        described = {own: value or []} if not isinstance(value, dict) else _described(value, here)
        for part in ("examples", *ANSWERS):
            texts = _examples(described.get(part) or [], here)
            by_aspect.setdefault(aspect, []).extend(texts)
            polarities.setdefault(aspect, []).extend([None if part == "examples" else part] * len(texts))
        if description := _description(described.get("description") or "", here):
            descriptions[aspect] = description
    polar = polarities if any(any(own) for own in polarities.values()) else None
    return Definitions(by_aspect, None, tuple(by_aspect), descriptions, polar, tuple(remarks))


def _polar_key(name: str, value: object, keys: Collection[str]) -> tuple[str, str]:
    """The aspect that a key stands for, and what its examples are: "food-" has negative ones of food.

    "Disney+", with a capital letter, is a name unless "Disney" or "Disney-" is there too; "C++" and "18+", whose sign
    follows another or a digit, always are.
    """
    if isinstance(value, dict) or not (found := _SIGNED.fullmatch(name)):
        return name, "examples"
    aspect, sign = found.groups()
    others = {aspect, *(aspect + other for other in POLARITY_SIGNS if other != sign)}
    if aspect != aspect.lower() and not others & set(keys):
        return name, "examples"
    return aspect, POLARITY_SIGNS[sign]


def _said_of(aspect: str, polarity: str, name: str) -> str:
    return (
        f"{quoted(name)} is read as the name of an aspect; for {polarity} examples of {quoted(aspect)} write\n"
        f"{json.dumps({aspect: {polarity: ['...']}}, ensure_ascii=False)}"
    )


def _described(value: Mapping[str, Any], here: Place) -> Mapping[str, Any]:
    if unknown := [str(name) for name in value if name not in _PARTS]:
        raise here.error(f'expected "examples", "description" or a polarity, found {quoted(unknown[0])}.')
    return value


def _examples(examples: object, here: Place) -> list[str]:
    if isinstance(examples, str):
        examples = [examples]
    if not isinstance(examples, list):
        raise here.error(f"expected a list of example sentences, found {shown(examples)}.", "Put it in a list.")
    for number, example in enumerate(examples, 1):
        if not isinstance(example, str) or not example.strip():
            found = "an empty string" if isinstance(example, str) else shown(example)
            raise here.error(f"expected a sentence as example {number}, found {found}.", "Write it in quotes.")
    return [_joined_pairs(example) for example in examples]


def _description(description: object, here: Place) -> str:
    if not isinstance(description, str):
        raise here.error(f'"description" must be a string, found {shown(description)}.')
    return _joined_pairs(description.strip())


def _joined_pairs(text: str) -> str:
    """YAML leaves a character that JSON escapes in two halves as two halves."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _start(path: Path) -> bytes:
    with opened_text(path) as file:
        return file.read(_PEEK).removeprefix(b"\xef\xbb\xbf")


def _json(path: Path) -> object:
    place = Place(path)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        if twice := [name for name in names if names.count(name) > 1]:
            raise place.error(f"expected each name once, found {quoted(twice[0])} twice.", "Join their examples.")
        return dict(pairs)

    return parse_json(read_whole(path, _KIND), place, "Correct the line.", object_pairs_hook=once)


def _yaml(path: Path) -> object:
    import yaml

    from fewaspect.core.yaml_reader import YamlReader, load_yaml

    place = Place(path)

    class Reader(YamlReader):
        """Refuses a name that occurs twice, of which plain YAML would forget the first."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen: set[str] = set()
            for key, _ in node.value:
                if str(key.value) in seen:
                    raise place.line(key.start_mark.line + 1).error(
                        f"expected each name once, found {quoted(str(key.value))} again.", "Join their examples."
                    )
                seen.add(str(key.value))
            return super().construct_mapping(node, deep)

    try:
        return load_yaml(read_whole(path, _KIND), Reader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise place.line(line).error(f"expected YAML, found a fault ({error.problem}).") from None
    except yaml.YAMLError as error:
        raise place.error(f"expected YAML, found something else ({error}).") from None
