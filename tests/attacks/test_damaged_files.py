"""The short form of `make attack`: some damaged files through every reader, each refused in words or read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attacks.fuzz import damaged
from attacks.readers import READERS, listing, replace_files, sound

COUNTS = {"saved-detector": 8, "reviews-xlsx": 2, "run-folder": 10, "exported-model": 15}


@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(name: str, tmp_path: Path) -> None:
    files, reader = sound(name, tmp_path), READERS[name]
    assert reader.outcome(tmp_path) == "read"
    for number in range(COUNTS.get(name, 60)):
        given = damaged(files, 1, name, number)
        replace_files(files, given, tmp_path)
        before = listing(tmp_path)
        reader.outcome(tmp_path)  # raises what is no error of the project
        assert listing(tmp_path) == before, number
        replace_files(given, files, tmp_path)


def _with_one_other(content: Any, value: Any) -> Iterator[Any]:
    """Copies of JSON: in each, one value is another."""
    yield value
    if isinstance(content, dict):
        for name, own in content.items():
            yield from ({**content, name: other} for other in _with_one_other(own, value))
    elif isinstance(content, list):
        for place, own in enumerate(content):
            yield from ([*content[:place], other, *content[place + 1 :]] for other in _with_one_other(own, value))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers that compute to nothing
@pytest.mark.parametrize("value", [None, [1], {"a": 1}, "x", -1, 10**400, float("inf")], ids=lambda v: str(v)[:4])
@pytest.mark.parametrize("name", ["saved-detector", "exported-model", "run-folder"])
def test_any_value_of_a_description_may_be_of_any_type(name: str, value: Any, tmp_path: Path) -> None:
    described, reader = [path for path in sound(name, tmp_path) if path.endswith(".json")], READERS[name]
    for path in (tmp_path / own for own in described if "tokenizer" not in own):
        before = path.read_text(encoding="utf-8")
        for content in _with_one_other(json.loads(before), value):
            path.write_text(json.dumps(content), encoding="utf-8")
            reader.outcome(tmp_path)  # raises what is no error of the project
        path.write_text(before, encoding="utf-8")
