"""What a user has said of the aspects: example sentences, which aspects each stands for, names and descriptions."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fewaspect.core.errors import DataError
from fewaspect.core.forking import cached_property
from fewaspect.data.labels import (
    check_lengths,
    check_lists,
    check_name,
    check_texts,
    describe_aspect,
    has_column_names,
    is_matrix,
    materialise,
    matrix_names,
    shortened,
    to_indicator_matrix,
    unknown_aspect_error,
)
from fewaspect.data.polarity import check_polarity
from fewaspect.text.identity import example_identity

_CONTRADICTED = "that other examples contradict (label_issues)"
Labelled = list[tuple[str, Sequence[str]]]  # texts with the names of their aspects


class ExampleWarning(UserWarning):
    """Examples that were given twice, contradict each other or cannot be used; the detector works all the same."""


@dataclass(frozen=True)
class Examples:
    """Each sentence once with the aspects it stands for; with none of them, it is an example of "none of these"."""

    names: tuple[str, ...]
    sentences: Mapping[str, frozenset[str]]  # by text, in order of appearance
    descriptions: Mapping[str, str]
    unnamed: frozenset[str] = frozenset()  # names that are mere numbers of columns and say nothing
    remarks: tuple[str, ...] = ()
    polarities: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # that were given, by text and aspect

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(self.sentences)

    @cached_property
    def membership(self) -> np.ndarray:
        """(S, N) booleans."""
        rows = [[name in own for name in self.names] for own in self.sentences.values()]
        return np.array(rows, dtype=bool).reshape(len(self.sentences), len(self.names))

    def label_text(self, name: str) -> str:
        """What the encoder reads for an aspect: its name, and its description if it has one; nothing if neither is."""
        read = "" if name in self.unnamed else describe_aspect(name) or name
        return ": ".join(part for part in (read, self.descriptions.get(name)) if part)

    def shots(self, name: str) -> int:
        return sum(name in own for own in self.sentences.values())

    def same_aspects(self, other: Examples) -> bool:
        """Whether they differ in polarities and remarks at most, which leave the fitted aspects as they are."""
        first, second = (replace(one, remarks=(), polarities={}) for one in (self, other))
        return first == second

    def with_aspect(self, name: str, texts: Sequence[str], description: str | None) -> Examples:
        """One more aspect, behind the others."""
        if check_name(name, "name") in self.names:
            raise DataError(f'the aspect "{name}" is there already. Give it more examples with add_examples.')
        described = {**self.descriptions, **_descriptions({name: description} if description else {}, (name,))}
        new = replace(self, names=(*self.names, name), descriptions=described)
        return new.with_sentences([(text, (name,)) for text in check_texts(texts, "examples")], joining=True)

    def without_aspect(self, name: str) -> Examples:
        """One aspect less; sentences that stood for it alone go with it, they do not become examples of none."""
        if name not in self.names:
            raise unknown_aspect_error(name, self.names)
        if len(self.names) == 1:
            raise DataError(f'"{name}" is the only aspect, and a detector needs one. Add another before.')
        left = {text: own - {name} for text, own in self.sentences.items() if own != {name}}
        names = tuple(other for other in self.names if other != name)
        described = {other: text for other, text in self.descriptions.items() if other != name}
        polar = {text: {a: p for a, p in own.items() if a != name} for text, own in self.polarities.items()}
        return replace(
            self, names=names, sentences=left, descriptions=described, unnamed=self.unnamed - {name}, remarks=(),
            polarities={text: own for text, own in polar.items() if own},
        )  # fmt: skip

    def with_labelled(self, texts: Any, labels: Any) -> Examples:
        """More sentences for aspects that are known."""
        checked = check_texts(texts)
        matrix, unknown = to_indicator_matrix(labels, self.names, len(checked))
        for name in unknown:
            raise unknown_aspect_error(name, self.names)
        rows = [tuple(name for name, has in zip(self.names, row, strict=True) if has) for row in matrix]
        return self.with_sentences(list(zip(checked, rows, strict=True)), joining=False)

    def with_sentences(self, labelled: Sequence[tuple[str, Sequence[str]]], *, joining: bool) -> Examples:
        """More sentences. One that is there already gets the new aspects too; that is a contradiction unless `joining`.

        A sentence listed under two aspects stands for both. But where each sentence comes with all of its aspects, two
        different lists for the same sentence cannot both be right, and an aspect and "none" never can.
        """
        sentences = dict(self.sentences)
        known = {example_identity(text): text for text in sentences}
        filled = [(text, frozenset(names)) for text, names in labelled if text.strip()]
        twice, contrary = [], []
        for given, own in filled:
            text = known.setdefault(example_identity(given), given)
            before = sentences.get(text)
            sentences[text] = own | (before or frozenset())
            if before is None:
                continue
            if own != before and (not joining or not own or not before):
                contrary.append(text)
            elif own <= before:
                twice.append(text)
        remarks = (*_remark(len(twice), twice, "given more than once, counted once"),
                   *_remark(len(contrary), contrary, "given with different aspects, taken to stand for all of them"),
                   *_remark(len(labelled) - len(filled), [], "empty, left out"))  # fmt: skip
        _warn(remarks)
        return replace(self, sentences=sentences, remarks=remarks)

    def with_polarities(self, texts: Sequence[str], given: Sequence[Mapping[str, str]]) -> Examples:
        """What the texts say about their aspects, in place of what was said before. Where two of the polarities given
        here differ, neither counts."""
        known, said = {example_identity(text): text for text in self.sentences}, dict[tuple[str, str], set[str]]()
        for row, (text, own) in enumerate(zip(texts, given, strict=True)):
            text = known.get(example_identity(text), text)
            for name, polarity in own.items():
                if name not in self.sentences.get(text, ()):
                    raise DataError(f'polarities: expected aspects of {shortened(text)}, found "{name}".')
                said.setdefault((text, name), set()).add(check_polarity(polarity, f"polarities[{row}]"))
        merged = {text: dict(own) for text, own in self.polarities.items()}
        for (text, name), words in said.items():
            merged.setdefault(text, {}).pop(name, None)
            if len(words) == 1:
                merged[text][name] = words.copy().pop()
        contrary = [text for (text, _), words in said.items() if len(words) > 1]
        remarks = _remark(len(contrary), contrary, "given with different polarities, of which none counts")
        _warn(remarks)
        polar = {text: own for text, own in merged.items() if own}
        return replace(self, polarities=polar, remarks=(*self.remarks, *remarks))

    def without_unreadable(self, texts: Sequence[str]) -> Examples:
        """Without sentences in which the encoder finds no word; they are named like others that cannot be used."""
        remarks = _remark(len(texts), texts, "without a word to read, left out")
        _warn(remarks)
        left = {text: own for text, own in self.sentences.items() if text not in texts}
        return replace(self, sentences=left, remarks=(*self.remarks, *remarks)) if texts else self

    def with_issues(self, texts: Sequence[str]) -> Examples:
        """With a remark on examples that others contradict, in place of an earlier one."""
        others = tuple(remark for remark in self.remarks if _CONTRADICTED not in remark)
        return replace(self, remarks=(*others, *_remark(len(texts), texts, _CONTRADICTED)))


def read_examples(
    X: Any, y: Any = None, *, names: Sequence[str] | None = None, descriptions: Mapping[str, str] | None = None,
    none: Iterable[str] = (), polarities: Any = None,
) -> tuple[Examples, bool]:  # fmt: skip
    """Examples from a dict of lists, or from texts with lists of names or a 0/1 matrix; true if it was a matrix."""
    given = None if names is None else check_texts(names, "names")
    by_aspect, labels = isinstance(X, Mapping), None if y is None else materialise(y)
    matrix = labels is not None and is_matrix(labels)
    order, labelled = _from_dict(X, labels, given) if by_aspect else _from_texts(check_texts(X), labels, given)
    order = _checked_names(order)
    unnamed = frozenset(order if matrix and given is None and not has_column_names(labels) else ())
    start = Examples(tuple(order), {}, _descriptions(descriptions or {}, order), unnamed)
    negatives: Labelled = [(text, ()) for text in check_texts(none, "none")]
    read = start.with_sentences([*labelled, *negatives], joining=by_aspect)
    if polarities is None:
        return read, matrix
    polar = _parallel_polarities(X, polarities) if by_aspect else check_polarities(polarities, len(labelled))
    return read.with_polarities([text for text, _ in labelled], polar), matrix


def check_polarities(polarities: Any, texts: int) -> list[Mapping[str, str]]:
    """A dict from aspects to polarities for each text, or nothing."""
    rows = list(polarities) if isinstance(polarities, Iterable) and not isinstance(polarities, str | Mapping) else None
    if rows is None or len(rows) != texts or any(not isinstance(row, Mapping | None) for row in rows):
        found = f"{len(rows)} of them" if rows is not None else type(polarities).__name__
        raise DataError(
            f'polarities: expected a dict such as {{"food": "negative"}} for each of {texts} texts, found {found}.'
        )
    return [row or {} for row in rows]


def _parallel_polarities(X: Mapping[str, Any], polarities: Any) -> list[Mapping[str, str]]:
    """Of each example of each aspect, in the order of `X`, from a list beside its list of examples."""
    if not isinstance(polarities, Mapping):
        raise DataError(f"polarities: expected a dict of lists as of the examples, found {type(polarities).__name__}.")
    _refuse_unknown(polarities, list(X))
    found: list[Mapping[str, str]] = []
    for name, texts in X.items():
        count, own = len(check_texts(texts)), polarities.get(name)
        own = [None] * count if own is None else [own] * count if isinstance(own, str) else list(own)
        if len(own) != count:
            raise DataError(f'polarities of "{name}": expected one for each of {count} examples, found {len(own)}.')
        found += [{} if polarity is None else {name: polarity} for polarity in own]
    return found


def _from_dict(X: Mapping[str, Any], labels: Any, names: Sequence[str] | None) -> tuple[Sequence[str], Labelled]:
    """The order of the aspects, and each example with the aspect it is listed under."""
    if labels is not None:
        raise DataError("labels: expected none beside a dict of examples, found some.")
    found = [check_name(name, "aspects") for name in X]
    order = found if names is None else names
    _refuse_unknown(found, order)
    per_aspect = {name: check_texts(texts, f'examples of "{name}"') for name, texts in X.items()}
    return order, [(text, (name,)) for name, texts in per_aspect.items() for text in texts]


def _from_texts(texts: list[str], labels: Any, names: Sequence[str] | None) -> tuple[Sequence[str], Labelled]:
    if labels is None:
        raise DataError("labels: expected the aspects of each text, found none. Or give a dict of examples.")
    return (_from_matrix if is_matrix(labels) else _from_lists)(texts, labels, names)


def _from_matrix(texts: list[str], y: Any, names: Sequence[str] | None) -> tuple[Sequence[str], Labelled]:
    order = matrix_names(y, names)
    rows, _ = to_indicator_matrix(y, order, len(texts))
    lists = [tuple(name for name, has in zip(order, row, strict=True) if has) for row in rows]
    return order, list(zip(texts, lists, strict=True))


def _from_lists(texts: list[str], y: Any, names: Sequence[str] | None) -> tuple[Sequence[str], Labelled]:
    lists = check_lists(y)
    found = sorted({name for row in lists for name in row})
    order = found if names is None else names
    _refuse_unknown(found, order)
    check_lengths(len(texts), len(lists))
    return order, list(zip(texts, lists, strict=True))


def _refuse_unknown(found: Iterable[str], names: Sequence[str]) -> None:
    for name in found:
        if name not in names:
            raise unknown_aspect_error(name, names)


def _checked_names(names: Sequence[str]) -> list[str]:
    checked = [check_name(name, "names") for name in names]
    if len(set(checked)) < len(checked):
        raise DataError(f"names: expected different names, found {', '.join(checked)}.")
    if not checked:
        raise DataError("expected at least one aspect, found none.")
    return checked


def _descriptions(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    if not isinstance(given, Mapping):
        raise DataError(f"descriptions: expected a dict of texts by aspect, found {type(given).__name__}.")
    for name, text in given.items():
        if name not in names:
            raise unknown_aspect_error(name, names)
        if not isinstance(text, str):
            raise DataError(f'description of "{name}": expected a text, found {type(text).__name__}.')
    return {name: check_texts([text])[0] for name, text in given.items() if text.strip()}


def _warn(remarks: Iterable[str]) -> None:
    for remark in remarks:
        warnings.warn(remark, ExampleWarning, stacklevel=6)


def _remark(count: int, texts: Sequence[str], what: str) -> tuple[str, ...]:
    if not count:
        return ()
    named = ": " + ", ".join(map(shortened, texts[:3])) + (", …" if count > 3 else "") if texts else ""
    return (f"{count} {'example' if count == 1 else 'examples'} {what}{named}.",)
