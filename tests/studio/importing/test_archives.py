"""Zip files from outside: only what is expected is read, and never too much."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from fewaspect.core.errors import DataError, FewAspectError
from fewaspect.studio.importing.archives import read_detector, read_project
from fewaspect.studio.problems import TooLargeError

ABOUT = {"format": "fewaspect-project", "version": 1, "name": "a", "aspects": [], "examples": []}
MOST = 1 << 20
FIXTURES = Path(__file__).parents[2] / "fixtures" / "v0_1"


def packed(**files: str | bytes) -> io.BytesIO:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held


def test_a_project_is_read() -> None:
    about, reviews = read_project(
        packed(**{"project.json": json.dumps(ABOUT), "reviews.jsonl": '{"text": "fine"}\n'}), MOST
    )
    assert (about.name, [review.text for review in reviews]) == ("a", ["fine"])


def test_a_zip_bomb_is_refused_by_what_it_says_and_by_what_it_is() -> None:
    bomb = packed(**{"project.json": json.dumps(ABOUT), "reviews.jsonl": b"0" * (4 * MOST)})
    assert len(bomb.getvalue()) < MOST / 10
    with pytest.raises(TooLargeError, match="expected at most 1 MB unpacked, found more"):
        read_project(bomb, MOST)
    lying = bomb.getvalue().replace((4 * MOST).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    with pytest.raises((TooLargeError, DataError)):
        read_project(io.BytesIO(lying), MOST)


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil", "..\\evil"])
def test_names_that_lead_out_are_refused(name: str) -> None:
    with pytest.raises(DataError, match="leads out of its folder"):
        read_project(packed(**{"project.json": json.dumps(ABOUT), "reviews.jsonl": "", name: "x"}), MOST)


def test_very_many_files_are_refused() -> None:
    with pytest.raises(TooLargeError, match="at most 100 files, found 101"):
        read_project(packed(**{str(n): "" for n in range(101)}), MOST)


@pytest.mark.parametrize(
    ("about", "lines", "message"),
    [
        ({**ABOUT, "format": "other"}, "", "project.json: format"),
        ({**ABOUT, "version": 2}, "", "project.json: version"),
        ({**ABOUT, "aspects": [{"name": 1}]}, "", r"project.json: aspects.0.name"),
        (ABOUT, '{"text": "fine"}\n{"text": 1}\n', "reviews.jsonl, line 2: text"),
        (ABOUT, "nonsense", "reviews.jsonl, line 1"),
        (ABOUT, '{"text": "x", "date": "soon"}', "reviews.jsonl, line 1: date"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(about: dict, lines: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_project(packed(**{"project.json": json.dumps(about), "reviews.jsonl": lines}), MOST)


def test_what_is_no_zip_file_is_refused() -> None:
    for read in (read_project, read_detector):
        with pytest.raises(DataError, match="expected a zip file"):
            read(io.BytesIO(b"hello"), MOST)


def test_a_model_needs_one_description() -> None:
    with pytest.raises(DataError, match=r"with one detector.json, found 0"):
        read_detector(packed(other="x"), MOST)
    with pytest.raises(DataError, match=r'detector.json: expected a file of format "fewaspect-detector"'):
        read_detector(packed(**{"detector.json": "{}"}), MOST)


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_archive_is_refused_in_words(seed: int) -> None:
    """Whatever bytes of it are others: offsets, lengths, names, kinds of compression."""
    random, content = Random(seed), bytearray((FIXTURES / "project.zip").read_bytes())
    for _ in range(6):
        content[random.randrange(len(content) - 200, len(content))] = random.randrange(256)
    with suppress(FewAspectError):
        read_project(io.BytesIO(bytes(content)), 1 << 24)
