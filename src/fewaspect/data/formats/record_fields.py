"""From the raw fields of a record to a checked LabelledSentence."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from fewaspect.core.errors import DataError
from fewaspect.data.formats.records import Place, quoted, shown
from fewaspect.data.labelled import LabelledSentence
from fewaspect.data.polarity import check_polarity

POLARITY_FIELDS = ("sentiment", "polarity")
SEPARATOR = ","  # between the aspect names of one string; spaces around a name do not count


class PolarityError(DataError):
    """A field that is named like one of polarities holds something else."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The names of the text and label fields, and what separates names where labels are one string."""

    text: str = "text"
    labels: str = "labels"
    separator: str | None = None
    polarities: tuple[str, ...] = ()  # names that the field of polarities may have; without any, none is read

    def polarity_field(self, found: Collection[str]) -> str | None:
        """Which of the fields holds polarities, capital letters or not."""
        if not self.polarities:
            return None
        by_word = {name.strip().casefold(): name for name in found} | {name: name for name in found}
        return next((by_word[name] for name in self.polarities if name in by_word), None)


def make_sentence(
    place: Place, fields: Fields, text: object, labels: object, polarities: object = None
) -> LabelledSentence:
    """Check the fields of a record. Labels are a list of names or, with a separator, one string."""
    if not isinstance(text, str):
        raise place.error(f"{quoted(fields.text)} must be a string, found {shown(text)}.", "Put the sentence there.")
    if not text.strip():
        raise place.error(
            f"{quoted(fields.text)} must hold a sentence, found {shown(text) if text else 'an empty string'}.",
            "Remove the record or fill in its text.",
        )
    _check_unicode(place, fields.text, text)
    names = _names(place, fields, labels)
    return LabelledSentence(text, names, _polarities(place, fields, names, polarities))


def checked(place: Place, sentences: Iterable[LabelledSentence]) -> Iterable[LabelledSentence]:
    """Sentences made by a program, held to the rules for those read from a file: what is written can be read."""
    for number, sentence in enumerate(sentences, 1):
        here = place.at(f"sentence {number}")
        yield make_sentence(here, Fields(), sentence.text, list(sentence.aspects))


def _names(place: Place, fields: Fields, labels: object) -> tuple[str, ...]:
    if isinstance(labels, str):
        labels = _split(place, fields, labels)
    if not isinstance(labels, list):
        raise place.error(
            f"{quoted(fields.labels)} must be a list of aspect names, found {shown(labels)}.",
            "Write an empty list for a sentence without any aspect.",
        )
    for position, name in enumerate(labels, 1):
        if not isinstance(name, str):
            raise place.error(
                f"{quoted(fields.labels)} must hold aspect names, found {shown(name)} at position {position}.",
                'Put every name in quotes, as in ["food", "service"].',
            )
        if not name.strip():
            raise place.error(
                f"{quoted(fields.labels)} must hold aspect names, found an empty one at position {position}.",
                "Remove it; a sentence without any aspect has empty labels.",
            )
        _check_unicode(place, fields.labels, name)
    return tuple(dict.fromkeys(name.strip() for name in labels))


def _polarities(place: Place, fields: Fields, names: tuple[str, ...], given: object) -> tuple[str | None, ...]:
    """Of each name: one for all, one for each in their order, or a mapping by name."""
    if isinstance(given, Mapping):
        if foreign := next((name for name in given if name not in names), None):
            raise _polarity_error(
                place,
                f"expected polarities of the aspects of the sentence, found one of {shown(foreign)}.",
                f"Add the aspect to {quoted(fields.labels)}.",
            )
        given = [given.get(name) for name in names]
    if isinstance(given, str):
        given = [part.strip() for part in given.split(fields.separator or SEPARATOR)]
    if given is None or (isinstance(given, list) and not any(given)):
        return ()
    if not isinstance(given, list) or len(given) not in (1, len(names)):
        raise _polarity_error(
            place,
            f"expected one polarity for all aspects of the sentence, or one for each of {len(names)}, "
            f"found {shown(given)}.",
            "Write negative, neutral, positive or mixed, in the order of the aspects.",
        )
    each = given if len(given) == len(names) else given * len(names)
    try:
        return tuple(None if part in (None, "") else check_polarity(part, str(place)) for part in each)
    except DataError as error:
        raise PolarityError(f"{error}\nRename the field if it is something else.") from None


def _polarity_error(place: Place, fault: str, remedy: str) -> PolarityError:
    return PolarityError(str(place.error(fault, remedy)))


def _split(place: Place, fields: Fields, labels: str) -> list[str]:
    if fields.separator is None:
        parts = ", ".join(quoted(part.strip()) for part in labels.split(",")[:4])
        raise place.error(
            f"{quoted(fields.labels)} must be a list of aspect names, found {shown(labels)}.",
            f'Split it into [{parts}], or pass --label-separator ", ".',
        )
    return labels.split(fields.separator) if labels.strip() else []


def _check_unicode(place: Place, field: str, text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise place.error(
            f"{quoted(field)} must be Unicode text, found half of a surrogate pair "
            f"({text[error.start]!a}) at character {error.start + 1}.",
            "Write the character itself or both halves of its escape.",
        ) from None
