"""A process that dies at any step of writing leaves the old or the new, whole, where it is looked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.detector_texts import EXAMPLES

from fewaspect import AspectDetector
from fewaspect.core import files
from fewaspect.core.files import atomic_folder, atomic_write, finish_replacement

STEPS = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "shutil.rmtree"}
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")


def dies_at(step: int, work: Callable[[], Any]) -> bool:
    """Whether the process died: a child that is killed before its file operation of this number."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    left = step

    def hook(event: str, _: Any) -> None:
        nonlocal left
        if event in STEPS:
            left -= 1
            if left < 0:
                os._exit(9)

    sys.addaudithook(hook)
    try:
        work()
    finally:
        os._exit(0)


def at_every_step(work: Callable[[], Any], check: Callable[[], Any]) -> int:
    """How many steps there are; after a death at each of them `check` holds."""
    step = 0
    while dies_at(step, work):
        check()
        step += 1
    check()
    return step


@pytest.fixture(params=["exchanged", "renamed"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that exchanges two folders in one step, and one that cannot."""
    if request.param == "renamed":
        monkeypatch.setattr(files, "exchange", lambda one, other: False)


@pytest.mark.usefixtures("system")
def test_a_folder_is_there_at_every_step_of_its_replacement(tmp_path: Path) -> None:
    folder, contents = tmp_path / "run", []

    def replace() -> None:
        with atomic_folder(folder, replace=True) as new:
            (new / "weights").write_text("new")

    def check() -> None:
        finish_replacement(folder)
        contents.append((folder / "weights").read_text())

    folder.mkdir()
    (folder / "weights").write_text("old")
    assert at_every_step(replace, check) > 5
    assert {"old", "new"} == set(contents)


@pytest.mark.usefixtures("system")
def test_a_detector_is_there_at_every_step_of_the_next_save(tmp_path: Path) -> None:
    old, new = AspectDetector().fit(EXAMPLES), AspectDetector().fit(EXAMPLES).add_aspect("noise")
    old.save(folder := tmp_path / "detector")
    found = set()

    def check() -> None:
        found.add(tuple(AspectDetector.load(folder).classes_))
        old.save(folder)

    assert at_every_step(lambda: new.save(folder), check) > 10
    assert found == {tuple(old.classes_), tuple(new.classes_)}


def test_a_file_is_there_at_every_step_of_its_replacement(tmp_path: Path) -> None:
    path, contents = tmp_path / "out.jsonl", set()

    def replace() -> None:
        with atomic_write(path) as file:
            file.write("new")

    path.write_text("old")
    assert at_every_step(replace, lambda: contents.add(path.read_text())) > 1
    assert contents == {"old", "new"}


@pytest.mark.parametrize("at", [0, 1])
def test_a_rename_that_fails_leaves_the_old_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    folder, rename, calls = tmp_path / "run", Path.rename, []

    def failing(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == at + 1:
            raise OSError(5, "Input/output error", str(self))
        return rename(self, target)

    folder.mkdir()
    (folder / "old").write_text("")
    monkeypatch.setattr(files, "exchange", lambda one, other: False)
    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="Input/output"), atomic_folder(folder, replace=True):
        pass
    assert (folder / "old").exists()
    assert list(tmp_path.iterdir()) == [folder]
