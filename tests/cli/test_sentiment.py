"""`fewaspect detect --sentiment`, with the shipped weights."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet
import pytest
from typer.testing import CliRunner, Result

from fewaspect.cli.app import app

BOTH = "The waiter was lovely, but the soup was awful."


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sentiment")
    examples = {"food": ["the soup was cold", "great pizza"], "staff": ["the waiter was rude"]}
    (folder / "examples.json").write_text(json.dumps(examples))
    (folder / "reviews.txt").write_text(f"{BOTH}\nsee you on Monday\n")
    return folder


def detect(files: Path, output: str, *options: str) -> Path:
    out = files / output
    done = run(
        "detect", files / "reviews.txt", "--examples", files / "examples.json", "-o", out, "--no-adapt", *options
    )
    assert done.exit_code == 0, done.output
    return out


def test_tables_have_a_column_for_each_aspect(files: Path) -> None:
    with detect(files, "out.csv", "--sentiment").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["sentiment_food"], first["sentiment_staff"]) == ("negative", "positive")
    assert (second["sentiment_food"], second["sentiment_staff"]) == ("", "")
    rows = pyarrow.parquet.read_table(detect(files, "out.parquet", "--sentiment")).to_pylist()
    assert [row["sentiment_food"] for row in rows] == ["negative", None]


def test_json_has_the_probabilities_of_the_answered_aspects(files: Path) -> None:
    lines = detect(files, "out.jsonl", "--sentiment", "--per-sentence").read_text().splitlines()
    first, second = map(json.loads, lines)
    assert first["sentiment"]["food"]["polarity"] == "negative"
    assert sum(first["sentiment"]["food"][name] for name in ("negative", "neutral", "positive")) == pytest.approx(
        1, abs=1e-3
    )
    assert second["sentiment"] == {}


def test_without_the_option_nothing_is_added(files: Path) -> None:
    header = detect(files, "plain.csv").read_text().splitlines()[0]
    assert "sentiment" not in header


def test_polarities_of_examples_count(files: Path) -> None:
    food = [f"The {dish} was cold." for dish in ("gazpacho", "salad", "sushi", "beer", "dessert")]
    own = {"food": food, "staff": ["the waiter was rude"]}
    (files / "own.json").write_text(json.dumps({"food+": own["food"], "staff": own["staff"]}))
    (files / "plain.json").write_text(json.dumps(own))
    (files / "soup.txt").write_text("The soup was cold.\n")
    told = {}
    for name in ("own", "plain"):
        out = files / f"{name}.jsonl"
        done = run("detect", files / "soup.txt", "--examples", files / f"{name}.json", "-o", out, "--sentiment", "-q")
        assert done.exit_code == 0, done.output
        told[name] = json.loads(out.read_text())["sentiment"]["food"]["positive"]
    assert told["own"] > told["plain"] + 0.1


def test_what_looks_like_a_polarity_and_is_none_changes_nothing_and_is_said_with_sentiment_alone(files: Path) -> None:
    (files / "names.yaml").write_text("Disney+: [the film was dull]\nC++: [templates]\n")
    (files / "rated.csv").write_text("text,labels,sentiment\nthe soup was cold,food,4\n")
    for name, remark in (("names.yaml", '"Disney+" is read as the name'), ("rated.csv", "no polarities are read")):
        given = ("detect", files / "soup.csv", "--examples", files / name, "-o", files / "out.csv", "--no-adapt", "-q")
        (files / "soup.csv").write_text("text\nThe soup was cold.\n")
        without, told = run(*given), run(*given, "--sentiment")
        assert (without.exit_code, without.stderr) == (0, "")
        assert told.exit_code == 0
        assert remark in told.stderr


def report(files: Path, *options: str) -> str:
    out = files / "report.html"
    done = run("report", files / "reviews.txt", "--examples", files / "examples.json", "-o", out, "-q", *options)
    assert done.exit_code == 0, done.output
    return out.read_text(encoding="utf-8")


def test_a_report_says_what_they_think_of_each_aspect_by_sign_and_word(files: Path) -> None:
    page = report(files, "--sentiment")
    assert 'aria-label="food: 1 negative, 0 mixed, 0 neutral, 0 positive"' in page
    assert 'aria-label="staff: 0 negative, 0 mixed, 0 neutral, 1 positive"' in page
    assert f'aria-label="negative:">\u2212</b> {BOTH}' in page
    assert f'aria-label="positive:">+</b> {BOTH}' in page
    assert "What they think of it" not in report(files)


def test_the_page_of_reviews_has_the_sign_beside_the_aspect(files: Path) -> None:
    page = detect(files, "out.html", "--sentiment").read_text()
    for polarity, sign, name in (("negative", "\u2212", "food"), ("positive", "+", "staff")):
        assert f'<b title="{polarity}" aria-label="{polarity}">{sign}</b> {name} ' in page
    assert "<b title=" not in detect(files, "plain.html").read_text()
