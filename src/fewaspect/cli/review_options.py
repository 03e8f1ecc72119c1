"""Options that the commands about reviews share, and the detector that they name."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewaspect.core.errors import ConfigError
from fewaspect.reviews.formats import STANDARD, InputFormat

if TYPE_CHECKING:
    from rich.console import Console

    from fewaspect.detector.detector import AspectDetector
    from fewaspect.reviews.pipeline import Summary
    from fewaspect.reviews.readers.source import Source

Reviews = Annotated[
    str,
    typer.Argument(
        metavar="REVIEWS", help='.txt (a review per line), .csv, .tsv, .xlsx, .jsonl, .parquet; "-": a pipe.'
    ),
]
Examples = Annotated[
    Path | None,
    typer.Option(
        "--examples",
        metavar="EXAMPLES",
        help="Aspects by example: JSON or YAML with a list of sentences per aspect, or a file of labelled sentences.",
    ),
]
Model = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="FOLDER",
        help="What `fewaspect fit` saved; with --examples, an exported model, or multilingual for other languages.",
    ),
]
Threshold = Annotated[
    list[str] | None,
    typer.Option("--threshold", metavar="P|ASPECT=P", help="Probability that an aspect must reach; ASPECT=P for one."),
]
Column = Annotated[
    str | None,
    typer.Option("--column", help="Column or field of the reviews, if not text, review, sentence, content or body."),
]
From = Annotated[InputFormat | None, typer.Option("--from", help="Format of the reviews, if not by extension.")]
Encoding = Annotated[
    str | None, typer.Option("--encoding", metavar="NAME", help="Encoding of a text file, if not as detected.")
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="comma|semicolon|tab|pipe",
        callback=lambda given: _delimiter(given),
        help="What separates the cells of a table, if not as detected.",
    ),
]
Sheet = Annotated[
    str | None, typer.Option("--sheet", metavar="NAME", help="Sheet of an Excel workbook, if not the first with rows.")
]
Adapt = Annotated[
    bool | None,
    typer.Option(
        "--adapt/--no-adapt",
        show_default=False,
        help="Learn from the reviews before they are scored; by default, if the model can and has not done so before.",
    ),
]
Precision = Annotated[
    float | None,
    typer.Option(
        "--precision",
        metavar="P",
        help="Share of the accepted answers that must be right, for a model tuned so; else tunes on the examples.",
    ),
]
Sentiment = Annotated[
    bool,
    typer.Option("--sentiment", help="Add whether it is negative, neutral, positive or mixed about each aspect."),
]

REFIT = "fewaspect fit EXAMPLES --model {} -o FOLDER"


def _unicode_only(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ConfigError(f"--prefix: expected text in UTF-8, found {text!a}.") from None
    return text


Prefix = Annotated[
    str, typer.Option(callback=_unicode_only, help="Put before the names of the columns that are added.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no summary.")]


def as_standard(output: str) -> str:
    """Standard output by its other name, which would otherwise replace the file that it is appended to."""
    return STANDARD if output == "/dev/stdout" else output


def _delimiter(given: str | None) -> str | None:
    from fewaspect.reviews.readers.text_format import parse_delimiter

    return parse_delimiter(given)


def review_source(
    reviews: str, format: InputFormat, encoding: str | None, delimiter: str | None, sheet: str | None,
    *, quiet: bool = False,
) -> Source:  # fmt: skip
    """Where the reviews are; standard error has how they are read, where that was a choice."""
    from fewaspect.reviews.readers.source import Source, reading_in_words

    refuse_idle_options(reviews, format, encoding, delimiter, sheet)
    source = Source(reviews, format, encoding, delimiter, sheet)
    if not quiet and (words := reading_in_words(source)):
        typer.echo(f"{source.place}: {words}", err=True)
    return source


def say_how_read(table: Path) -> None:
    """On standard error, where that was a choice: of a file of examples or labelled sentences."""
    from fewaspect.reviews.definitions import table_source
    from fewaspect.reviews.readers.source import reading_in_words

    if (source := table_source(table)) and (words := reading_in_words(source)):
        typer.echo(f"{source.place}: {words}", err=True)


def refuse_idle_options(
    reviews: str, format: InputFormat, encoding: str | None, delimiter: str | None, sheet: str | None
) -> None:
    """An option that says nothing about this format was meant for another file, or the format was named wrongly."""
    tables = (InputFormat.CSV, InputFormat.TSV)
    for option, given, formats in (
        ("--sheet", sheet, (InputFormat.XLSX,)),
        ("--delimiter", delimiter, tables),
        ("--encoding", encoding, (*tables, InputFormat.TXT, InputFormat.JSONL)),
    ):
        if given is not None and format not in formats:
            raise ConfigError(
                f"{option}: expected for {', '.join(one.value for one in formats)}, found with {reviews}, "
                f"which is read as {format.value}.\nLeave it out, or name the format with --from."
            )


def make_detector(
    examples: Path | None, model: Path | None, threshold: list[str] | None = None, *, sentiment: bool = False
) -> AspectDetector:
    """A fitted detector from examples, or one that was saved; thresholds given here win."""
    from fewaspect.detector.detector import AspectDetector
    from fewaspect.inference.encoder import NAMED

    if examples is not None:
        detector = fit_detector(examples, model, polarities=sentiment)
    elif model is not None and str(model) in NAMED:
        raise ConfigError(f"--model {model}: expected --examples EXAMPLES beside a model by its name, found none.")
    elif model is not None:
        with warnings.catch_warnings(record=True) as remarks:
            detector = AspectDetector.load(model)
        for remark in remarks:
            typer.secho(str(remark.message), fg="yellow", err=True)
    else:
        raise ConfigError(
            "Which aspects? Expected --examples EXAMPLES or --model FOLDER, found neither.\n"
            'EXAMPLES may be a JSON file like {"food": ["the soup was cold"], "parking": ["no valet"]}.'
        )
    if threshold:
        detector.threshold = parse_thresholds(threshold, list(detector.classes_))
    return detector


def fit_detector(examples: Path, model: Path | None, *, polarities: bool = True) -> AspectDetector:
    """A detector of the aspects in a file; remarks on the examples, if wanted also on their polarities, go to standard
    error."""
    from fewaspect.detector.detector import AspectDetector
    from fewaspect.detector.support import ExampleWarning
    from fewaspect.inference.languages import languages_in, unread_remark
    from fewaspect.reviews.definitions import read_definitions

    say_how_read(examples)
    given = read_definitions(examples)
    detector = AspectDetector(model=model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExampleWarning)
        detector.fit(given.examples, given.labels, **given.options)
    unread = unread_remark(detector.model_, languages_in(detector.examples_.texts), "examples")
    of_polarities = given.remarks if polarities else ()
    for remark in (*of_polarities, *detector.examples_.remarks, *([unread] if unread else ())):
        typer.secho(f"{examples}: {remark}", fg="yellow", err=True)
    return detector


def adapt_detector(
    detector: AspectDetector, sample: Callable[[], Sequence[str]], adapt: bool | None, console: Console
) -> None:
    """Learn from a sample of the reviews, if `adapt` says so; if it says nothing, unless the detector has learned from
    others, has a promise to keep or its model has no use for them, and then no sample is taken."""
    own, promise = detector.pile_size_, detector.promise_
    if adapt and promise is not None:
        console.print("what was promised of accepted answers does not hold after --adapt", style="yellow")
    if adapt or (adapt is None and not own and promise is None and detector.model_.scorer.learns_from_pile):
        with console.status("learning from the reviews"):
            detector.adapt(sample())
    say_learned(console, detector.pile_size_, own, adapt)


def detector_and_sentences(
    source: Source, column: str | None, limit: int, examples: Path | None, model: Path | None, adapt: bool | None
) -> tuple[AspectDetector, list[str]]:
    """A detector, adapted if `adapt` says so, and the different sentences of the reviews, at most `limit`."""
    from rich.console import Console

    from fewaspect.reviews.readers.source import read_reviews
    from fewaspect.reviews.sampling import ReviewSample, sample_sentences

    sample = ReviewSample()
    texts = sample_sentences((review.text for review in sample.passing(read_reviews(source, column))), limit)
    if not texts:
        raise source.place.error("expected reviews, found none with a word in it.")
    detector = make_detector(examples, model)
    adapt_detector(detector, sample.texts, adapt, Console(stderr=True))
    say_unread_sentences(detector, texts, other_model(examples))
    return detector, texts


def hold_precision(detector: AspectDetector, precision: float | None, examples: Path | None) -> None:
    """Refuse a detector that does not promise this precision; one of examples is tuned on them first."""
    if precision is None:
        return
    from fewaspect.detector.labelling.target_precision import Goal, lacking

    Goal.checked(precision, 0.9)
    expected, found = "a detector that was tuned to it", "none in force"
    if examples is not None:
        more = detector.tune(precision=precision).overall.more
        expected, found = "examples that suffice for it", f"too few or too unsure ones: {lacking(more)}"
    if (promise := detector.promise_) is not None and promise.precision < precision:
        found = f"one tuned to {promise.precision:g}"
    elif promise is not None and promise.accepts:
        return
    elif promise is not None and examples is None:
        found = "one with too few labels to accept anything"
    raise ConfigError(
        f"--precision {precision:g}: expected {expected}, found {found}.\n"
        f"Label sentences that are no examples, then: fewaspect tune MODEL LABELLED --precision {precision:g}."
    )


def say_unread(summary: Summary) -> None:
    """A warning, also with --quiet: reviews that are not read have no aspects."""
    if remark := summary.unread:
        typer.secho(remark, fg="yellow", err=True)


def say_unread_sentences(detector: AspectDetector, texts: Sequence[str], remedy: str) -> None:
    """The same of sentences."""
    from fewaspect.inference.languages import languages_in, unread_remark

    if remark := unread_remark(detector.model_, languages_in(texts), "sentences", remedy):
        typer.secho(remark, fg="yellow", err=True)


def other_model(examples: Path | None) -> str:
    """How a command takes another model, whose name is put for {}: beside examples alone."""
    return "--model {}" if examples is not None else REFIT


def say_learned(console: Console, size: int, own: int, adapt: bool | None) -> None:
    """How many sentences were learned from; `own`: how many of others the detector had learned from before."""
    if size:
        where = " of the reviews" if not own else "" if adapt else ", saved with the detector"
        console.print(f"learned from {size:,} sentences{where}", highlight=False)
    elif adapt:
        console.print("too few sentences to learn from", highlight=False)


def parse_thresholds(values: list[str], classes: list[str]) -> float | dict[str, float]:
    """One number for all, or aspect=number for some; a number beside those is for the rest."""
    common: float | None = None
    named: dict[str, float] = {}
    for value in values:
        name, equals, number = value.rpartition("=")
        if equals and name not in classes:
            raise ConfigError(
                f"--threshold {value}: expected the name of an aspect, found {name}.\nAspects: {', '.join(classes)}."
            )
        try:
            level = float(number)
        except ValueError:
            raise ConfigError(f"--threshold {value}: expected a number from 0 to 1, found {number}.") from None
        if not 0 <= level <= 1:
            raise ConfigError(f"--threshold {value}: expected a number from 0 to 1, found {number}.")
        if equals:
            named[name] = level
        else:
            common = level
    if not named:
        assert common is not None
        return common
    return named if common is None else {name: named.get(name, common) for name in classes}


def refuse_own_input(output: str, reviews: str, examples: Path | None, skip: Path | None = None) -> None:
    """Results never take the place of the reviews, the examples or what was labelled before."""
    for name, given in (("reviews", reviews), ("examples", examples), ("skipped sentences", skip)):
        if given is not None and is_same_file(str(given), Path(output)):
            raise ConfigError(f"{output}: --output names the file of the {name}.\nName another file.")


def refuse_labels(output: Path) -> None:
    """JSON lines that a person corrects go into a new file: one that is there may have been corrected."""
    if output.suffix.lower() not in (".jsonl", ".ndjson"):
        raise ConfigError(f"{output}: expected a name that ends in .jsonl, found {output.suffix or 'no extension'}.")
    if output.exists():
        raise ConfigError(f"{output}: expected a new file, found one, which may hold labels.\nName another.")


def is_same_file(name: str, path: Path) -> bool:
    """Whether both are one file, and there is one."""
    return name != STANDARD and Path(name).is_file() and path.exists() and path.samefile(name)
