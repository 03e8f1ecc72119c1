"""What a project of the studio is, in plain Python, to compare the store and the API with.

Aspects are known by name, examples by text, sentences and imports by their place in the list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from fewaspect.text.splitting import sentence_spans

KEPT = 200  # changes that can be undone


class RefusedError(Exception):
    """What must be refused, and change nothing."""


@dataclass(frozen=True)
class Aspect:
    name: str
    threshold: float | None = None


@dataclass(frozen=True)
class Example:
    text: str
    aspects: frozenset[str]
    made_of: tuple[int, int, int] | None = None  # a sentence: import, review, position


@dataclass(frozen=True)
class Import:
    number: int
    reviews: tuple[str, ...]
    replaced: frozenset[tuple[int, int]] = frozenset()  # (import, place) of reviews that it stands for
    removed: bool = False


@dataclass(frozen=True)
class State:
    """At one moment."""

    aspects: tuple[Aspect, ...] = ()
    examples: tuple[Example, ...] = ()
    threshold: float | None = None
    skipped: frozenset[str] = frozenset()
    rejected: frozenset[tuple[str, str]] = frozenset()  # identity of a sentence, and an aspect that it is not about
    imports: tuple[Import, ...] = ()

    @property
    def listed(self) -> list[Import]:
        return [own for own in self.imports if not own.removed]

    @property
    def reviews(self) -> list[tuple[tuple[int, int], str]]:
        """Those that are shown, by import and place."""
        hidden = {key for own in self.listed for key in own.replaced}
        return [
            ((own.number, place), text)
            for own in self.listed
            for place, text in enumerate(own.reviews)
            if (own.number, place) not in hidden
        ]

    @property
    def sentences(self) -> list[tuple[tuple[int, int, int], str]]:
        """Those that are shown, by import, review and position."""
        return [
            ((*key, position), text[start:end])
            for key, text in self.reviews
            for position, (start, end) in enumerate(sentence_spans(text))
        ]

    @property
    def shown_rejections(self) -> list[list[str]]:
        """Of each sentence, unless it is an example."""
        confirmed = {identity(own.text) for own in self.examples}
        return [
            sorted(name for key, name in self.rejected if key == identity(text) and key not in confirmed)
            for _, text in self.sentences
        ]

    @property
    def shown(self) -> dict[str, object]:
        """What store and API tell of it."""
        return {
            "aspects": [(own.name, own.threshold) for own in self.aspects],
            "examples": [(own.text, sorted(own.aspects)) for own in self.examples],
            "threshold": self.threshold,
            "sentences": [text for _, text in self.sentences],
            "rejected": self.shown_rejections,
            "imports": [sum(key[0] == own.number for key, _ in self.reviews) for own in self.listed],
        }


def identity(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass
class ProjectModel:
    """`past` ends with the present state, `future` with what redo brings back."""

    past: list[State] = field(default_factory=lambda: [State()])
    future: list[State] = field(default_factory=list)
    imported: int = 0

    @property
    def now(self) -> State:
        return self.past[-1]

    def add_aspect(self, name: str, texts: Sequence[str]) -> None:
        self._refuse_taken(name)
        state = replace(self.now, aspects=(*self.now.aspects, Aspect(name)))
        for text in dict.fromkeys(texts):
            own = next((e.aspects for e in state.examples if identity(e.text) == identity(text)), frozenset())
            state = _with_example(state, text, own | {name}, None)
        self._change(state)

    def rename_aspect(self, name: str, new: str) -> None:
        if new != name:
            self._refuse_taken(new, name)
        renamed = [replace(e, aspects=frozenset(new if a == name else a for a in e.aspects)) for e in self.now.examples]
        rejected = frozenset((key, new if a == name else a) for key, a in self.now.rejected)
        state = self._with_aspect(name, lambda own: replace(own, name=new))
        self._change(replace(state, examples=tuple(renamed), rejected=rejected))

    def set_aspect_threshold(self, name: str, threshold: float | None) -> None:
        self._change(self._with_aspect(name, lambda own: replace(own, threshold=threshold)))

    def set_threshold(self, threshold: float | None) -> None:
        self._change(replace(self.now, threshold=threshold))

    def remove_aspect(self, name: str) -> None:
        """Examples of it alone go with it."""
        left = [
            replace(e, aspects=e.aspects - {name}) if name in e.aspects else e
            for e in self.now.examples
            if e.aspects != {name}
        ]
        aspects = tuple(own for own in self.now.aspects if own.name != name)
        rejected = frozenset(own for own in self.now.rejected if own[1] != name)
        self._change(replace(self.now, aspects=aspects, examples=tuple(left), rejected=rejected))

    def put_example(self, text: str, aspects: Sequence[str]) -> None:
        self._change(_with_example(self.now, text, frozenset(aspects), None))

    def correct(self, sentence: int, aspects: Sequence[str]) -> None:
        key, text = self.now.sentences[sentence]
        self._change(_with_example(self.now, text, frozenset(aspects), key))

    def release(self, sentence: int) -> None:
        own = identity(self.now.sentences[sentence][1])
        left = tuple(e for e in self.now.examples if identity(e.text) != own)
        self._change(replace(self.now, examples=left))

    def reject(self, sentence: int, aspect: str) -> None:
        """An example of it is one of its other aspects; of no other, it is none any more."""
        own = identity(self.now.sentences[sentence][1])
        left = []
        for one in self.now.examples:
            rest = one.aspects - {aspect} if identity(one.text) == own else one.aspects
            if rest or not one.aspects:
                left.append(replace(one, aspects=rest))
        self._change(replace(self.now, examples=tuple(left), rejected=self.now.rejected | {(own, aspect)}))

    def restore(self, sentence: int, aspect: str) -> None:
        own = identity(self.now.sentences[sentence][1])
        self._change(replace(self.now, rejected=self.now.rejected - {(own, aspect)}))

    def skip(self, sentence: int) -> None:
        own = identity(self.now.sentences[sentence][1])
        self._change(replace(self.now, skipped=self.now.skipped | {own}))

    def offer(self, sentence: int) -> None:
        own = identity(self.now.sentences[sentence][1])
        self._change(replace(self.now, skipped=self.now.skipped - {own}))

    def import_reviews(self, texts: Sequence[str], duplicates: str) -> None:
        there: dict[str, list[tuple[int, int]]] = {}
        for key, text in self.now.reviews:
            there.setdefault(" ".join(text.split()), []).append(key)
        known = [" ".join(text.split()) for text in texts]
        if duplicates != "add":
            first = dict(zip(reversed(known), reversed(texts), strict=True))
            texts = [first[own] for own in dict.fromkeys(known) if duplicates == "replace" or own not in there]
        if texts:
            self.imported += 1
            old = {key for own in known for key in there.get(own, ())} if duplicates == "replace" else set()
            new = Import(self.imported, tuple(texts), frozenset(old))
            self._change(replace(self.now, imports=(*self.now.imports, new)))

    def remove_import(self, place: int, labels: bool) -> None:
        self._remove([self.now.listed[place].number], labels)

    def remove_reviews(self, labels: bool) -> None:
        self._remove([own.number for own in self.now.listed], labels)

    def put_own_detector(self) -> None:
        """Its own saved detector: the same, but thresholds are those of the aspects, and examples of no sentence."""
        aspects = tuple(
            replace(own, threshold=self.now.threshold if own.threshold is None else own.threshold)
            for own in self.now.aspects
        )
        examples = tuple(replace(own, made_of=None) for own in self.now.examples)
        new = replace(self.now, aspects=aspects, examples=examples, threshold=None, rejected=frozenset())
        self._change(new, always=True)

    def undo(self) -> None:
        if len(self.past) < 2:
            raise RefusedError("nothing to undo")
        self.future.append(self.past.pop())

    def redo(self) -> None:
        if not self.future:
            raise RefusedError("nothing to redo")
        self.past.append(self.future.pop())

    def _change(self, state: State, always: bool = False) -> None:
        if always or state != self.now:
            self.past.append(state)
            self.future.clear()
            del self.past[: -KEPT - 1]

    def _remove(self, numbers: Sequence[int], labels: bool) -> None:
        imports = tuple(replace(own, removed=own.removed or own.number in numbers) for own in self.now.imports)
        gone = {own for own in self.now.examples if labels and own.made_of and own.made_of[0] in numbers}
        examples = tuple(own for own in self.now.examples if own not in gone)
        self._change(replace(self.now, imports=imports, examples=examples))

    def _with_aspect(self, name: str, change: Callable[[Aspect], Aspect]) -> State:
        return replace(self.now, aspects=tuple(change(own) if own.name == name else own for own in self.now.aspects))

    def _refuse_taken(self, name: str, own: str | None = None) -> None:
        if any(identity(a.name) == identity(name) for a in self.now.aspects if a.name != own):
            raise RefusedError(f"{name} is taken")


def _with_example(state: State, text: str, aspects: frozenset[str], made_of: tuple[int, int, int] | None) -> State:
    """The first spelling stays, and the sentence that it was made of, unless another is named. What it is an example
    of, it is not rejected for any more."""
    state = replace(state, rejected=state.rejected - {(identity(text), own) for own in aspects})
    examples = list(state.examples)
    for place, own in enumerate(examples):
        if identity(own.text) == identity(text):
            examples[place] = replace(own, aspects=aspects, made_of=own.made_of if made_of is None else made_of)
            return replace(state, examples=tuple(examples))
    return replace(state, examples=(*examples, Example(text, aspects, made_of)))
