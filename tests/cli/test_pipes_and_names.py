"""The commands as part of a shell: a pipe that is closed, a disk that is full, names of files that are no text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from in_process import fewaspect

COMMAND = [sys.executable, "-m", "fewaspect"]
ODD = os.fsdecode(b"b\xff")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "examples.yaml").write_text("food: [cold soup]\n")
    (tmp_path / "reviews.csv").write_text("text\n" + "cold soup\n" * 3000)
    return tmp_path


def detect(folder: Path, *options: str) -> list[str]:
    return [
        *COMMAND,
        "detect",
        str(folder / "reviews.csv"),
        "--examples",
        str(folder / "examples.yaml"),
        "-q",
        *options,
    ]


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error(folder: Path) -> None:
    command = detect(folder, "--no-adapt", "--chunk", "10")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        assert b"cold soup" in process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_message_and_exit_code_2(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(detect(folder), stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    message = "error: the output cannot be written: No space left on device.\nFree space, or write it elsewhere.\n"
    assert done.stderr == message


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names themselves")
def test_names_that_are_not_utf_8_are_read_or_refused(folder: Path) -> None:
    (odd := folder / f"{ODD}.csv").write_text("text,labels\ncold soup,food\n")
    examples = ("--examples", folder / "examples.yaml", "-q")
    for command, suffix in (("detect", ".html"), ("detect", ".jsonl"), ("report", ".html")):
        assert fewaspect(command, odd, *examples, "-o", folder / f"{ODD}{suffix}").returncode == 0
    assert "b\\udcff.csv" in (folder / f"{ODD}.html").read_text(encoding="utf-8")
    for source, output in ((folder, folder.parent / "out"), (odd, "out"), (folder / "reviews.csv", folder / ODD)):
        done = fewaspect("bulk", source, output, *examples)
        assert (done.returncode, "expected a" in done.stderr or "expected names in UTF-8" in done.stderr) == (2, True)
    done = fewaspect("detect", odd, *examples, "--prefix", ODD)
    assert (done.returncode, done.stderr) == (2, "error: --prefix: expected text in UTF-8, found 'b\\udcff'.\n")
