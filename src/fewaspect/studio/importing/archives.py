"""Zip archives of projects and detectors. Names in them never become paths, and reading stops at the limit."""

from __future__ import annotations

import json
import lzma
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fewaspect.core.errors import DataError, FewAspectError
from fewaspect.data.polarity import ANSWERS
from fewaspect.detector.model import SAVED
from fewaspect.studio.importing.archive_size import WORST, count_values
from fewaspect.studio.limits import LIMITS, Limits
from fewaspect.studio.problems import TooLargeError, TooManyError
from fewaspect.studio.store.answers import Answer
from fewaspect.studio.store.definition import COLOURS, Aspect, Definition

if TYPE_CHECKING:
    from fewaspect.detector.detector import AspectDetector
    from fewaspect.detector.persistence import SavedDetector

PROJECT, REVIEWS = "project.json", "reviews.jsonl"
FORMAT, VERSION = "fewaspect-project", 1
MAX_FILES = 100
LINE_BYTES = 16 << 20  # of a review with all its columns
DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, OSError, ValueError,
    struct.error,
)  # fmt: skip
Short = Annotated[str, Field(min_length=1, max_length=200)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class ArchivedAspect(_Strict):
    name: Annotated[str, Field(min_length=1, max_length=100)]
    description: Annotated[str, Field(max_length=2000)] = ""
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    group: Annotated[str, Field(max_length=100)] = ""
    colour: Annotated[int, Field(ge=0, lt=COLOURS)] | None = None


class ArchivedExample(_Strict):
    text: Annotated[str, Field(min_length=1)]
    aspects: list[str]


class ArchivedAnswer(_Strict):
    """What was said of a sentence when the project was audited, of the aspects there were then."""

    text: Annotated[str, Field(min_length=1)]
    aspects: list[str]
    asked: list[str]


class ArchivedPolarity(_Strict):
    """What a person said that a sentence thinks of an aspect."""

    text: Annotated[str, Field(min_length=1)]
    aspect: str
    polarity: Annotated[str, Field(pattern=f"^({'|'.join(ANSWERS)})$")]


class ArchivedRejection(_Strict):
    """An aspect that a person said a sentence is not about."""

    text: Annotated[str, Field(min_length=1)]
    aspect: str


class ArchivedProject(_Strict):
    """The content of project.json."""

    format: Annotated[str, Field(pattern=f"^{FORMAT}$")]
    version: Annotated[int, Field(ge=1, le=VERSION)]
    name: Short
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    target_precision: Annotated[float, Field(gt=0, lt=1)] | None = None
    model: Literal["multilingual"] | None = None
    aspects: Annotated[list[ArchivedAspect], Field(max_length=LIMITS.aspects)]
    examples: Annotated[list[ArchivedExample], Field(max_length=LIMITS.examples)]
    answers: list[ArchivedAnswer] = []
    kept: list[ArchivedAnswer] = []  # labels of examples that others contradict
    skipped: list[Annotated[str, Field(min_length=1)]] = []
    sentiment: bool = True
    polarities: list[ArchivedPolarity] = []
    rejections: list[ArchivedRejection] = []


class ArchivedReview(_Strict):
    """A line of reviews.jsonl."""

    text: str
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None
    fields: dict[str, Any] = {}  # pydantic copies the default


def write_project(
    path: Path, name: str, definition: Definition, reviews: Iterator[Any], answers: Sequence[Answer] = (),
    kept: Sequence[Answer] = (),
) -> None:  # fmt: skip
    """A project without its history. What earlier versions do not know, they refuse: it is left out where it is empty,
    so that they read all other projects."""
    names = {aspect.id: aspect.name for aspect in definition.aspects}
    project: dict[str, Any] = {
        "format": FORMAT, "version": VERSION, "name": name, "threshold": definition.threshold,
        "aspects": _aspects(definition.aspects),
        "examples": [{"text": e.text, "aspects": [names[a] for a in e.aspects]} for e in definition.examples],
    }  # fmt: skip
    newer = {
        "target_precision": definition.target_precision, "model": definition.model, "answers": _answers(answers, names),
        "kept": _answers(kept, names), "skipped": list(definition.skipped),
        "polarities": [{"text": p.text, "aspect": names[p.aspect], "polarity": p.polarity}
                       for p in definition.polarities],
        "rejections": [{"text": r.text, "aspect": names[r.aspect]} for r in definition.rejections],
    }  # fmt: skip
    project |= {key: value for key, value in newer.items() if value}
    if not definition.sentiment:
        project["sentiment"] = False
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(PROJECT, json.dumps(project, ensure_ascii=False, indent=1))
        with archive.open(REVIEWS, "w", force_zip64=True) as file:
            for review in reviews:
                line = {"text": review.text, "date": review.date, "fields": review.fields}
                file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def _aspects(aspects: Sequence[Aspect]) -> list[dict[str, Any]]:
    """With their colours, unless they are those that an import gives."""
    given = [n % COLOURS for n in range(len(aspects))]
    coloured = [a.colour for a in aspects] != given
    return [
        {"name": a.name, "description": a.description, "threshold": a.threshold}
        | ({"group": a.group} if a.group else {}) | ({"colour": a.colour} if coloured else {})
        for a in aspects
    ]  # fmt: skip


def _answers(answers: Sequence[Answer], names: Mapping[int, str]) -> list[dict[str, Any]]:
    return [{"text": a.text, "aspects": _named(a.aspects, names), "asked": _named(a.asked, names)} for a in answers]


def _named(ids: Iterable[int], names: Mapping[int, str]) -> list[str]:
    """Of aspects that there still are."""
    return [names[number] for number in sorted(ids) if number in names]


def read_project(
    file: BinaryIO, max_bytes: int, limits: Limits = LIMITS
) -> tuple[ArchivedProject, list[ArchivedReview]]:
    """An archive of `write_project`, validated line by line; it is not read further than a project may be large."""
    with _archive(file, max_bytes) as archive:
        content = _member(archive, PROJECT, min(max_bytes, WORST * limits.definition_chars))
        if count_values(content) > limits.json_values:  # small values take the most memory
            raise TooManyError(f"{PROJECT}: expected at most {limits.json_values:,} values, found more.")
        project = _parsed(ArchivedProject, content, PROJECT)
        reviews: list[ArchivedReview] = []
        left = limits.project_chars
        with _opened(archive, REVIEWS) as lines:
            for number, line in enumerate(iter(partial(lines.readline, LINE_BYTES), b""), 1):
                if line.strip():
                    review = _parsed(ArchivedReview, line, f"{REVIEWS}, line {number}")
                    left -= len(review.text) + len(json.dumps(review.fields))
                    reviews.append(review)
                if len(reviews) > limits.sentences:
                    raise TooManyError(f"expected at most {limits.sentences:,} reviews, found more.")
                if left < 0:
                    raise TooManyError(f"expected at most {limits.project_chars:,} characters of reviews, found more.")
    return project, reviews


def write_detector(path: Path, detector: AspectDetector) -> None:
    """The saved detector, a folder for `AspectDetector.load`, as a zip file."""
    with tempfile.TemporaryDirectory(prefix="fewaspect-", dir=path.parent) as folder:
        saved = detector.save(Path(folder) / "detector")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for part in sorted(saved.rglob("*")):
                archive.write(part, part.relative_to(saved).as_posix())


def read_detector(file: BinaryIO, max_bytes: int) -> SavedDetector:
    """The definition of a saved detector; its weights are not read, the studio has its own."""
    from fewaspect.detector.persistence import read_description

    with _archive(file, max_bytes) as archive:
        found = [name for name in archive.namelist() if name.rpartition("/")[2] == SAVED and name.count("/") <= 1]
        if len(found) != 1:
            raise DataError(f"expected a zip file of a saved detector with one {SAVED}, found {len(found)} of them.")
        content = _member(archive, found[0], max_bytes)
    with tempfile.TemporaryDirectory(prefix="fewaspect-") as folder:
        path = Path(folder) / SAVED
        path.write_bytes(content)
        try:
            return read_description(path)
        except FewAspectError as error:
            raise DataError(str(error).replace(f"{folder}/", "")) from error


@contextmanager
def _archive(file: BinaryIO, max_bytes: int) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
            if len(parts) > MAX_FILES:
                raise TooLargeError(f"expected a zip file with at most {MAX_FILES} files, found {len(parts)}.")
            for part in parts:
                if part.filename.startswith(("/", "\\")) or ".." in part.filename.replace("\\", "/").split("/"):
                    raise DataError("expected a zip file with plain names, found one that leads out of its folder.")
            if sum(part.file_size for part in parts) > max_bytes:
                raise _too_large(max_bytes)
            yield archive
    except DAMAGED as error:
        raise DataError(f"expected a zip file, found one that cannot be read ({error}).") from error


def _member(archive: zipfile.ZipFile, name: str, max_bytes: int) -> bytes:
    """Its content, limited whatever length the archive states."""
    with _opened(archive, name) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise _too_large(max_bytes)
    return content


def _opened(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    try:
        return archive.open(name)
    except KeyError:
        raise DataError(f"expected {name} in the zip file, found none.") from None


def _parsed(kind: Any, content: bytes, where: str) -> Any:
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "it"
        raise DataError(f"{where}: {place}: {first['msg'][:1].lower()}{first['msg'][1:]}.") from None


def _too_large(max_bytes: int) -> TooLargeError:
    return TooLargeError(f"expected at most {max_bytes >> 20} MB unpacked, found more.")
