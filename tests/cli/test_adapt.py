"""`detect`, `report`, `suggest` and `fit` learn from reviews without labels, once and before the first is scored."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.cli.app import app
from pile import REVIEWS, adaptive_model

FEW = REVIEWS[:20]


def run(*arguments: object, input: str | None = None) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)
    assert result.exit_code == 0, result.exception
    return result


def written(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


def found(result: Result) -> dict[str, dict[str, float]]:
    """The probabilities of each text."""
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return {row["text"]: row["probabilities"] for row in rows}


def same(one: dict[str, dict[str, float]], other: dict[str, dict[str, float]]) -> bool:
    """But for the last digit: texts that were read in other batches differ in the last bits."""
    pairs = ((one[text], other.get(text, {})) for text in one)
    return one.keys() == other.keys() and all(mine == pytest.approx(its, abs=2e-4) for mine, its in pairs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adapt")
    (folder / "examples.json").write_text(json.dumps(EXAMPLES))
    adaptive_model(folder / "model")
    written(folder / "reviews.txt", REVIEWS)
    written(folder / "few.txt", FEW)
    return folder


@pytest.fixture(scope="module")
def given(folder: Path) -> tuple[object, ...]:
    """Aspects by example, on the model."""
    return ("--examples", folder / "examples.json", "--model", folder / "model")


@pytest.fixture(scope="module")
def adapted(folder: Path, given: tuple[object, ...]) -> dict[str, dict[str, float]]:
    return found(run("detect", folder / "reviews.txt", *given))


@pytest.fixture(scope="module")
def plain(folder: Path, given: tuple[object, ...]) -> dict[str, dict[str, float]]:
    return found(run("detect", folder / "reviews.txt", *given, "--no-adapt"))


def detector(folder: Path) -> AspectDetector:
    return AspectDetector(folder / "model").fit(EXAMPLES)


def test_the_reviews_of_a_file_are_learned_from(
    folder: Path, adapted: dict[str, dict[str, float]], plain: dict[str, dict[str, float]]
) -> None:
    expected = detector(folder).adapt(REVIEWS).predict_proba(REVIEWS)
    assert [list(adapted[text].values()) for text in REVIEWS] == pytest.approx(expected, abs=1e-3)
    unadapted = detector(folder).predict_proba(REVIEWS)
    assert [list(plain[text].values()) for text in REVIEWS] == pytest.approx(unadapted, abs=1e-3)
    assert abs(expected - unadapted).max() > 0.05


def test_it_is_said_how_many_sentences_were_learned_from(folder: Path, given: tuple[object, ...]) -> None:
    size = detector(folder).adapt(REVIEWS).pile_size_
    assert f"learned from {size} sentences of the reviews\n" in run("detect", folder / "reviews.txt", *given).stderr
    assert "learned" not in run("detect", folder / "reviews.txt", *given, "--no-adapt").stderr
    assert run("detect", folder / "reviews.txt", *given, "-q").stderr == ""


def test_neither_chunks_nor_order_nor_format_make_a_difference(
    folder: Path, given: tuple[object, ...], adapted: dict[str, dict[str, float]], tmp_path: Path
) -> None:
    mixed = random.Random(3).sample(REVIEWS, len(REVIEWS))
    assert same(found(run("detect", folder / "reviews.txt", *given, "--chunk", 7)), adapted)
    assert same(found(run("detect", written(tmp_path / "mixed.txt", [*mixed, *mixed[:50]]), *given)), adapted)
    with (table := tmp_path / "reviews.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in mixed)])
    assert same(found(run("detect", table, *given, "--to", "jsonl")), adapted)


def test_parquet_is_sampled_too(
    folder: Path, given: tuple[object, ...], adapted: dict[str, dict[str, float]], tmp_path: Path
) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"text": REVIEWS}), tmp_path / "reviews.parquet", row_group_size=9)
    assert same(found(run("detect", tmp_path / "reviews.parquet", *given, "--to", "jsonl")), adapted)


def test_of_a_pipe_the_first_chunk_is_learned_from(
    folder: Path, given: tuple[object, ...], adapted: dict[str, dict[str, float]], plain: dict[str, dict[str, float]]
) -> None:
    lines = "".join(f"{text}\n" for text in REVIEWS)
    assert same(found(run("detect", "-", *given, input=lines)), adapted)
    assert same(found(run("detect", "-", *given, "--chunk", 10, input=lines)), plain), "ten reviews are too few"
    first = found(run("detect", "-", *given, "--chunk", 190, input=lines))
    expected = detector(folder).adapt(REVIEWS[:190]).predict_proba(REVIEWS)
    assert [list(first[text].values()) for text in REVIEWS] == pytest.approx(expected, abs=1e-3)


def test_from_few_reviews_nothing_is_learned(folder: Path, given: tuple[object, ...]) -> None:
    result = run("detect", folder / "few.txt", *given)
    assert found(result) == found(run("detect", folder / "few.txt", *given, "--no-adapt"))
    assert "learn" not in result.stderr
    assert "too few sentences to learn from" in run("detect", folder / "few.txt", *given, "--adapt").stderr


def test_what_was_saved_stays_unless_told_otherwise(
    folder: Path, given: tuple[object, ...], adapted: dict[str, dict[str, float]], tmp_path: Path
) -> None:
    saved = tmp_path / "detector"
    options = ("-o", saved, "--model", folder / "model", "--unlabelled", folder / "reviews.txt")
    size = detector(folder).adapt(REVIEWS).pile_size_
    said = run("fit", folder / "examples.json", *options).stdout
    assert f"a detector of 3 aspects, which learned from {size} unlabelled sentences" in said
    others = written(tmp_path / "others.txt", [*REVIEWS[:5], *(f"We sat at table {n}." for n in range(200))])
    kept = run("detect", others, "--model", saved)
    assert f"learned from {size} sentences, saved with the detector" in kept.stderr
    assert same({text: found(kept)[text] for text in REVIEWS[:5]}, {text: adapted[text] for text in REVIEWS[:5]})
    assert same(found(run("detect", others, "--model", saved, "--no-adapt")), found(kept))
    assert same(found(run("detect", others, "--model", saved, "--adapt")), found(run("detect", others, *given)))


def test_fit_says_when_there_is_too_little_to_learn_from(folder: Path, tmp_path: Path) -> None:
    options = ("-o", tmp_path / "detector", "--unlabelled", folder / "few.txt")
    result = run("fit", folder / "examples.json", *options)
    assert "few.txt: too few sentences to learn from." in result.stderr
    assert result.stdout.endswith("a detector of 3 aspects\n")


def test_report_and_suggest_learn_too(folder: Path, given: tuple[object, ...], tmp_path: Path) -> None:
    size = detector(folder).adapt(REVIEWS).pile_size_
    reviews, page = folder / "reviews.txt", tmp_path / "report.html"
    assert f"learned from {size} sentences of the reviews" in run("report", reviews, *given, "-o", page).stderr
    assert f"learned from {size} sentences of the reviews" in run("suggest", reviews, *given).stderr
    assert "learned" not in run("report", reviews, *given, "-o", page, "--no-adapt").stderr
    assert "learned" not in run("suggest", reviews, *given, "--no-adapt").stderr
