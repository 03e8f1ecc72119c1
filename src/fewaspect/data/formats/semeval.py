"""SemEval aspect-based sentiment XML: aspect categories of 2014, opinions of 2015 and 2016.

A sentence without any category is one without aspects, also where the corpus marks it as out of scope.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import escape, quoteattr

from fewaspect.data.formats.record_fields import Fields, make_sentence
from fewaspect.data.formats.records import LINE_LIMIT, Place, opened_text, quoted, too_long
from fewaspect.data.labelled import LabelledSentence
from fewaspect.data.polarity import MIXED

_PIECE = 1 << 16
_CATEGORY_ELEMENTS = ("aspectCategory", "Opinion")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read(path: Path, fields: Fields, encoding: str) -> Iterator[LabelledSentence]:
    """Sentences as the parser meets them; the file names its own encoding, entity definitions are refused."""
    from defusedxml import DefusedXmlException
    from defusedxml.sax import make_parser

    parser = make_parser()
    handler = _Sentences(Place(path), parser, bool(fields.polarities))
    parser.setContentHandler(handler)
    with opened_text(path) as file:
        try:
            while piece := file.read(_PIECE):
                handler.pending += len(piece)
                parser.feed(piece)
                if handler.pending > LINE_LIMIT:
                    raise too_long(Place(path).line(parser.getLineNumber()), "an element")
                yield from handler.take()
            parser.close()
        except SAXParseException as error:
            place = Place(path).line(error.getLineNumber() or 1)
            raise place.error(
                f"expected well-formed XML, found a fault at column {(error.getColumnNumber() or 0) + 1} "
                f"({error.getMessage()}).",
                "Correct the line, or name the file's true format with --from.",
            ) from None
        except DefusedXmlException as error:
            place = Place(path).line(parser.getLineNumber())
            raise place.error(
                f"expected plain XML, found a forbidden definition ({type(error).__name__}).",
                "Remove the document type and its entities.",
            ) from None
        yield from handler.take()


def write(sentences: Iterable[LabelledSentence], file: IO[Any], place: Place) -> None:
    """The form of 2014, whose categories belong to the sentence as ours do."""
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n<sentences>\n')
    for number, sentence in enumerate(sentences, 1):
        for value in (sentence.text, *sentence.aspects):
            if found := _NOT_XML.search(value):
                raise place.at(f"sentence {number}").error(
                    f"XML cannot hold the character {found[0]!a}, found in {quoted(value)}.",
                    "Remove it, or write jsonl or parquet.",
                )
        file.write(f'  <sentence id="{number}">\n    <text>{_escaped(sentence.text)}</text>\n')
        if sentence.aspects:
            file.write("    <aspectCategories>\n")
            for name in sentence.aspects:
                file.write(f"      <aspectCategory category={quoteattr(name)}/>\n")
            file.write("    </aspectCategories>\n")
        file.write("  </sentence>\n")
    file.write("</sentences>\n")


def _escaped(text: str) -> str:
    return escape(text, {"\r": "&#13;"})  # a bare carriage return would be read as a line feed


class _Sentences(ContentHandler):
    """Collects finished sentences; `pending` counts the bytes fed since the last element."""

    def __init__(self, place: Place, parser: Any, polar: bool) -> None:
        super().__init__()
        self.place = place
        self.parser = parser  # knows the line
        self.polar = polar  # whether polarities are read too
        self.pending = 0
        self.finished: list[LabelledSentence] = []
        self.start: Place | None = None  # where the sentence that is open begins
        self.text: list[str] | None = None
        self.in_text = False
        self.categories: dict[str, list[str]] = {}  # with the polarities of each

    def take(self) -> list[LabelledSentence]:
        taken, self.finished = self.finished, []
        return taken

    def startElement(self, name: str, attributes: Any) -> None:  # noqa: N802
        self.pending = 0
        here = self.place.line(self.parser.getLineNumber())
        if name == "sentence":
            self.start, self.text, self.categories = here, None, {}
        elif name == "text" and self.start:
            self.text, self.in_text = [], True
        elif name in _CATEGORY_ELEMENTS:
            self._add_category(here, name, attributes)

    def characters(self, content: str) -> None:
        if self.in_text and self.text is not None:
            self.text.append(content)

    def endElement(self, name: str) -> None:  # noqa: N802
        self.pending = 0
        if name == "text":
            self.in_text = False
        elif name == "sentence" and self.start:
            if self.text is None:
                raise self.start.error("expected a <text> in the sentence, found none.", "Add it.")
            told = {name: _one_of(own) for name, own in self.categories.items()} if self.polar else None
            fields, names = Fields("text", "category"), list(self.categories)
            self.finished.append(make_sentence(self.start, fields, "".join(self.text), names, told))
            self.start = None

    def _add_category(self, here: Place, name: str, attributes: Any) -> None:
        if not self.start:
            raise here.error(
                f"expected <{name}> inside a <sentence>, found it outside.",
                "Use the sentence-level files; opinions about whole reviews label no sentence.",
            )
        if not (category := attributes.get("category", "")).strip():
            raise here.error(f'expected "category" on <{name}>, found none or an empty one.', "Name the aspect there.")
        self.categories.setdefault(category.strip(), []).append(attributes.get("polarity", "").strip())


def _one_of(polarities: list[str]) -> str:
    """Of several opinions about one category; "conflict" is the corpus's word for mixed."""
    said = {MIXED if word == "conflict" else word for word in polarities if word}
    if {"negative", "positive"} <= said:
        return MIXED
    return min(said - {"neutral"}, default=min(said, default=""))
