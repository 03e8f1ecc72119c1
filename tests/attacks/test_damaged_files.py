"""The short form of `make attack`: some damaged files through every reader, each refused in words or read."""

from __future__ import annotations

from pathlib import Path

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
