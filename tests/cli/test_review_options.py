"""Options that say nothing about what they stand beside, and outputs that would replace what a person wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fewaspect.cli.app import app
from fewaspect.core.errors import DataError, FewAspectError


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("options")
    (folder / "examples.json").write_text(json.dumps({"food": ["the soup was cold"], "staff": ["rude waiter"]}))
    (folder / "reviews.txt").write_text("Cold soup again.\nWe came on Monday.\n")
    (folder / "reviews.csv").write_text("id,review\n1,Cold soup again.\n")
    rows = (("the soup was cold", ["food"]), ("a rude waitress", ["staff"]), ("hello", []))
    lines = [json.dumps({"text": text, "labels": names}) + "\n" for text, names in rows]
    (folder / "labelled.jsonl").write_text("".join(lines))
    (folder / "known.jsonl").write_text(lines[0])
    result = run("fit", folder / "examples.json", "-o", folder / "model")
    assert result.exit_code == 0, result.exception
    return folder


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("detect reviews.csv --model model --sheet Other", "--sheet: expected for xlsx, found with"),
        ("detect reviews.txt --model model --delimiter tab", "--delimiter: expected for csv, tsv, found with"),
        ("detect book.xlsx --model model --encoding cp1252", "--encoding: expected for csv, tsv, txt, jsonl, found"),
        ("bulk reviews.csv out --model model --sheet Other", "--sheet: expected for xlsx, found with"),
        ("detect reviews.csv --model model --spreadsheet -o out.xlsx", "--spreadsheet: expected for csv or tsv"),
        ("detect reviews.csv --model model --encoding rot13", 'expected a known text encoding, found "rot13"'),
        ("fit examples.json -o other --column review", "--column: expected beside --unlabelled REVIEWS"),
        ("tune model labelled.jsonl --confidence 0.8", "--confidence: expected beside --precision P"),
        ("tune model --per-aspect", "--per-aspect: expected beside --precision P"),
        ("audit --result check.csv --model model", "--result: expected a sheet alone, found --model"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(
    folder: Path, command: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    result = run(*command.split())
    assert isinstance(result.exception, FewAspectError), result.output
    assert message in str(result.exception)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    "command", ["discover reviews.txt --model model", "suggest reviews.txt --model model", "label-issues model"]
)
def test_what_was_labelled_before_is_not_overwritten(
    folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = Path("labelled.jsonl").read_bytes()
    result = run(*command.split(), "-o", "labelled.jsonl")
    assert "expected a new file, found one, which may hold labels" in str(result.exception)
    assert Path("labelled.jsonl").read_bytes() == before


@pytest.mark.parametrize("read", ["labelled.jsonl", "model/detector.json"])
def test_measurements_never_take_the_place_of_what_was_measured(
    folder: Path, read: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = Path(read).read_bytes()
    result = run("evaluate", "model", "labelled.jsonl", "--json", read)
    assert "--json names a file that is read" in str(result.exception)
    assert Path(read).read_bytes() == before


def test_labelled_sentences_that_are_examples_are_told_and_prove_no_precision(folder: Path, tmp_path: Path) -> None:
    told = "1 of the sentences are examples of the detector and flatter it."
    for command in (("evaluate",), ("tune", "-o", tmp_path / "tuned")):
        result = run(command[0], folder / "model", folder / "labelled.jsonl", *command[1:])
        assert result.exit_code == 0, result.exception
        assert told in result.stderr
    promised = ("tune", folder / "model", "--precision", "0.9", "-o", tmp_path / "promised")
    result = run(*promised, folder / "labelled.jsonl")
    assert "1 of the sentences are examples of the detector and are left out." in result.stderr
    assert "Warning" not in result.stderr
    result = run(*promised, folder / "known.jsonl")
    assert isinstance(result.exception, DataError)
    assert "known.jsonl: expected sentences that are no examples of the detector" in str(result.exception)
