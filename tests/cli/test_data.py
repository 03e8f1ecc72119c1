"""`fewaspect data` prints what is in a file, converts it, and leaves nothing behind after an error."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fewaspect.cli.data import app
from fewaspect.core.errors import DataError
from fewaspect.data.formats import read_sentences, write_sentences
from fewaspect.data.labelled import LabelledSentence
from fewaspect.data.provenance import published_files

LINES = [
    {"text": "the soup was cold", "labels": ["food"]},
    {"text": "The soup was  cold", "labels": ["food", "[red]price\x1b[2J"]},
    {"text": "we left", "labels": []},
]


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def fewaspect(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fewaspect", "data", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def test_check_prints_the_statistics(reviews: Path) -> None:
    result = run("check", reviews, "--shot", "1", "--queries", "1")
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    for expected in (
        "│ sentences │ 3 │",
        "│ aspects │ 2 │",
        "│ labels per sentence │ 1 with 1, 1 with 2 │",
        "│ none (no aspect) │ 1 │",
        "│ duplicate lines │ 1, of which 1 with other labels │",
        "│ food │ 2 │ 1 │ too small │",
    ):
        assert expected in lines
    assert any("2 of 2 aspects (fewer than 1 + 1 = 2 texts)" in line for line in lines)


def test_aspect_names_are_shown_as_they_are_without_markup_or_control_characters(reviews: Path) -> None:
    output = run("check", reviews).output
    assert "[red]price\\x1b[2J" in output
    assert "\x1b" not in output


def test_check_writes_the_same_statistics_as_json(reviews: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert run("check", reviews, "--json", out, "--shot", "2").exit_code == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert (found["sentences"], found["duplicates"], found["contradictory"], found["shots"]) == (3, 1, 1, 2)
    assert found["per_aspect"]["food"] == {"sentences": 2, "texts": 1}


def test_check_never_overwrites_the_file_it_checks(reviews: Path) -> None:
    before = reviews.read_bytes()
    assert isinstance(run("check", reviews, "--json", reviews).exception, DataError)
    assert reviews.read_bytes() == before


def test_options_name_format_fields_separator_and_encoding(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_bytes("tags;x\treview\nfood|price\tcafé\n".replace(";x", "").encode("latin-1"))
    options = ("--text-field", "review", "--label-field", "tags", "--label-separator", "|", "--encoding", "latin-1")
    for option in ("--from", "--format"):
        assert run("check", path, option, "tsv", *options).exit_code == 0
    assert run("convert", path, tmp_path / "out.xml", "--from", "tsv", *options).exit_code == 0
    sentence = read_sentences(tmp_path / "out.xml")[0]
    assert (sentence.text, sentence.aspects) == ("café", ("food", "price"))


def test_convert_writes_every_sentence(reviews: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    result = run("convert", reviews, out)
    assert result.exit_code == 0
    assert "3 sentences, 2 aspects (parquet)" in result.output
    assert list(read_sentences(out)) == list(read_sentences(reviews))


def test_convert_replaces_an_existing_file_only_with_force(reviews: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("precious")
    assert "--force" in str(run("convert", reviews, out).exception)
    assert out.read_text() == "precious"
    assert run("convert", reviews, out, "--force").exit_code == 0
    assert len(read_sentences(out)) == 3


def test_a_file_can_be_converted_in_place_with_force(reviews: Path) -> None:
    assert run("convert", reviews, reviews, "--force").exit_code == 0
    assert len(read_sentences(reviews)) == 3


@pytest.mark.parametrize("name", ["out.jsonl", "out.unknown", "missing/out.csv"])
def test_a_failed_conversion_leaves_no_file(tmp_path: Path, name: str) -> None:
    source = tmp_path / "in.jsonl"
    broken = '{"text": "x", "labels": []}\n{"text": \n' if name == "out.jsonl" else '{"text": "x", "labels": []}\n'
    source.write_text(broken)
    assert isinstance(run("convert", source, tmp_path / name).exception, DataError)
    assert list(tmp_path.iterdir()) == [source]


def test_an_error_exits_with_2_and_one_message_without_a_traceback(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "x", "labels": "food"}\n')
    for arguments in (("check", source), ("convert", source, tmp_path / "out.csv"), ("check", tmp_path)):
        result = fewaspect(*arguments)
        assert result.returncode == 2
        assert result.stderr.startswith("error: ")
        assert "Traceback" not in result.stderr
        assert result.stdout == ""
    assert list(tmp_path.iterdir()) == [source]


def test_check_and_convert_work_from_the_command_line(reviews: Path, tmp_path: Path) -> None:
    assert "sentences" in fewaspect("check", reviews).stdout
    assert fewaspect("convert", reviews, tmp_path / "out.csv").returncode == 0
    assert len(read_sentences(tmp_path / "out.csv")) == 3


def test_importing_the_command_loads_nothing_heavy() -> None:
    code = "import sys, fewaspect.cli.data; sys.exit(bool({'numpy', 'pyarrow', 'torch'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_check_says_whether_a_file_of_fewasp_is_the_published_one(tmp_path: Path) -> None:
    aspects = next(file for file in published_files() if file.name == "fewasp-single/test").aspects
    path, told = tmp_path / "test.json", tmp_path / "told.json"
    write_sentences([LabelledSentence(f"sentence about {aspect}", (aspect,)) for aspect in aspects], path)
    result = run("check", path, "--json", told)
    assert result.exit_code == 0
    assert "not the published file fewasp-single/test" in " ".join(result.output.split())
    assert json.loads(told.read_text(encoding="utf-8"))["published"]["verdict"] == "not the published file"
    failed = run("check", path, "--as", "fewasp-single/test")
    assert isinstance(failed.exception, DataError)
    assert "expected the published fewasp-single/test, found another file: 20 lines" in str(failed.exception)


def test_check_says_nothing_about_fewasp_of_other_files(reviews: Path, tmp_path: Path) -> None:
    assert "published" not in run("check", reviews, "--json", tmp_path / "told.json").output
    assert "published" not in json.loads((tmp_path / "told.json").read_text(encoding="utf-8"))
