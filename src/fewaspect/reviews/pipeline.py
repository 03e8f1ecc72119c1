"""Reviews in, rows out, counted as they go by, a chunk at a time: memory is bounded by the chunk, not by the file."""

from __future__ import annotations

import ctypes
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain, combinations
from typing import TYPE_CHECKING, Protocol

from fewaspect.data.formats.records import printable
from fewaspect.inference.languages import unread_remark
from fewaspect.reviews.formats import OutputFormat
from fewaspect.reviews.readers.source import Columns, Review, Source, read_reviews, survey
from fewaspect.reviews.sampling import sample_reviews

if TYPE_CHECKING:
    from rich.table import Table

    from fewaspect.detector.explain import Analysis
    from fewaspect.detector.model import InferenceModel
    from fewaspect.reviews.writers import Layout, Target

CHUNK = 1000  # reviews
_CHARACTERS = 1 << 20  # a chunk ends here too: some reviews are books


class Detector(Protocol):
    """What is needed of an AspectDetector."""

    def analyze_many(
        self, texts: Sequence[str], words: bool = True, nearest: bool | None = None, sentiment: bool = False
    ) -> list[Analysis]: ...


class Stream:
    """Chunks of reviews, and what is known of them before: all of a file, the first chunk of a pipe."""

    def __init__(self, source: Source, column: str | None = None, size: int = CHUNK) -> None:
        columns = survey(source, column)
        self.chunks = chunked(read_reviews(source, column), size)
        self._read_known = partial(read_reviews, source, column)
        if columns is None:
            first = next(self.chunks, [])
            self.chunks = chain([first], self.chunks)
            self._read_known = partial(iter, first)
            columns = Columns.of(first)
        if not columns.total:
            raise source.place.error("expected reviews, found none.")
        if not source.rereadable:
            columns.total = None
        self.columns, self.place = columns, source.place

    def sample(self) -> list[str]:
        """Texts of what is known, for a detector to adapt to before the first one is scored; a file is read for it."""
        return sample_reviews(self._read_known())


@dataclass
class Summary:
    """Counts of reviews: with each aspect, with each two aspects, without any; sentences and seconds."""

    classes: tuple[str, ...]
    reviews: int = 0
    sentences: int = 0
    without: int = 0
    mentions: int = 0
    accepted: int | None = None  # of the mentions, where a precision was promised
    counts: Counter[str] = field(default_factory=Counter)
    sentence_counts: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)  # reviews by language, as codes
    model: InferenceModel | None = None  # which reads them
    other_model: str = "--model {}"  # how another one is chosen
    started: float = field(default_factory=time.perf_counter)

    def add(self, analyses: Sequence[Analysis]) -> None:
        for analysis in analyses:
            self.reviews += 1
            self.sentences += len(analysis.sentences)
            self.without += not analysis.aspects
            self.languages[analysis.language] += 1
            self.mentions += len(analysis.aspects)
            if analysis.accepted is not None:
                self.accepted = (self.accepted or 0) + len(analysis.accepted)
            self.counts.update(analysis.aspects)
            self.pairs.update(combinations(sorted(analysis.aspects), 2))
            for sentence in analysis.sentences:
                self.sentence_counts.update(sentence.aspects)

    @property
    def rate(self) -> float:
        """Sentences per second so far."""
        return self.sentences / max(time.perf_counter() - self.started, 1e-9)

    @property
    def unread(self) -> str | None:
        """How many reviews are in languages that the model does not read; None if it reads all."""
        return unread_remark(self.model, self.languages, "reviews", self.other_model) if self.model else None

    def together(self, one: str, other: str) -> int:
        """Reviews with both; those with one where the two are the same."""
        return self.counts[one] if one == other else self.pairs[min(one, other), max(one, other)]

    def share(self, count: int) -> float:
        return count / self.reviews if self.reviews else 0.0

    def by_frequency(self) -> list[str]:
        """The most frequent aspect first; ties in the order of the classes."""
        return sorted(self.classes, key=lambda name: -self.counts[name])


def chunked(reviews: Iterable[Review], size: int = CHUNK, characters: int = _CHARACTERS) -> Iterator[list[Review]]:
    """Lists of at most `size` reviews, which end early once they hold that many characters."""
    chunk: list[Review] = []
    held = 0
    for review in reviews:
        chunk.append(review)
        held += len(review.text)
        if len(chunk) >= size or held >= characters:
            yield chunk
            chunk, held = [], 0
    if chunk:
        yield chunk


def analyze_chunk(detector: Detector, chunk: Sequence[Review], words: bool, sentiment: bool = False) -> list[Analysis]:
    """An analysis for each review; a text that occurs again is scored once."""
    texts = list(dict.fromkeys(review.text for review in chunk))
    asked = {"words": words, **({"sentiment": True} if sentiment else {})}
    found = dict(zip(texts, detector.analyze_many(texts, **asked), strict=True))
    trim_memory()
    return [found[review.text] for review in chunk]


def detect_stream(
    detector: Detector,
    stream: Stream,
    target: Target,
    layout: Layout,
    summary: Summary,
    progress: Callable[[int], None] = lambda done: None,
) -> None:
    """Write a row for every review (or sentence) to the target, and count."""
    from fewaspect.reviews.writers import open_writer, rows_of

    words = layout.explain or target.format is OutputFormat.HTML
    if target.format not in (OutputFormat.JSONL, OutputFormat.HTML):  # whose rows are checked one by one; no columns
        stream.place.refuse_clash(stream.columns.kinds, layout.flat_names)
    with open_writer(target, layout, stream.columns) as writer:
        for chunk in stream.chunks:
            analyses = analyze_chunk(detector, chunk, words, layout.sentiment)
            first = summary.reviews + 1
            rows = [
                row
                for number, (review, analysis) in enumerate(zip(chunk, analyses, strict=True), first)
                for row in rows_of(review, analysis, number, layout.per_sentence)
            ]
            writer.write(rows)
            summary.add(analyses)
            progress(len(chunk))
        writer.finish(summary)


def summary_table(summary: Summary) -> Table:
    """For the terminal: how often each aspect, how many reviews without any, how fast."""
    from rich.table import Table
    from rich.text import Text

    rate = f"{counted(summary.sentences, 'sentence')}, {summary.rate:,.0f} per second"
    table = Table(title=counted(summary.reviews, "review"), caption=rate, title_justify="left", caption_justify="left")
    table.add_column("aspect", overflow="fold")
    table.add_column("reviews", justify="right")
    table.add_column("share", justify="right")
    table.add_column("", no_wrap=True)
    for name in summary.by_frequency():
        count = summary.counts[name]
        share = summary.share(count)
        table.add_row(Text(printable(name)), f"{count:,}", f"{share:.1%}", "█" * round(20 * share))
    table.add_section()
    table.add_row("none of these", f"{summary.without:,}", f"{summary.share(summary.without):.1%}", "", style="dim")
    if (accepted := summary.accepted) is not None:
        looked_at = summary.mentions - accepted
        table.caption = f"{accepted:,} answers accepted, {looked_at:,} need a look; {table.caption}"
    return table


def counted(number: int, noun: str) -> str:
    """1 review, 2 reviews."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def trim_memory() -> None:
    """Freed memory back to the system: glibc keeps it in ever more pieces (hundreds of megabytes after an hour).

    Elsewhere nothing happens, and nothing is needed.
    """
    if trim := _malloc_trim():
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL("libc.so.6").malloc_trim
    except (OSError, AttributeError):
        return None
