"""`fewaspect discover`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fewaspect.cli.app import app
from fewaspect.core.errors import ConfigError

REVIEWS = [f"the {a} parking {b}" for a in ("garage", "street", "valet") for b in ("was full", "is far", "was dark")]
REVIEWS += [f"the wifi {a} {b}" for a in ("in our room", "at the desk", "by night") for b in ("was slow", "broke off")]
REVIEWS += [f"the {a} pool {b}" for a in ("indoor", "hotel", "heated") for b in ("was closed", "had no towels")]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "examples.json").write_text(json.dumps({"food": ["the soup was cold"], "staff": ["rude waiter"]}))
    (tmp_path / "reviews.txt").write_text("\n".join(REVIEWS) + "\n")
    return tmp_path


def test_groups_are_shown_and_written_as_examples_to_start_with(folder: Path) -> None:
    done = run("discover", folder / "reviews.txt", "--examples", folder / "examples.json", "-n", 3,
               "-o", folder / "new.jsonl")  # fmt: skip
    assert done.exit_code == 0, done.exception
    assert "not named yet" in done.stdout
    rows = [json.loads(line) for line in (folder / "new.jsonl").read_text().splitlines()]
    assert rows
    assert {row["text"] for row in rows} <= set(REVIEWS)
    again = run("detect", folder / "reviews.txt", "--examples", folder / "new.jsonl", "-o", folder / "tagged.csv")
    assert again.exit_code == 0, again.exception
    assert rows[0]["labels"][0] in (folder / "tagged.csv").read_text()


def test_too_few_sentences_are_said_to_be(folder: Path) -> None:
    (folder / "reviews.txt").write_text("Nobody could park.\n")
    done = run("discover", folder / "reviews.txt", "--examples", folder / "examples.json")
    assert done.exit_code == 0, done.exception
    assert "no group" in done.stdout


def test_another_format_than_json_lines_is_refused(folder: Path) -> None:
    done = run("discover", folder / "reviews.txt", "--examples", folder / "examples.json", "-o", folder / "new.csv")
    assert isinstance(done.exception, ConfigError)
    assert "ends in .jsonl" in str(done.exception)
