"""Reviews in, rows out, a chunk at a time: memory is bounded by the chunk, whatever the length of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from fewaspect.reviews.columns import Columns, survey
from fewaspect.reviews.formats import InputFormat, OutputFormat
from fewaspect.reviews.memory import give_back
from fewaspect.reviews.reader import Review, read_reviews
from fewaspect.reviews.source import Source

if TYPE_CHECKING:
    from fewaspect.detector.explain import Analysis
    from fewaspect.reviews.rows import Layout
    from fewaspect.reviews.summary import Summary
    from fewaspect.reviews.writers import Target

CHUNK = 1000  # reviews
_CHARACTERS = 1 << 20  # a chunk ends here too: some reviews are books


class Detector(Protocol):
    """What is needed of an AspectDetector."""

    def analyze_many(self, texts: Sequence[str], words: bool = True) -> list[Analysis]: ...


class Stream:
    """Chunks of reviews, and what is known of them before: all of a file, the first chunk of a pipe."""

    def __init__(
        self,
        source: Source,
        format: InputFormat,
        column: str | None = None,
        encoding: str = "utf-8",
        size: int = CHUNK,
    ) -> None:
        known = survey(source, format, column, encoding)
        self.chunks = chunked(read_reviews(source, format, column, encoding), size)
        if known is None:
            first = next(self.chunks, [])
            self.chunks = chain([first], self.chunks)
            known = Columns.met_in(first)
        if not known.total:
            raise source.place.error("expected reviews, found none.")
        if not source.rereadable:
            known.total = None
        self.columns, self.place = known, source.place


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


def analyzed(detector: Detector, chunk: Sequence[Review], words: bool) -> list[Analysis]:
    """An analysis for each review; a text that occurs again is scored once."""
    texts = list(dict.fromkeys(review.text for review in chunk))
    found = dict(zip(texts, detector.analyze_many(texts, words=words), strict=True))
    give_back()
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
    from fewaspect.reviews.rows import rows_of
    from fewaspect.reviews.writers import open_writer

    words = layout.explain or target.format is OutputFormat.HTML
    if target.format not in (OutputFormat.JSONL, OutputFormat.HTML):  # whose lines are asked one by one; no columns
        layout.refuse_clash(stream.columns.kinds, layout.flat_names, stream.place)
    with open_writer(target, layout, stream.columns) as writer:
        for chunk in stream.chunks:
            analyses = analyzed(detector, chunk, words)
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
