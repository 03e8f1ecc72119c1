"""Reviews in, rows out, a chunk at a time: memory is bounded by the chunk, whatever the length of the file."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from fewaspect.reviews.formats import OutputFormat
from fewaspect.reviews.readers.review_reader import Columns, Review, read_reviews, survey
from fewaspect.reviews.readers.source import Source

if TYPE_CHECKING:
    from fewaspect.detector.explain import Analysis
    from fewaspect.reviews.output_rows import Layout
    from fewaspect.reviews.summary import Summary
    from fewaspect.reviews.writers import Target

CHUNK = 1000  # reviews
_CHARACTERS = 1 << 20  # a chunk ends here too: some reviews are books


class Detector(Protocol):
    """What is needed of an AspectDetector."""

    def analyze_many(self, texts: Sequence[str], words: bool = True) -> list[Analysis]: ...


class Stream:
    """Chunks of reviews, and what is known of them before: all of a file, the first chunk of a pipe."""

    def __init__(self, source: Source, column: str | None = None, size: int = CHUNK) -> None:
        known = survey(source, column)
        self.chunks = chunked(read_reviews(source, column), size)
        if known is None:
            first = next(self.chunks, [])
            self.chunks = chain([first], self.chunks)
            known = Columns.of(first)
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


def analyze_chunk(detector: Detector, chunk: Sequence[Review], words: bool) -> list[Analysis]:
    """An analysis for each review; a text that occurs again is scored once."""
    texts = list(dict.fromkeys(review.text for review in chunk))
    found = dict(zip(texts, detector.analyze_many(texts, words=words), strict=True))
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
    from fewaspect.reviews.output_rows import rows_of
    from fewaspect.reviews.writers import open_writer

    words = layout.explain or target.format is OutputFormat.HTML
    if target.format not in (OutputFormat.JSONL, OutputFormat.HTML):  # whose rows are checked one by one; no columns
        stream.place.refuse_clash(stream.columns.kinds, layout.flat_names)
    with open_writer(target, layout, stream.columns) as writer:
        for chunk in stream.chunks:
            analyses = analyze_chunk(detector, chunk, words)
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
