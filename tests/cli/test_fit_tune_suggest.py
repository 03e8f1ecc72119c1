"""`fewaspect fit`, `tune` and `suggest` with the shipped weights, beyond what docs/how-to/detect.md shows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fewaspect.cli.app import app
from fewaspect.core.errors import CheckpointError, ConfigError, DataError

EXAMPLES = {
    "food": ["the soup was cold", "best pizza ever", "the soup was cold"],
    "parking": {"examples": ["no valet"], "description": "garage, valet, cars"},
}


def run(*arguments: object, input: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("examples") / "examples.json"
    path.write_text(json.dumps(EXAMPLES))
    return path


@pytest.fixture(scope="module")
def fitted(examples: Path) -> Path:
    folder = examples.parent / "detector"
    result = run("fit", examples, "-o", folder, "--threshold", "0.4")
    assert result.exit_code == 0, result.exception
    assert "food" in result.stdout
    assert "a detector of 2 aspects" in result.stdout
    assert "1 example given more than once" in result.stderr
    return folder


def test_a_saved_detector_answers_as_the_examples_do(fitted: Path, examples: Path) -> None:
    reviews = "cold pizza and no garage\n\nhello\n"
    first = run("detect", "-", "--examples", examples, "--threshold", "0.4", "--explain", input=reviews)
    second = run("detect", "-", "--model", fitted, "--explain", input=reviews)
    assert first.exit_code == second.exit_code == 0, second.exception
    assert first.stdout == second.stdout
    assert [json.loads(line)["text"] for line in second.stdout.splitlines()] == [
        "cold pizza and no garage",
        "",
        "hello",
    ]


def test_a_threshold_decides(fitted: Path) -> None:
    for threshold, aspects in (("0", ["food", "parking"]), ("1", [])):
        result = run("detect", "-", "--model", fitted, "--threshold", threshold, "-q", input="a cold soup\n")
        assert json.loads(result.stdout)["aspects"] == aspects


def test_tune_names_unknown_aspects_and_leaves_the_model_where_another_folder_is_named(
    fitted: Path, tmp_path: Path
) -> None:
    labelled = tmp_path / "labelled.jsonl"
    rows = [("cold soup", ["food"]), ("garage full", ["parking", "cars"]), ("hello", [])]
    labelled.write_text("".join(json.dumps({"text": text, "labels": names}) + "\n" for text, names in rows))
    before = (fitted / "detector.json").read_bytes()
    result = run("tune", fitted, labelled, "-o", tmp_path / "tuned")
    assert result.exit_code == 0, result.exception
    assert "the detector does not know cars" in result.stderr
    assert "gives way to what is tuned" in result.stderr
    assert (fitted / "detector.json").read_bytes() == before
    tuned = json.loads((tmp_path / "tuned" / "detector.json").read_text())
    assert all(aspect["threshold"] is not None for aspect in tuned["aspects"])
    labelled.write_text('{"text": "hello", "labels": ["wifi"]}\n')
    assert "some of the aspects food, parking, found wifi" in str(run("tune", fitted, labelled).exception)
    (tagged := tmp_path / "tagged.csv").write_text("text,aspects\nhello,food\n")
    assert "`fewaspect data convert` has that option" in str(run("tune", fitted, tagged).exception)


def test_tune_needs_no_labelled_sentences(fitted: Path, tmp_path: Path) -> None:
    result = run("tune", fitted, "-o", tmp_path / "tuned")
    assert result.exit_code == 0, result.exception
    assert "leave-one-out" in result.stdout


def test_suggestions_are_sentences_each_once(fitted: Path) -> None:
    reviews = "The lift was broken. Cold soup again.\nThe lift was broken.\n"
    result = run("suggest", "-", "--model", fitted, "-n", "5", input=reviews)
    assert result.exit_code == 0, result.exception
    assert result.stdout.count("The lift was broken.") == 1
    assert result.stdout.count("Cold soup again.") == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.txt", "the lift was broken\n"),
        ("s.jsonl", '{"text": "The lift was broken"}\n'),
        ("s.csv", 'review\n"The lift was broken. Nobody mended it."\n'),
    ],
)
def test_sentences_of_a_file_are_skipped(fitted: Path, tmp_path: Path, name: str, content: str) -> None:
    (skip := tmp_path / name).write_text(content)
    result = run("suggest", "-", "--model", fitted, "--skip", skip, input="The lift was broken. Cold soup again.\n")
    assert result.exit_code == 0, result.exception
    assert "The lift was broken." not in result.stdout
    assert "Cold soup again." in result.stdout


def test_what_was_labelled_before_is_not_overwritten_by_new_suggestions(fitted: Path, tmp_path: Path) -> None:
    (labelled := tmp_path / "next.jsonl").write_text('{"text": "Cold soup", "labels": ["food"]}\n')
    result = run("suggest", "-", "--model", fitted, "--skip", labelled, "-o", labelled, input="The lift was broken.\n")
    assert "--output names the file of the skipped sentences" in str(result.exception)
    result = run("suggest", "-", "--model", fitted, "-o", labelled, input="The lift was broken.\n")
    assert "expected a new file, found one, which may hold labels" in str(result.exception)
    assert labelled.read_text() == '{"text": "Cold soup", "labels": ["food"]}\n'


def test_a_folder_that_is_missing_shows_before_suggestions_are_sought(tmp_path: Path) -> None:
    result = run("suggest", tmp_path / "no-reviews.txt", "--model", "no-model", "-o", tmp_path / "missing" / "s.jsonl")
    assert isinstance(result.exception, FileNotFoundError)
    assert result.exception.filename == str(tmp_path / "missing" / "s.jsonl")


def test_what_a_user_can_mend_is_refused(tmp_path: Path, examples: Path) -> None:
    (reviews := tmp_path / "r.txt").write_text("hello\n")
    assert isinstance(run("detect", reviews).exception, ConfigError)
    assert "--examples EXAMPLES or --model FOLDER" in str(run("detect", reviews).exception)
    assert isinstance(run("detect", reviews, "--model", tmp_path).exception, CheckpointError)
    assert isinstance(run("fit", tmp_path / "missing.json", "-o", tmp_path / "d").exception, DataError)
    assert isinstance(run("detect", reviews, "--examples", examples, "--threshold", "fod=1").exception, ConfigError)
    for wrong in ("s.csv", "s"):
        assert isinstance(
            run("suggest", reviews, "--examples", examples, "-o", tmp_path / wrong).exception, ConfigError
        )
    assert list(tmp_path.iterdir()) == [reviews]
    reviews.write_text("\n \n")
    assert "found none with a word in it" in str(run("suggest", reviews, "--examples", examples).exception)
    reviews.write_text("cold soup\n")
    assert isinstance(run("report", reviews, "--examples", examples, "-o", tmp_path).exception, ConfigError)
    assert run("report", reviews, "--examples", examples, "-o", "-").stdout.startswith("<!doctype html>")


def test_a_reader_that_leaves_early_ends_it_quietly(fitted: Path) -> None:
    """As in `| head -1`, with more to write than a pipe holds."""
    command = f'yes "a cold soup" | head -60000 | "{sys.executable}" -m fewaspect detect - --model "{fitted}" | head -1'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert json.loads(done.stdout)["text"] == "a cold soup"
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr
    assert "Exception" not in done.stderr


def test_the_commands_load_nothing_heavy_for_their_help() -> None:
    code = "import sys, fewaspect.cli.app; sys.exit(bool({'pyarrow', 'torch', 'sklearn'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
