"""Results files: the records of one experiment as sorted JSON lines, with what they have in common stated once.

The first line holds the format, the key fields by which the lines are sorted, and as "shared" what all records have in
common. Another line with "shared" holds what the records with its value of the first key field have in common beyond
that. Every other line is a record: its key fields and what is not shared. Mappings are shared field by field.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from fewaspect.core.errors import WRONG_VALUE, ResultError
from fewaspect.core.files import atomic_write, hold_lock
from fewaspect.core.settings import to_json
from fewaspect.training.environment import describe_environment

FORMAT = "fewaspect-results-1"
SHARED = "shared"

Record = dict[str, Any]


def write_results(path: Path, records: Iterable[Mapping[str, Any]], key: Sequence[str]) -> None:
    """Replace the file by these records; the same records in any order give the same bytes."""
    lines = [_json(line) for line in _lines(_checked(records, key), key)]
    with atomic_write(path) as file:
        file.writelines(f"{line}\n" for line in lines)


def merge_results(path: Path, records: Iterable[Mapping[str, Any]], key: Sequence[str]) -> None:
    """Add records to the file, in place of those with the same key; processes that do so at once lose nothing."""
    new = _checked(records, key)
    with hold_lock(path.with_name(f".{path.name}.lock"), wait=True):
        known = read_results(path) if path.exists() else []
        by_key = {_json([record[name] for name in key]): record for record in (*known, *new)}
        write_results(path, by_key.values(), key)


def read_results(path: Path) -> list[Record]:
    """The records as they were before what they share was taken out, in the order of the file."""
    return [record for _, record in numbered_results(path)]


def numbered_results(path: Path) -> Iterator[tuple[int, Record]]:
    """Each record with the number of its line."""
    number = 1
    try:
        with path.open(encoding="utf-8") as file:
            header = json.loads(file.readline())
            if not isinstance(header, dict) or header.get("format") != FORMAT:
                raise ValueError(f'a first line without "format": "{FORMAT}"')
            group_field, group_shared = header["key"][0], {}
            for number, text in enumerate(file, start=2):
                line = json.loads(text)
                if SHARED in line:
                    group_shared[line[group_field]] = line[SHARED]
                else:
                    yield number, _merged(header[SHARED], group_shared.get(line[group_field], {}), line)
    except (OSError, *WRONG_VALUE) as error:
        raise ResultError(
            f"{path}, line {number}: expected a results file of fewaspect, found a damaged or foreign one: {error}\n"
            "`fewaspect tables GRID_FOLDER --out FILE.jsonl` writes one."
        ) from error


def publish(result: Mapping[str, Any], path: Path | None) -> None:
    """Print one measurement; if a file is named, write it there with the environment it was made in."""
    print(to_json(result), end="")
    if path:
        with atomic_write(path) as file:
            file.write(to_json({**result, "environment": describe_environment()}))


def _lines(records: list[Record], key: Sequence[str]) -> Iterator[Record]:
    records.sort(key=lambda record: (*(_order(record[name]) for name in key), _json(record)))
    shared, records = _factored(records, key)
    yield {"format": FORMAT, "key": [*key], SHARED: shared}
    for value, members in groupby(records, key=lambda record: record[key[0]]):
        group = list(members)
        if len(group) > 1:
            shared, group = _factored(group, key)
            if shared:
                yield {key[0]: value, SHARED: shared}
        yield from group


def _factored(records: list[Record], key: Sequence[str]) -> tuple[Record, list[Record]]:
    """What the records share apart from their keys, and the records without it."""
    fields = [{name: value for name, value in record.items() if name not in key} for record in records]
    shared = _common(fields) if fields else {}
    keys = [{name: record[name] for name in key} for record in records]
    return shared, [{**own, **_without(rest, shared)} for own, rest in zip(keys, fields, strict=True)]


def _common(records: Sequence[Record]) -> Record:
    shared = {}
    for name in sorted(set.intersection(*map(set, records))):
        values = [record[name] for record in records]
        if len({*map(_json, values)}) == 1:  # compared as text: to Python 1, 1.0 and true are equal
            shared[name] = values[0]
        elif all(isinstance(value, dict) for value in values) and (part := _common(values)):
            shared[name] = part
    return shared


def _without(record: Record, shared: Record) -> Record:
    rest = {}
    for name, value in record.items():
        if name not in shared:
            rest[name] = value
        elif isinstance(value, dict) and (part := _without(value, shared[name])):
            rest[name] = part
    return rest


def _merged(*parts: Record) -> Record:
    merged: Record = {}
    for part in parts:
        for name, value in part.items():
            both = isinstance(value, dict) and isinstance(merged.get(name), dict)
            merged[name] = _merged(merged[name], value) if both else value
    return merged


def _checked(records: Iterable[Mapping[str, Any]], key: Sequence[str]) -> list[Record]:
    """Copies with sorted fields, as JSON reads them."""
    copies = [json.loads(json.dumps(record, sort_keys=True, allow_nan=False)) for record in records]
    for record in copies:
        if missing := [name for name in key if name not in record]:
            raise ResultError(f"expected records with the fields {', '.join(key)}, found one without {missing[0]}.")
        if SHARED in record:
            raise ResultError(f'expected records without a field "{SHARED}", which results files use themselves.')
    return copies


def _order(value: Any) -> tuple[bool, Any]:
    """Numbers by size, before everything else by its text."""
    number = isinstance(value, int | float)
    return not number, value if number else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
