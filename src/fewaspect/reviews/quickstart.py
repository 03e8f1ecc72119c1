"""The product in one go on embedded defaults: examples and reviews as files, tags in the terminal and on a page."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewaspect.core.files import atomic_write
from fewaspect.data.labelled import SentenceSet

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from fewaspect.detector.explain import Analysis

SHOTS = 5
COLOURS = ("bright_cyan", "bright_yellow", "bright_green", "bright_magenta", "bright_red", "bright_blue")
NUMBERS = {
    "macro_f1": "macro-F1", "micro_f1": "micro-F1", "mean_average_precision": "mean average precision",
    "expected_calibration_error": "calibration error",
}  # fmt: skip


def run_quickstart(out: Path) -> Path:
    """Tag reviews from examples with the shipped weights, offline; returns the page's path.

    Both are files in `out`: those that are there are taken as they are, those that are not are written.
    """
    from rich.console import Console

    from fewaspect import AspectDetector
    from fewaspect.data.sample_set import load_sample
    from fewaspect.detector.support import ExampleWarning
    from fewaspect.reviews.definitions import read_definitions
    from fewaspect.reviews.formats import InputFormat
    from fewaspect.reviews.readers.source import Source, read_reviews
    from fewaspect.reviews.sampling import ReviewSample

    console, sentences = Console(), load_sample()["test"]
    examples, reviews = out / "examples.json", out / "reviews.jsonl"
    if kept := _write_missing(examples, reviews):
        names = " and ".join(str(path) for path in kept)
        console.print(
            f"{names} taken as found; delete what you want to have as it was at first.\n", soft_wrap=True, markup=False
        )
    given = read_definitions(examples)
    detector, sample = AspectDetector(), ReviewSample()  # of the reviews, as `detect` takes it
    texts = [review.text for review in sample.passing(read_reviews(Source(str(reviews), InputFormat.JSONL)))]

    console.rule("[bold]1  Name aspects and give a few examples")
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExampleWarning)
        detector.fit(given.examples, given.labels, **given.options)
        detector.adapt(sample.texts())
    ready, shots = time.perf_counter() - started, detector.shots_
    console.print(f"{len(shots)} aspects, {sum(shots.values())} examples, ready in {ready:.1f} s.")
    console.print(*detector.remarks_, "", sep="\n", markup=False)

    console.rule("[bold]2  Tag reviews")
    console.print(tagged_table(detector.analyze_many(texts)))
    page = out / "tagged.html"
    _write_page(detector, reviews, page)
    console.print(f"The same as a page: [bold]{page.resolve()}[/bold]. Your own aspects and reviews:", soft_wrap=True)
    console.print(f"  fewaspect detect {reviews} --examples {examples} --output tagged.html\n", soft_wrap=True)

    console.rule("[bold]3  Measure")
    texts, labels, tested, truth = split(sentences)
    result = AspectDetector().fit(texts, labels).evaluate(tested, truth)
    console.print(f"{SHOTS} examples for each of {len(sentences.classes)} aspects, tested on {len(tested)} sentences:")
    console.print(", ".join(f"{label} [bold]{result[name]:.2f}[/bold]" for name, label in NUMBERS.items()))
    return page


def split(sentences: SentenceSet) -> tuple[list[str], list[list[str]], list[str], list[list[str]]]:
    """The first sentences that give every aspect its examples, with their aspects, and all others."""
    missing = dict.fromkeys(sentences.classes, SHOTS)
    sides: tuple[list[Any], list[Any]] = ([], [])
    for sentence in sentences:
        taken = any(missing[aspect] > 0 for aspect in sentence.aspects)
        sides[not taken].append(sentence)
        for aspect in sentence.aspects if taken else ():
            missing[aspect] -= 1
    given, tested = sides
    return (
        [s.text for s in given], [list(s.aspects) for s in given],
        [s.text for s in tested], [list(s.aspects) for s in tested],
    )  # fmt: skip


def tagged_table(analyses: Sequence[Analysis]) -> Table:
    """A row for each text: the deciding words coloured, its aspects with their probabilities, or why there is none."""
    from rich.table import Table
    from rich.text import Text

    names = list(analyses[0].probabilities) if analyses else []
    style = {name: f"bold {COLOURS[i % len(COLOURS)]}" for i, name in enumerate(names)}
    table = Table("review", "aspects", show_lines=True, header_style="bold")
    for analysis in analyses:
        found = [Text(f"{name} {analysis.probabilities[name]:.2f}", style[name]) for name in analysis.aspects]
        table.add_row(_marked(analysis, style), Text("\n").join(found) if found else Text(analysis.reason, "dim"))
    return table


def _marked(analysis: Analysis, style: dict[str, str]) -> Text:
    from rich.text import Text

    from fewaspect.reviews.pages.highlights import marks, segments

    words = Text()
    for segment in segments(analysis.text, marks(analysis.words, analysis.sentences)):
        words.append(segment.text, style[segment.aspect] if segment.aspect else "")
    return words


def _write_page(detector: Any, reviews: Path, page: Path) -> None:
    from fewaspect.reviews.formats import InputFormat, OutputFormat
    from fewaspect.reviews.pipeline import Stream, Summary, detect_stream
    from fewaspect.reviews.readers.source import Source
    from fewaspect.reviews.writers import Layout, Target

    classes = tuple(detector.classes_)
    layout = Layout(classes, explain=True, per_sentence=False, prefix="")
    target = Target(str(page), OutputFormat.HTML, "fewaspect quickstart")
    detect_stream(detector, Stream(Source(str(reviews), InputFormat.JSONL)), target, layout, Summary(classes))


def _write_missing(examples: Path, reviews: Path) -> list[Path]:
    """The showcase as files where there are none yet; returns those that were there."""
    from fewaspect.data.sample_set import load_showcase

    showcase = load_showcase()
    lines = [json.dumps({"text": review.text}, ensure_ascii=False) for review in showcase.reviews]
    contents = {examples: json.dumps(showcase.examples, indent=2, ensure_ascii=False), reviews: "\n".join(lines)}
    kept = [path for path in contents if path.exists()]
    for path in contents.keys() - kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            file.write(contents[path] + "\n")
    return kept
