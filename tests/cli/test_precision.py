"""`--precision` of `fewaspect tune`, `detect` and what they write, with the shipped weights."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet
import pytest
from typer.testing import CliRunner, Result

from fewaspect import AspectDetector
from fewaspect.cli.app import app
from fewaspect.core.errors import ConfigError
from fewaspect.data.sample_set import load_showcase


def run(*arguments: object, input: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half of the sample's examples as examples, the other half as labelled sentences and as reviews."""
    folder, sample = tmp_path_factory.mktemp("precision"), load_showcase().examples
    (folder / "examples.json").write_text(json.dumps({name: own[:3] for name, own in sample.items()}))
    labelled = [{"text": text, "labels": [name]} for name, own in sample.items() for text in own[3:]]
    labelled += [{"text": f"We came on the {day}. of May.", "labels": []} for day in range(1, 9)]
    (folder / "labelled.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labelled))
    (folder / "reviews.jsonl").write_text("".join(json.dumps({"text": row["text"]}) + "\n" for row in labelled))
    assert run("fit", folder / "examples.json", "-o", folder / "plain").exit_code == 0
    return folder


@pytest.fixture(scope="module")
def tuned(files: Path) -> Path:
    """Little is promised, so that few labels are enough."""
    goal = ("--precision", "0.8", "--confidence", "0.6")
    result = run("tune", files / "plain", files / "labelled.jsonl", *goal, "-o", files / "tuned")
    assert result.exit_code == 0, result.exception
    assert "at least 0.8 of the accepted answers of all aspects are right, with confidence 0.6; saved" in result.stdout
    assert "all answers" in result.stdout
    return files / "tuned"


def test_every_format_has_what_is_accepted_and_what_needs_a_look(files: Path, tuned: Path) -> None:
    for kind in ("csv", "jsonl", "parquet"):
        out = files / f"tagged.{kind}"
        result = run("detect", files / "reviews.jsonl", "--model", tuned, "--precision", "0.8", "-o", out)
        assert result.exit_code == 0, result.exception
    assert "need a look" in result.stderr
    rows = [json.loads(line) for line in (files / "tagged.jsonl").read_text().splitlines()]
    assert any(row["accepted"] for row in rows)
    assert all(sorted(row["accepted"] + row["to_review"]) == sorted(row["aspects"]) for row in rows)
    with (files / "tagged.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert [row["accepted"] for row in cells] == ["; ".join(row["accepted"]) for row in rows]
    table = pyarrow.parquet.read_table(files / "tagged.parquet")
    assert table.column_names[1:4] == ["aspects", "accepted", "to_review"]
    assert table["to_review"].to_pylist() == [row["to_review"] for row in rows]


def test_the_page_of_reviews_shows_what_is_accepted_and_what_needs_a_look(files: Path, tuned: Path) -> None:
    result = run("detect", files / "reviews.jsonl", "--model", tuned, "-q", "-o", files / "tagged.html")
    assert result.exit_code == 0, result.exception
    run("detect", files / "reviews.jsonl", "--model", tuned, "-q", "-o", files / "beside.jsonl")
    rows = [json.loads(line) for line in (files / "beside.jsonl").read_text().splitlines()]
    page = (files / "tagged.html").read_text()
    assert page.count('<b title="accepted">') == sum(len(row["accepted"]) for row in rows) > 0
    assert page.count('class="chip look"') == sum(len(row["to_review"]) for row in rows)


def test_reviews_in_a_column_called_review_get_the_columns_too(files: Path, tuned: Path, tmp_path: Path) -> None:
    (tmp_path / "reviews.csv").write_text("id,review\n1,See you on Monday.\n")
    for kind in ("csv", "jsonl", "parquet"):
        result = run("detect", tmp_path / "reviews.csv", "--model", tuned, "-q", "-o", tmp_path / f"tagged.{kind}")
        assert result.exit_code == 0, result.exception
    (row,) = csv.DictReader((tmp_path / "tagged.csv").open(newline=""))
    assert (row["review"], row["accepted"], row["to_review"]) == ("See you on Monday.", "", "")


def test_sentences_have_their_own(files: Path, tuned: Path) -> None:
    result = run("detect", "-", "--model", tuned, "--per-sentence", "-q", input="Hello. See you.\n")
    assert [json.loads(line)["accepted"] for line in result.stdout.splitlines()] == [[], []]


def test_a_detector_that_keeps_a_promise_does_not_learn_from_the_reviews(files: Path, tuned: Path) -> None:
    many = "".join(f"Table {number} was loud.\n" for number in range(120))
    assert "learned from" not in run("detect", "-", "--model", tuned, input=many).stderr
    adapted = run("detect", "-", "--model", tuned, "--adapt", input=many)
    assert "does not hold after --adapt" in adapted.stderr
    assert "accepted" not in json.loads(adapted.stdout.splitlines()[0])


def test_without_a_promise_nothing_is_added(files: Path) -> None:
    result = run("detect", "-", "--model", files / "plain", "-q", input="hello\n")
    assert list(json.loads(result.stdout)) == ["text", "aspects", "probabilities", "text_language"]


def test_what_was_not_promised_is_refused(files: Path, tuned: Path) -> None:
    for model, precision, found in ((files / "plain", "0.9", "found none"), (tuned, "0.9", "found one tuned to 0.8")):
        result = run("detect", "-", "--model", model, "--precision", precision, input="hello\n")
        assert isinstance(result.exception, ConfigError)
        assert found in str(result.exception)
        assert "fewaspect tune MODEL LABELLED --precision 0.9" in str(result.exception)


@pytest.mark.parametrize("precision", ["nan", "0", "-1", "1", "2"])
def test_what_is_no_precision_is_refused_whatever_was_promised(tuned: Path, precision: str) -> None:
    result = run("detect", "-", "--model", tuned, "--precision", precision, input="hello\n")
    assert isinstance(result.exception, ConfigError)
    assert "precision: expected a number between 0 and 1" in str(result.exception)


def test_too_few_examples_are_refused_and_said(files: Path) -> None:
    result = run("detect", "-", "--examples", files / "examples.json", "--precision", "0.9", input="hello\n")
    assert isinstance(result.exception, ConfigError)
    assert "expected examples that suffice for it, found too few or too unsure ones: " in str(result.exception)


def test_tuning_with_too_few_labels_saves_that_nothing_is_accepted(files: Path, tmp_path: Path) -> None:
    result = run("tune", files / "plain", "--precision", "0.99", "--per-aspect", "-o", tmp_path / "cautious")
    assert result.exit_code == 0, result.exception
    assert "every answer needs a look" in result.stdout
    promise = AspectDetector.load(tmp_path / "cautious").promise_
    assert promise is not None
    assert not promise.accepts
