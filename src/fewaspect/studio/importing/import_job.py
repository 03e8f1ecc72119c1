"""Reviews from an uploaded file into a project: all of them or, if anything is wrong, none."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import Any

from fewaspect.core.errors import FewAspectError
from fewaspect.data.labels import check_texts
from fewaspect.detector.model import InferenceModel
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.pipeline import Stream
from fewaspect.reviews.readers.source import Review
from fewaspect.reviews.writers import as_json
from fewaspect.studio.importing.archive_size import WORST
from fewaspect.studio.importing.budget import Budget
from fewaspect.studio.importing.dates import DateOrder, read_dates
from fewaspect.studio.importing.jobs import Job
from fewaspect.studio.importing.preview import columns_of, guess_text
from fewaspect.studio.importing.uploads import Upload
from fewaspect.studio.limits import Limits
from fewaspect.studio.problems import TooManyError
from fewaspect.studio.store.import_records import Duplicates, ImportedFile, add_import
from fewaspect.studio.store.reviews import NewReview
from fewaspect.studio.studio import Studio

POLL = 0.05  # seconds
NESTED = (list, tuple, dict)


@dataclass(frozen=True)
class ReviewColumnNames:
    """Of a file, as a person says them: what is None is guessed, or not there."""

    text: str | None = None
    date: str | None = None
    date_order: DateOrder | None = None


def import_reviews(
    studio: Studio, project: int, upload: Upload, columns: ReviewColumnNames, duplicates: Duplicates, job: Job
) -> None:
    """Reads, splits, stores in one transaction, then waits until all sentences are detected."""
    try:
        file = ImportedFile(upload.title, upload.digest)
        reviews = _read(studio, studio.engine.model_of(project), upload, columns, job)
        with studio.database.write() as connection:
            added = add_import(connection, project, reviews, file, duplicates, studio.limits)
        job.imported, job.duplicates = added
    except FewAspectError as error:
        raise upload.as_user_error(error) from error
    finally:
        upload.remove()
    _wait_for_detection(studio, project, job)


def _read(
    studio: Studio, model: InferenceModel, upload: Upload, columns: ReviewColumnNames, job: Job
) -> list[NewReview]:
    budget = Budget(studio.limits.import_seconds, studio.jobs.stopping)
    date = columns.date
    stream = _open_stream(studio, upload, columns.text, date, budget)
    job.total = stream.columns.total or 0
    found: list[NewReview] = []
    dates: list[Any] = []
    for chunk in budget.each(stream.chunks):
        kept = [r for r in chunk if r.text.strip() and len(r.text) <= studio.limits.text_chars]
        found += _new_reviews(model, kept, [_fields(review, studio.limits) for review in kept])
        dates += [review.fields.get(date) if date else None for review in kept]
        job.done += len(chunk)
        job.skipped += len(chunk) - len(kept)
    if not found:
        raise stream.place.error(f"expected texts of 1 to {studio.limits.text_chars:,} characters, found none.")
    known = read_dates(dates, columns.date_order) if date else dates
    budget.check()
    if date and columns.date_order:  # so that the column is not read in the other order later
        found = [
            replace(r, fields={**r.fields, date: day or r.fields[date]}) for r, day in zip(found, known, strict=True)
        ]
    return [replace(review, date=day) for review, day in zip(found, known, strict=True)]


def _open_stream(studio: Studio, upload: Upload, text: str | None, date: str | None, budget: Budget) -> Stream:
    """The reviews of a file that is read to its end, within the limits."""
    source = upload.source(budget)
    column = text or guess_text(source, columns_of(source, budget))
    stream = Stream(source, None if upload.format is InputFormat.TXT else column)
    rows, most = stream.columns.total or 0, studio.limits.import_rows
    if rows > most:
        raise TooManyError(f"{upload.name}: expected at most {most:,} rows, found {rows:,}.")
    if date is not None and date not in stream.columns.kinds:
        raise stream.place.error(f'expected a column "{date}" of dates, found none of that name.')
    return stream


def _new_reviews(model: InferenceModel, reviews: list[Review], fields: list[dict[str, Any]]) -> list[NewReview]:
    """Split into sentences; the dates come when all are known."""
    texts = check_texts([review.text.replace("\0", "\ufffd") for review in reviews])
    spans, *_ = model.split_sentences(texts)
    return [NewReview(text, None, own, places) for text, own, places in zip(texts, fields, spans, strict=True)]


def _fields(review: Review, limits: Limits) -> dict[str, Any]:
    """The other columns, as JSON has them, and no more than a project file may hold."""
    others = {name: value for name, value in review.fields.items() if name != review.column}
    if any(_is_deeper(value, limits.column_depth) for value in others.values()):
        raise review.place.error(f"expected lists in lists at most {limits.column_depth} deep, found deeper ones.")
    written = as_json(others)
    if WORST * len(written) > limits.review_chars < len(json.dumps(json.loads(written))):
        raise review.place.error(
            f"expected rows of at most {limits.review_chars:,} characters with all their columns, found a longer one."
        )
    return json.loads(written)


def _is_deeper(value: Any, most: int) -> bool:
    """Whether lists and objects lie in each other more than `most` deep."""
    inside = [value]
    for _ in range(most):
        inside = [one for own in inside if isinstance(own, NESTED)
                  for one in (own.values() if isinstance(own, dict) else own)]  # fmt: skip
    return any(isinstance(one, NESTED) for one in inside)


def _wait_for_detection(studio: Studio, project: int, job: Job) -> None:
    snapshot = studio.engine.snapshot(project)
    job.stage, job.done, job.total = "detecting", 0, len(snapshot.sentences.ids)
    while (snapshot.must_learn or len(snapshot.scores.stale())) and not studio.jobs.stopping.is_set():
        time.sleep(POLL)
        snapshot = studio.engine.snapshot(project)
        job.done = job.total - len(snapshot.scores.stale())
    job.done = job.total
