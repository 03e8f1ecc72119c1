"""Zip archives of projects and detectors. Names in them never become paths, and reading stops at the limit."""

from __future__ import annotations

import json
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fewaspect.core.errors import DataError, FewAspectError
from fewaspect.detector.model import SAVED
from fewaspect.studio.problems import TooLargeError
from fewaspect.studio.store.answers import Answer
from fewaspect.studio.store.definition import Definition

if TYPE_CHECKING:
    from fewaspect.detector.detector import AspectDetector
    from fewaspect.detector.persistence import SavedDetector

PROJECT, REVIEWS = "project.json", "reviews.jsonl"
FORMAT, VERSION = "fewaspect-project", 1
MAX_FILES = 100
Short = Annotated[str, Field(min_length=1, max_length=200)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class ArchivedAspect(_Strict):
    name: Annotated[str, Field(min_length=1, max_length=100)]
    description: Annotated[str, Field(max_length=2000)] = ""
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None


class ArchivedExample(_Strict):
    text: Annotated[str, Field(min_length=1)]
    aspects: list[str]


class ArchivedAnswer(_Strict):
    """What was said of a sentence when the project was audited, of the aspects there were then."""

    text: Annotated[str, Field(min_length=1)]
    aspects: list[str]
    asked: list[str]


class ArchivedProject(_Strict):
    """The content of project.json."""

    format: Annotated[str, Field(pattern=f"^{FORMAT}$")]
    version: Annotated[int, Field(ge=1, le=VERSION)]
    name: Short
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    target_precision: Annotated[float, Field(gt=0, lt=1)] | None = None
    aspects: list[ArchivedAspect]
    examples: list[ArchivedExample]
    answers: list[ArchivedAnswer] = []
    kept: list[ArchivedAnswer] = []  # labels of examples that others contradict
    skipped: list[Annotated[str, Field(min_length=1)]] = []


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
        "aspects": [{"name": a.name, "description": a.description, "threshold": a.threshold}
                    for a in definition.aspects],
        "examples": [{"text": e.text, "aspects": [names[a] for a in e.aspects]} for e in definition.examples],
    }  # fmt: skip
    newer = {
        "target_precision": definition.target_precision, "answers": _answers(answers, names),
        "kept": _answers(kept, names), "skipped": list(definition.skipped),
    }  # fmt: skip
    project |= {key: value for key, value in newer.items() if value}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(PROJECT, json.dumps(project, ensure_ascii=False, indent=1))
        with archive.open(REVIEWS, "w", force_zip64=True) as file:
            for review in reviews:
                line = {"text": review.text, "date": review.date, "fields": review.fields}
                file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def _answers(answers: Sequence[Answer], names: Mapping[int, str]) -> list[dict[str, Any]]:
    return [{"text": a.text, "aspects": _named(a.aspects, names), "asked": _named(a.asked, names)} for a in answers]


def _named(ids: Iterable[int], names: Mapping[int, str]) -> list[str]:
    """Of aspects that there still are."""
    return [names[number] for number in sorted(ids) if number in names]


def read_project(file: BinaryIO, max_bytes: int) -> tuple[ArchivedProject, list[ArchivedReview]]:
    """An archive of `write_project`, validated line by line."""
    with _archive(file, max_bytes) as archive:
        project = _parsed(ArchivedProject, _member(archive, PROJECT, max_bytes), PROJECT)
        lines = _member(archive, REVIEWS, max_bytes).split(b"\n")
    return project, [
        _parsed(ArchivedReview, line, f"{REVIEWS}, line {n}") for n, line in enumerate(lines, 1) if line.strip()
    ]


def write_detector(path: Path, detector: AspectDetector) -> None:
    """The saved detector, a folder for `AspectDetector.load`, as a zip file."""
    with tempfile.TemporaryDirectory(prefix="fewaspect-") as folder:
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
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise DataError(f"expected a zip file, found one that cannot be read ({error}).") from error


def _member(archive: zipfile.ZipFile, name: str, max_bytes: int) -> bytes:
    """Its content, limited whatever length the archive states."""
    try:
        with archive.open(name) as file:
            content = file.read(max_bytes + 1)
    except KeyError:
        raise DataError(f"expected {name} in the zip file, found none.") from None
    if len(content) > max_bytes:
        raise _too_large(max_bytes)
    return content


def _parsed(kind: Any, content: bytes, where: str) -> Any:
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "it"
        raise DataError(f"{where}: {place}: {first['msg'][:1].lower()}{first['msg'][1:]}.") from None


def _too_large(max_bytes: int) -> TooLargeError:
    return TooLargeError(f"expected at most {max_bytes >> 20} MB unpacked, found more.")
