"""The plan of a job: its input in numbered partitions, the same for the same input, kept beside the results."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from typing import TYPE_CHECKING, Any

from fewaspect.bulk.partitioning import FilePartitions, partition_file
from fewaspect.bulk.storage import InputFile, arrow, list_names, read_file, write_file
from fewaspect.core.errors import WRONG_VALUE, ConfigError, DataError, ResultError
from fewaspect.data.formats.parquet import holds_strings
from fewaspect.data.formats.records import Place
from fewaspect.reviews.formats import InputFormat, extension_of
from fewaspect.reviews.parquet_rows import arrow_schema
from fewaspect.reviews.readers.columns import Kind, text_column
from fewaspect.reviews.readers.text_format import DELIMITERS, TextFormat

if TYPE_CHECKING:
    import pyarrow as pa

PLAN, VERSION = "_plan.json", 1
_LATER = ("sentiment", "delimiter", "sheet")  # settings that version 0.1 did not have


@dataclass(frozen=True)
class BulkSettings:
    """What decides how a job's results look; another limit on bad rows or number of actors is still the same job."""

    format: InputFormat
    column: str | None = None
    encoding: str | None = None  # None: detected in each file
    prefix: str = ""
    rows: int = 20_000  # of a partition, at most
    limit: int | None = None
    adapt: bool = True  # the detector learns from a sample of the rows first
    sentiment: bool = False
    delimiter: str | None = None  # None: detected in each file
    sheet: str | None = None  # of Excel workbooks; None: the first with rows


@dataclass(frozen=True)
class Partition:
    """So many records of a file from a byte offset, with the line before it; in Parquet from a row."""

    number: int
    path: str
    start: int
    line: int
    rows: int

    @property
    def name(self) -> str:
        return f"part-{self.number:05d}"


@dataclass(frozen=True)
class Plan:
    """All partitions, the columns of the input and which of them is read, and what the job is recognised by."""

    settings: BulkSettings
    text: str
    schema: pa.Schema
    kinds: dict[str, Kind]  # of columns that JSON lines bring, where values must be made to fit
    partitions: list[Partition]
    identity: dict[str, Any]
    text_formats: dict[str, TextFormat]  # of the files that are text, by path

    def text_format(self, path: str) -> TextFormat:
        """As it was when the job was planned."""
        usual = TextFormat(self.settings.encoding or "utf-8", DELIMITERS.get(self.settings.format, ","))
        return self.text_formats.get(path, usual)  # version 0.1 had no others

    @property
    def rows(self) -> int:
        return sum(partition.rows for partition in self.partitions)


def format_of(files: Sequence[InputFile], named: InputFormat | None) -> InputFormat:
    """The format named, or the one of all extensions."""
    if named:
        return named
    known = {format.value: format for format in InputFormat}
    found = {extension_of(file.path): file.path for file in files}
    if len(found) == 1 and (only := next(iter(found))) in known:
        return known[only]
    strange = next((path for name, path in found.items() if name not in known), None)
    problem = f"found {strange}" if strange else f"found several: {', '.join(sorted(found))}"
    raise ConfigError(
        f"expected files of one format by their extensions ({', '.join('.' + name for name in known)}), {problem}.\n"
        'Name the files with a pattern such as "reviews/*.parquet", or their format with --from.'
    )


def identity_of(files: Iterable[InputFile], detector: str, settings: BulkSettings) -> dict[str, Any]:
    """What makes it this job and no other: the files by name, size and time of change, the detector, the settings."""
    listed = json.dumps([[file.path, file.size, file.modified] for file in files])
    listed_hash = hashlib.sha256(listed.encode()).hexdigest()
    return {"input": listed_hash, "detector": detector, "settings": _described(settings)}


Map = Callable[[Callable[[str], FilePartitions], list[str]], Iterable[FilePartitions]]


def make_plan(files: Sequence[InputFile], settings: BulkSettings, identity: dict[str, Any], each: Map = map) -> Plan:
    """Every file partitioned by itself, and so on several machines if `each` has some; then numbered in order."""
    paths = [file.path for file in files if file.size]

    def divide(path: str) -> FilePartitions:
        how = (settings.format, settings.encoding, settings.rows)
        return partition_file(path, *how, delimiter=settings.delimiter, sheet=settings.sheet)

    divided = list(each(divide, paths))
    if not any(file.ranges for file in divided):
        raise DataError(f"{files[0].path}: expected reviews, found none.")
    place = Place(paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more")
    kinds, schema = _joined_kinds(divided), _joined_schema(divided)
    text = text_column(schema.names if schema else list(kinds), settings.column, place, _delimiter(divided, settings))
    if schema is None:
        kinds[text] = Kind.STRING  # what else it holds are bad rows
        schema = arrow_schema(kinds)
    if not holds_strings(schema.field(text).type):
        raise place.error(
            f'expected strings in the column "{text}", found {schema.field(text).type}.', "Name another with --column."
        )
    partitions = [Partition(0, file.path, *own) for file in divided for own in file.ranges]
    formats = {file.path: file.how for file in divided if file.how is not None}
    return Plan(settings, text, schema, kinds, _numbered(partitions, settings.limit), identity, formats)


def _delimiter(files: Sequence[FilePartitions], settings: BulkSettings) -> str | None:
    return files[0].how.delimiter if files[0].how and settings.format in DELIMITERS else None


def _numbered(partitions: list[Partition], limit: int | None) -> list[Partition]:
    """The first ones that hold `limit` records, the last of them cut short."""
    numbered: list[Partition] = []
    left = sum(partition.rows for partition in partitions) if limit is None else limit
    for partition in partitions:
        if left <= 0:
            break
        numbered.append(replace(partition, number=len(numbered), rows=min(partition.rows, left)))
        left -= partition.rows
    return numbered


def _joined_kinds(files: Sequence[FilePartitions]) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    for file in files:
        for name, kind in file.kinds.items():
            kinds[name] = kinds.get(name, Kind.NULL).joined(kind)
    return kinds


def _joined_schema(files: Sequence[FilePartitions]) -> pa.Schema | None:
    schemas = [file.schema for file in files if file.schema is not None]
    if not schemas:
        return None
    try:
        return arrow().unify_schemas(schemas).remove_metadata()
    except arrow().ArrowException as error:
        raise DataError(
            f"{files[0].path}: expected columns of the same types in all files, found others ({error}).\n"
            "Bring the files to one schema, or run a job for each kind."
        ) from None


def save_plan(plan: Plan, output: str) -> None:
    """Beside the results, before the first of them; an output that holds something else is left alone."""
    if foreign := sorted(name for name in list_names(output) if not name.startswith(f".{PLAN}.")):  # half written
        raise ResultError(
            f'{output}: expected a new or empty folder, or a job to go on with, found "{foreign[0]}".\n'
            "Choose another folder."
        )
    about = {
        "format": "fewaspect-bulk",
        "version": VERSION,
        "identity": plan.identity,
        "text": plan.text,
        "schema": base64.b64encode(plan.schema.serialize().to_pybytes()).decode("ascii"),
        "kinds": {name: kind.name for name, kind in plan.kinds.items()},
        "text_formats": {path: astuple(how) for path, how in plan.text_formats.items()},
        "parts": [[own.path, own.start, own.line, own.rows] for own in plan.partitions],
    }
    write_file(f"{output}/{PLAN}", json.dumps(about, ensure_ascii=False, indent=0).encode())


def load_plan(output: str, settings: BulkSettings, identity: dict[str, Any]) -> Plan | None:
    """That of a job that was begun here, None if there is none; another job's is refused."""
    pa = arrow()
    if (content := read_file(f"{output}/{PLAN}")) is None:
        return None
    try:
        about = json.loads(content)
        if about["version"] != VERSION:
            raise ValueError(f"version {about['version']}")
        found = about["identity"]
        settings, identity = _as_then(settings, identity, about)
        partitions = [Partition(number, *_checked_range(own)) for number, own in enumerate(about["parts"])]
        schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(about["schema"])))
        kinds = {name: Kind[kind] for name, kind in about["kinds"].items()}
        formats = {path: TextFormat(*how) for path, how in about.get("text_formats", {}).items()}
        text = schema.field(about["text"]).name
        plan = Plan(settings, text, schema, kinds, partitions, dict(found), formats)
    except (OSError, pa.ArrowException, *WRONG_VALUE) as error:
        raise ResultError(f"{output}/{PLAN}: expected the plan of a job, found a damaged one: {error!r}.") from None
    if other := [
        _difference(name, found.get(name), identity[name]) for name in identity if found.get(name) != identity[name]
    ]:
        raise ResultError(
            f"{output}: was begun with {' and '.join(other)}.\n"
            "Give what it was begun with, or choose another folder for the results."
        )
    return plan


def _described(settings: BulkSettings) -> dict[str, Any]:
    """For the plan. What came with later versions is left out where it is not used, so that earlier jobs can go on."""
    described = {**asdict(settings), "format": settings.format.value}
    return {name: value for name, value in described.items() if value or name not in _LATER}


def _as_then(
    settings: BulkSettings, identity: dict[str, Any], about: dict[str, Any]
) -> tuple[BulkSettings, dict[str, Any]]:
    """As an earlier version had them that began the job: it did not learn from the rows, and detected no encoding."""
    if "text_formats" not in about:
        settings = replace(settings, encoding=settings.encoding or "utf-8")
    wanted = _described(settings)
    if "adapt" not in about["identity"]["settings"]:
        settings = replace(settings, adapt=False)
        del wanted["adapt"]
    return settings, {**identity, "settings": wanted}


def _checked_range(own: Any) -> tuple[str, int, int, int]:
    """Path, start, line and rows of a partition."""
    path, *numbers = own
    if not isinstance(path, str) or not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError(f"the partition {own}")
    start, line, rows = numbers
    return path, start, line, rows


def _difference(name: str, found: Any, wanted: Any) -> str:
    if not isinstance(wanted, dict):
        return {"input": "other input files, or they changed since", "detector": "another detector"}[name]
    found = found if isinstance(found, dict) else {}
    changed = [key for key in {**wanted, **found} if found.get(key) != wanted.get(key)]
    return "other settings (" + ", ".join(f"{key}: {found.get(key)}, now {wanted.get(key)}" for key in changed) + ")"
