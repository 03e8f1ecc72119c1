"""Reviews from an uploaded file into a project: all of them or, if anything is wrong, none."""

from __future__ import annotations

import json
import time
from typing import Any

from fewaspect.detector.labels import check_texts
from fewaspect.detector.reading import split
from fewaspect.detector.reviews.detecting import Stream
from fewaspect.detector.reviews.reading import Review
from fewaspect.detector.reviews.writing import as_json
from fewaspect.errors import FewAspectError
from fewaspect.serving.budget import Budget
from fewaspect.serving.dates import read_dates
from fewaspect.serving.errors import TooManyError
from fewaspect.serving.jobs import Job
from fewaspect.serving.previewing import columns_of, guess_text
from fewaspect.serving.store.reviews import NewReview, add_reviews
from fewaspect.serving.studio import Studio
from fewaspect.serving.uploads import Upload

POLL = 0.05  # seconds


def import_reviews(
    studio: Studio, project: int, upload: Upload, text_column: str | None, date_column: str | None, job: Job
) -> None:
    """Reads, splits, stores in one transaction, then waits until all sentences are detected."""
    try:
        reviews = _read(studio, upload, text_column, date_column, job)
        with studio.database.write() as connection:
            add_reviews(connection, project, reviews, studio.limits)
    except FewAspectError as error:
        raise upload.told(error) from error
    finally:
        upload.remove()
    _wait_for_detection(studio, project, job)


def _read(studio: Studio, upload: Upload, text: str | None, date: str | None, job: Job) -> list[NewReview]:
    limits, scorer = studio.limits, studio.engine.scorer
    budget = Budget(limits.import_seconds, studio.jobs.stopping)
    source = upload.source(budget)
    column = text or guess_text(source, columns_of(source, upload.format))
    stream = Stream(source, upload.format, None if upload.format.value == "txt" else column)
    job.total = stream.columns.total or 0
    if job.total > limits.import_rows:
        raise TooManyError(f"{upload.name}: expected at most {limits.import_rows:,} rows, found {job.total:,}.")
    if date is not None and date not in stream.columns.kinds:
        raise source.place.error(f'expected a column "{date}" of dates, found none of that name.')
    found: list[NewReview] = []
    dates: list[Any] = []
    for chunk in budget.each(stream.chunks):
        kept = [review for review in chunk if review.text.strip() and len(review.text) <= limits.text_chars]
        texts = check_texts([review.text.replace("\0", "\ufffd") for review in kept])
        spans, *_ = split(scorer, texts)
        dates += [review.fields.get(date) if date else None for review in kept]
        found += [
            NewReview(own, None, _fields(review), places)
            for own, review, places in zip(texts, kept, spans, strict=True)
        ]
        job.done += len(chunk)
        job.skipped += len(chunk) - len(kept)
    if not found:
        raise source.place.error(f"expected texts of 1 to {limits.text_chars:,} characters, found none.")
    known = read_dates(dates) if date else [None] * len(found)
    budget.check()
    return [NewReview(r.text, day, r.fields, r.spans) for r, day in zip(found, known, strict=True)]


def _fields(review: Review) -> dict[str, Any]:
    """The other columns, as JSON has them."""
    others = {name: value for name, value in review.fields.items() if name != review.column}
    return json.loads(as_json(others))


def _wait_for_detection(studio: Studio, project: int, job: Job) -> None:
    state = studio.engine.state(project)
    job.stage, job.done, job.total = "detecting", 0, len(state.rows.ids)
    while state.unfinished and not studio.jobs.stopping.is_set():
        time.sleep(POLL)
        state = studio.engine.state(project)
        job.done = job.total - len(state.stale())
    job.done = job.total
