"""`fewaspect audit`, `label-issues` and `evaluate` of a saved detector."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fewaspect.cli.app import app
from fewaspect.core.errors import CheckpointError, ConfigError, DataError

FOOD = ["the soup was cold", "best pizza ever", "tasty fish", "stale bread", "the salad was fresh", "a good steak",
        "overcooked pasta", "loud street noise all night"]  # fmt: skip
NOISE = ["thin walls", "noisy neighbours", "music until three in the night", "traffic noise"]
REVIEWS = "Cold soup again. The walls are thin.\nWe came on Monday.\nGreat pizza!\nA loud street.\nSee you soon.\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit")
    (folder / "examples.json").write_text(json.dumps({"food": FOOD, "noise": NOISE}))
    (folder / "reviews.txt").write_text(REVIEWS)
    (folder / "labelled.jsonl").write_text(
        '{"text": "cold soup", "labels": ["food"]}\n{"text": "hello", "labels": []}\n'
        '{"text": "thin walls", "labels": ["noise"]}\n'
    )
    result = run("fit", folder / "examples.json", "-o", folder / "model")
    assert result.exit_code == 0, result.exception
    assert "more examples" in result.stdout
    assert "example to check" in result.stdout
    assert "label-issues" in result.stdout
    return folder


def test_label_issues_are_listed_and_written(folder: Path, tmp_path: Path) -> None:
    result = run("label-issues", folder / "model", "--all", "-o", tmp_path / "issues.jsonl")
    assert result.exit_code == 0, result.exception
    first = json.loads((tmp_path / "issues.jsonl").read_text().splitlines()[0])
    assert (first["text"], first["labels"], first["suggested"]) == (FOOD[-1], ["food"], ["noise"])
    assert "examples to check" in result.stdout
    assert isinstance(run("label-issues", folder / "model", "-o", tmp_path / "issues.csv").exception, ConfigError)


@pytest.mark.parametrize("name", ["check.jsonl", "check.csv"])
def test_a_sheet_is_drawn_filled_in_and_gone_on_with(folder: Path, tmp_path: Path, name: str) -> None:
    sheet, more = tmp_path / name, tmp_path / f"more-{name}"
    drawn = run("audit", folder / "reviews.txt", "--model", folder / "model", "-n", "4", "-o", sheet)
    assert drawn.exit_code == 0, drawn.exception
    assert "4 of 6 sentences to check" in drawn.stdout
    empty = run("audit", "--result", sheet).exception  # nothing is filled in yet
    assert isinstance(empty, DataError)
    assert f"{name}: expected labels of some of its 4 sentences, found none.\nPut the aspects" in str(empty)
    fill_in(sheet)
    result = run("audit", "--result", sheet)
    assert result.exit_code == 0, result.exception
    assert "all answers" in result.stdout
    assert "3 of 4 sentences checked" in result.stdout
    again = run("audit", folder / "reviews.txt", "--model", folder / "model", "-n", "9", "--after", sheet, "-o", more)
    assert again.exit_code == 0, again.exception
    assert "2 of 6 sentences to check" in again.stdout
    assert "3 of 6 sentences checked" in run("audit", "--result", more).stdout


@pytest.mark.parametrize(("filled", "other"), [("check.csv", "check.csv"), ("check.csv", "check.jsonl")])
def test_answers_are_not_overwritten_by_another_draw(folder: Path, tmp_path: Path, filled: str, other: str) -> None:
    draw = ("audit", folder / "reviews.txt", "--model", folder / "model", "-n", "3", "-o")
    assert run(*draw, tmp_path / filled).exit_code == 0
    assert run(*draw, tmp_path / filled).exit_code == 0  # nobody has filled it in
    fill_in(tmp_path / filled)
    before = (tmp_path / filled).read_bytes()
    refused = run(*draw, tmp_path / other, "--seed", "7")
    assert isinstance(refused.exception, ConfigError)
    assert f"--after {tmp_path / filled}" in str(refused.exception)
    assert (tmp_path / filled).read_bytes() == before
    assert "2 of 3 sentences checked" in run("audit", "--result", tmp_path / filled).stdout
    assert run(*draw, tmp_path / filled, "--after", tmp_path / filled).exit_code == 0
    result = run("audit", "--result", tmp_path / filled).stdout
    assert "2 of 6 sentences checked" in result
    assert f"--model MODEL --after {tmp_path / filled}" in "".join(result.splitlines())


def test_an_earlier_sheet_is_read_if_writing_the_next_breaks_off(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = tmp_path / "check.csv"
    draw = ("audit", folder / "reviews.txt", "--model", folder / "model", "-n", "2", "-o", sheet)
    run(*draw)
    fill_in(sheet)

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("fewaspect.reviews.audit_sheet.table_writer", full)
    assert run(*draw, "--after", sheet).exit_code
    assert "1 of 4 sentences checked" in run("audit", "--result", sheet).stdout


def fill_in(sheet: Path) -> None:
    """What is found is right, but nobody has looked at the last; the rows are turned round."""
    if sheet.suffix == ".csv":
        with sheet.open(newline="") as file:
            rows = list(csv.DictReader(file))
        with sheet.open("w", newline="") as file:
            writer = csv.DictWriter(file, ["text", "found", "labels"])
            writer.writeheader()
            writer.writerows({**row, "labels": row["found"] if i else ""} for i, row in enumerate(reversed(rows)))
        return
    lines = [json.loads(line) for line in reversed(sheet.read_text().splitlines())]
    filled = [{**row, "labels": row["found"] if i else None} for i, row in enumerate(lines)]
    sheet.write_text("".join(json.dumps(row) + "\n" for row in filled))


def test_what_is_wrong_with_a_sheet_is_said(folder: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "check.jsonl"
    run("audit", folder / "reviews.txt", "--model", folder / "model", "-n", "2", "-o", sheet)
    first = json.loads(sheet.read_text().splitlines()[0])
    sheet.write_text(json.dumps({**first, "labels": ["fod"]}) + "\n")
    assert 'line 1: expected labels among food, noise, found "fod"' in str(run("audit", "--result", sheet).exception)
    sheet.write_text(json.dumps({**first, "text": "another", "labels": []}) + "\n")
    assert "expected a sentence of check.audit.json" in str(run("audit", "--result", sheet).exception)
    (tmp_path / "check.audit.json").unlink()
    missing = run("audit", "--result", sheet).exception
    assert isinstance(missing, CheckpointError)
    assert "expected check.audit.json beside it" in str(missing)
    assert isinstance(run("audit", folder / "reviews.txt", "--model", folder / "model").exception, ConfigError)
    assert isinstance(run("audit", folder / "reviews.txt", "--result", sheet).exception, ConfigError)
    wrong = run("audit", folder / "reviews.txt", "--model", folder / "model", "-o", tmp_path / "sheet.xlsx")
    assert "ends in .jsonl or .csv" in str(wrong.exception)


def test_a_saved_detector_is_evaluated_on_labelled_lines(folder: Path, tmp_path: Path) -> None:
    result = run("evaluate", folder / "model", folder / "labelled.jsonl", "--json", tmp_path / "result.json")
    assert result.exit_code == 0, result.exception
    assert "macro" in result.stdout
    assert "1 of the sentences are examples" in result.stderr
    assert "calibration" in result.stdout
    content = json.loads((tmp_path / "result.json").read_text())
    assert content["aspects"]["food"]["recall"]["value"] == 1.0
    assert content["texts"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "{folder}/model"], "expected labelled sentences"),
        (["evaluate", "{folder}", "{folder}/labelled.jsonl"], "expected a training run (run.json) or a saved detector"),
        (["evaluate", "{folder}/model", "{folder}/labelled.jsonl", "--way", "5"], "--way: expected for a training run"),
        (["evaluate", "{folder}/model", "{folder}/labelled.jsonl", "--offline"], "--offline: expected"),
        (["evaluate", "{folder}/model", "{folder}/labelled.jsonl", "--data", "x"], "--data: expected"),
        (["evaluate", "{folder}/run", "{folder}/labelled.jsonl"], "expected no labelled file beside the training run"),
    ],
)
def test_what_belongs_to_the_other_kind_is_refused(folder: Path, arguments: list[str], message: str) -> None:
    (folder / "run").mkdir(exist_ok=True)
    (folder / "run" / "run.json").write_text("{}")
    result = run(*(argument.format(folder=folder) for argument in arguments))
    assert isinstance(result.exception, ConfigError)
    assert message in str(result.exception)
