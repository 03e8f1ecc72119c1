"""`fewaspect detect` and `report` read, write and count as their options say; with a detector of keywords."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from fewaspect.cli.app import app
from fewaspect.cli.review_options import parse_thresholds
from fewaspect.core.errors import ConfigError, DataError, FewAspectError
from keyword_detector import KeywordDetector


@pytest.fixture(autouse=True)
def detector(monkeypatch: pytest.MonkeyPatch) -> KeywordDetector:
    detector = KeywordDetector()
    for command in ("detect", "report"):
        monkeypatch.setattr(f"fewaspect.cli.{command}.make_detector", lambda *given, **options: detector)
    return detector


def run(*arguments: object, input: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)


def refused(result: Result) -> str:
    assert isinstance(result.exception, FewAspectError)
    return str(result.exception)


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    (path := tmp_path / "reviews.csv").write_text("id,text\n1,Cold soup. Kind waiter.\n2,hello\n3,cold soup\n")
    return path


def test_a_pipe_gives_json_lines_and_the_summary_goes_to_standard_error() -> None:
    result = run("detect", "-", "--examples", "e.json", input="cold soup\nhello\n")
    assert result.exit_code == 0
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["text"], row["aspects"]) for row in rows] == [("cold soup", ["food"]), ("hello", [])]
    assert "2 reviews" in result.stderr
    assert "none of these" in result.stderr
    assert "sentences, " in result.stderr
    assert "per second" in result.stderr


@pytest.mark.parametrize("command", ["detect", "report"])
def test_standard_output_has_two_names(command: str) -> None:
    one, other = (run(command, "-", "-q", "-o", name, input="cold soup\n").stdout for name in ("-", "/dev/stdout"))
    assert one == other != ""


def test_one_format_serves_both_ends_of_a_pipe() -> None:
    result = run("detect", "-", "--format", "csv", "--quiet", input="id,body\n7,cold soup\n")
    assert result.stdout.splitlines()[1].startswith("7,cold soup,food,0.95")
    assert result.stderr == ""


def test_quotes_and_line_ends_survive_a_table_in_a_pipe() -> None:
    row = '1,"a ""cold"" soup\nand more"'
    result = run("detect", "-", "--format", "csv", "-q", input=f"id,text\r\n{row}\r\n".encode())
    assert row in result.stdout.replace("\r", "")


def test_a_table_for_a_spreadsheet_begins_with_a_mark_and_has_the_rows_asked_for(tmp_path: Path) -> None:
    (path := tmp_path / "w.csv").write_bytes("id;text\n1;Größe. =cold soup\n2;=cold soup\n".encode("cp1252"))
    result = run("detect", path, "-o", out := tmp_path / "out.csv", "--spreadsheet", "--rows", "sentence")
    assert "w.csv: read as Windows-1252, cells separated by semicolons" in result.stderr
    content = out.read_bytes().decode("utf-8")
    assert content.startswith("\ufeffid;text;row")
    assert re.search(r"\n2;'=cold soup;2;.*;0,\d{4}", content), "as the Excel that wrote semicolons reads numbers"
    (commas := tmp_path / "c.csv").write_text("id,text\n2,=cold soup\n")
    run("detect", commas, "-o", out, "--spreadsheet")
    assert re.search(r"\n2,'=cold soup,.*,0\.\d{4}", out.read_text())
    assert run("detect", path, "-q", "-o", tmp_path / "out.xlsx").exit_code == 0
    assert run("detect", tmp_path / "out.xlsx", "-q", "--prefix", "again_").stdout.count("cold soup") == 2


def test_options_reach_the_output(reviews: Path, tmp_path: Path, detector: KeywordDetector) -> None:
    out = tmp_path / "out.jsonl"
    options = ("--per-sentence", "--explain", "--prefix", "x_", "--chunk", "2", "--column", "text")
    assert run("detect", reviews, "-o", out, *options).exit_code == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["id"], row["x_row"], row["text"]) for row in rows] == [
        ("1", 1, "Cold soup."), ("1", 1, "Kind waiter."), ("2", 2, "hello"), ("3", 3, "cold soup"),
    ]  # fmt: skip
    assert rows[0]["x_words"][0]["text"] == "soup"
    assert [len(asked) for asked in detector.asked] == [2, 1]


@pytest.mark.parametrize(
    ("output", "explain", "words"), [("o.csv", False, False), ("o.csv", True, True), ("o.html", False, True)]
)
def test_words_are_explained_only_where_they_are_shown(
    reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str, explain: bool, words: bool
) -> None:
    seen: list[bool] = []

    class Watched(KeywordDetector):
        def analyze_many(self, texts: Any, words: bool = True) -> list[Any]:
            seen.append(words)
            return super().analyze_many(texts, words)

    monkeypatch.setattr("fewaspect.cli.detect.make_detector", lambda *given, **options: Watched())
    assert run("detect", reviews, "-o", tmp_path / output, *(["--explain"] if explain else [])).exit_code == 0
    assert seen == [words]


def test_a_fault_in_the_file_shows_before_the_model_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path := tmp_path / "r.jsonl").write_text('{"text": "fine"}\n{"text": 3}\n')
    monkeypatch.setattr("fewaspect.cli.detect.make_detector", lambda *given, **options: pytest.fail("loaded"))
    result = run("detect", path, "-o", tmp_path / "o.csv")
    assert isinstance(result.exception, DataError)
    assert f'{path}, line 2: "text" must be a string, found the number 3' in str(result.exception)
    assert list(tmp_path.iterdir()) == [path]


def test_results_never_take_the_place_of_the_reviews(reviews: Path) -> None:
    before = reviews.read_bytes()
    assert "names the file of the reviews" in refused(run("detect", reviews, "-o", reviews))
    assert "names the file of the reviews" in refused(run("report", reviews, "-o", reviews))
    assert "names the file of the reviews" in refused(run("suggest", reviews, "-o", reviews))
    assert reviews.read_bytes() == before


def test_results_never_take_the_place_of_the_examples(reviews: Path, tmp_path: Path) -> None:
    examples = tmp_path / "examples.jsonl"
    examples.write_text('{"text": "cold soup", "labels": ["food"]}\n')
    for command in ("detect", "report", "suggest"):
        message = refused(run(command, reviews, "--examples", examples, "-o", examples))
        assert "names the file of the examples" in message
    assert "cold soup" in examples.read_text()


def test_a_compressed_output_is_refused(reviews: Path, tmp_path: Path) -> None:
    assert "found .gz" in refused(run("detect", reviews, "-o", tmp_path / "out.csv.gz"))
    assert not list(tmp_path.glob("out*"))


def test_an_output_folder_that_is_missing_shows_before_anything_is_scored(
    reviews: Path, tmp_path: Path, detector: KeywordDetector
) -> None:
    for command, name in (("detect", "o.csv"), ("report", "o.html")):
        result = run(command, reviews, "-o", tmp_path / "missing" / name)
        assert isinstance(result.exception, FileNotFoundError)
    assert detector.asked == []


@pytest.mark.parametrize("name", ["r.csv", "r.JSON", "r.parquet", "r.html.gz"])
def test_a_report_never_goes_into_a_file_that_is_called_something_else(
    reviews: Path, tmp_path: Path, name: str
) -> None:
    assert "expected the name of a page" in refused(run("report", reviews, "-o", tmp_path / name))
    assert list(tmp_path.iterdir()) == [reviews]


def test_the_report_is_written_and_named(reviews: Path, tmp_path: Path) -> None:
    result = run("report", reviews, "-o", tmp_path / "report.html", "--title", "Spring & summer", "--sentences", "1")
    assert result.exit_code == 0
    assert result.stdout.strip() == str(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "Spring &amp; summer" in page
    assert "</html>" in page
    assert run("report", "-", "-o", tmp_path / "pipe.html", "-q", input="cold soup\n").exit_code == 0
    assert "<b>1</b><span>reviews</span>" in (tmp_path / "pipe.html").read_text()


def test_thresholds_are_for_all_or_for_those_named() -> None:
    classes = ["food", "a=b"]
    assert parse_thresholds(["0.4"], classes) == 0.4
    assert parse_thresholds(["food=0.4"], classes) == {"food": 0.4}
    assert parse_thresholds(["a=b=0.3", "0.6"], classes) == {"food": 0.6, "a=b": 0.3}
    for wrong, message in {
        "1.5": "from 0 to 1, found 1.5",
        "x": "found x",
        "fod=0.5": "found fod",
        "nan": "nan",
    }.items():
        with pytest.raises(ConfigError, match=message):
            parse_thresholds([wrong], classes)
