"""Results are written in every format with all columns of the reviews, and files appear whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fewaspect.core.errors import ConfigError, DataError
from fewaspect.reviews.formats import InputFormat, OutputFormat
from fewaspect.reviews.pipeline import Stream, Summary, detect_stream
from fewaspect.reviews.readers.source import Source
from fewaspect.reviews.writers import Layout, Target
from keyword_detector import KeywordDetector

RECORDS: list[dict[str, Any]] = [
    {"id": 1, "text": "The soup was cold. The waiter, though, was kind.", "who": {"name": "Zoë"}, "score": 0.123456},
    {"id": 2, "text": "", "who": None, "score": None},
    {"id": 3, "text": "We left <b>early</b> 🙈, “really”", "score": float("nan")},
    {"id": 4, "text": "A cheap pizza.", "who": "x"},
]


def detect(
    source: Path | str, target: Path | str, *, detector: KeywordDetector | None = None, column: str | None = None,
    size: int = 1000, read_as: str | None = None, write_as: str | None = None, **layout: Any,
) -> Summary:  # fmt: skip
    detector = detector or KeywordDetector()
    stream = Stream(Source(str(source), InputFormat(read_as or Path(source).suffix[1:])), column, size=size)
    rows = Layout(tuple(detector.classes_), **layout)
    summary = Summary(rows.classes)
    where = Target(str(target), OutputFormat(write_as or Path(target).suffix[1:]), "A <title>")
    detect_stream(detector, stream, where, rows, summary)
    return summary


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in RECORDS), encoding="utf-8")
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def table(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def test_json_lines_carry_every_field_and_the_result(reviews: Path, tmp_path: Path) -> None:
    detect(reviews, out := tmp_path / "out.jsonl")
    found = lines(out)
    assert [row["aspects"] for row in found] == [["food", "service"], [], [], ["food", "price & value"]]
    assert found[0]["probabilities"] == {"food": 0.95, "service": 0.95, "price & value": 0.05}
    assert found[0]["who"] == {"name": "Zoë"}
    assert found[0]["score"] == 0.123456
    assert found[2]["score"] is None, "JSON has no NaN"
    assert "NaN" not in out.read_text()
    assert [set(row) - set(record) for row, record in zip(found, RECORDS, strict=True)] == [
        {"aspects", "probabilities", "text_language"}
    ] * 4


def test_an_explanation_has_the_reason_the_words_the_sentences_and_the_nearest_examples(
    reviews: Path, tmp_path: Path
) -> None:
    detect(reviews, out := tmp_path / "out.jsonl", explain=True)
    first = lines(out)[0]
    assert first["reason"] == "keywords of food, service"
    assert [(word["text"], word["aspect"]) for word in first["words"]] == [("soup", "food"), ("waiter", "service")]
    assert all(first["text"][word["start"] : word["end"]] == word["text"] for word in first["words"])
    assert [sentence["aspects"] for sentence in first["sentences"]] == [["food"], ["service"]]
    assert first["nearest"]["food"] == [{"text": "soup", "similarity": 0.5}]


@pytest.mark.parametrize(("format", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_a_table_has_the_columns_the_aspects_and_a_column_per_aspect(
    reviews: Path, tmp_path: Path, format: str, delimiter: str
) -> None:
    detect(reviews, out := tmp_path / f"out.{format}", explain=True)
    found = table(out, delimiter)
    assert list(found[0]) == [
        "id", "text", "who", "score", "aspects", "p_food", "p_service", "p_price & value", "text_language",
        "reason", "words",
    ]  # fmt: skip
    assert found[0]["aspects"] == "food; service"
    assert found[0]["words"] == "food: soup; service: waiter"
    assert found[0]["p_food"] == "0.9500"
    assert found[0]["who"] == '{"name": "Zoë"}'
    assert found[0]["score"] == "0.123456", "numbers of the reviews are not rounded"
    assert [row["text"] for row in found] == [record["text"] for record in RECORDS]


def test_a_table_can_be_read_again_whatever_its_cells_hold(tmp_path: Path) -> None:
    texts = ["soup " * 100_000, "cold\rsoup", "cold\r\nsoup\n", 'a "soup"']
    (path := tmp_path / "r.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    detect(path, first := tmp_path / "first.csv")
    detect(first, second := tmp_path / "second.jsonl", prefix="again_")
    assert [row["text"] for row in lines(second)] == texts
    assert [row["again_aspects"] for row in lines(second)] == [["food"]] * 4


def test_the_lines_of_a_table_end_in_a_line_feed(reviews: Path, tmp_path: Path) -> None:
    detect(reviews, out := tmp_path / "out.csv")
    assert b"\r" not in out.read_bytes()


def test_parquet_has_lists_and_numbers(reviews: Path, tmp_path: Path) -> None:
    detect(reviews, out := tmp_path / "out.parquet", size=3)
    found = pq.read_table(out)
    assert found.schema.field("id").type == pa.int64()
    assert found.schema.field("who").type == pa.string(), "mixed content is JSON"
    assert found.schema.field("aspects").type == pa.list_(pa.string())
    assert found.column("aspects").to_pylist()[3] == ["food", "price & value"]
    assert found.column("p_food").to_pylist()[0] == pytest.approx(0.95)


def test_parquet_to_parquet_keeps_the_types(tmp_path: Path) -> None:
    schema = pa.schema([("text", pa.string()), ("n", pa.uint8()), ("d", pa.decimal128(5, 2)), ("b", pa.binary())])
    rows = pa.table({"text": ["soup"], "n": [7], "d": [None], "b": [b"\xff"]}, schema=schema)
    pq.write_table(rows, source := tmp_path / "in.parquet")
    detect(source, out := tmp_path / "out.parquet")
    assert pq.read_table(out).select(schema.names) == rows
    detect(source, text := tmp_path / "out.jsonl")
    assert lines(text)[0]["b"] == "/w=="


def test_a_row_per_sentence_has_the_sentence_its_place_and_the_other_columns(reviews: Path, tmp_path: Path) -> None:
    detect(reviews, out := tmp_path / "out.jsonl", per_sentence=True, explain=True)
    found = lines(out)
    assert [(row["id"], row["row"], row["text"]) for row in found] == [
        (1, 1, "The soup was cold."), (1, 1, "The waiter, though, was kind."),
        (3, 3, RECORDS[2]["text"]), (4, 4, "A cheap pizza."),
    ]  # fmt: skip
    assert RECORDS[0]["text"][found[1]["start"] : found[1]["end"]] == found[1]["text"]
    assert [word["text"] for word in found[1]["words"]] == ["waiter"]
    assert found[1]["text"][found[1]["words"][0]["start"] :].startswith("waiter")


def test_repeated_texts_are_scored_once_in_a_chunk(tmp_path: Path) -> None:
    path = tmp_path / "r.txt"
    path.write_text("soup\nwaiter\nsoup\nsoup\n" * 2)
    detector = KeywordDetector()
    summary = detect(path, out := tmp_path / "out.jsonl", detector=detector, size=4)
    assert detector.asked == [["soup", "waiter"]] * 2
    assert [row["aspects"] for row in lines(out)] == [["food"], ["service"], ["food"], ["food"]] * 2
    assert (summary.reviews, summary.counts["food"], summary.counts["service"]) == (8, 6, 2)


def test_the_summary_counts_reviews_pairs_and_those_without(reviews: Path, tmp_path: Path) -> None:
    summary = detect(reviews, tmp_path / "out.csv", size=2)
    assert (summary.reviews, summary.sentences, summary.without) == (4, 4, 2)
    assert summary.counts == {"food": 2, "service": 1, "price & value": 1}
    assert summary.together("service", "food") == summary.together("food", "service") == 1
    assert summary.together("service", "price & value") == 0
    assert summary.by_frequency() == ["food", "service", "price & value"]


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_a_column_of_the_reviews_is_never_overwritten(tmp_path: Path, format: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text("text,aspects\nsoup,mine\n")
    with pytest.raises(DataError, match=r'r\.csv.*: the column "aspects" is one that the output adds\.\n.*--prefix'):
        detect(path, tmp_path / f"out.{format}")
    detect(path, out := tmp_path / f"out.{format}", prefix="found_")
    first = (
        pq.read_table(out).to_pylist()[0]
        if format == "parquet"
        else (lines(out) if format == "jsonl" else table(out))[0]
    )
    assert first["aspects"] == "mine"
    assert first["found_aspects"] in (["food"], "food")


@pytest.mark.parametrize("format", [format.value for format in OutputFormat])
def test_after_an_error_the_old_file_is_as_it_was(
    tmp_path: Path, format: str, capfd: pytest.CaptureFixture[str]
) -> None:
    class Fails(KeywordDetector):
        def analyze_many(self, texts: Any, words: bool = True) -> list[Any]:
            if "bad" in texts:
                raise DataError("bad text")
            return super().analyze_many(texts, words)

    (path := tmp_path / "r.txt").write_text("soup\nbad\n")
    (out := tmp_path / f"out.{format}").write_text("precious")
    with pytest.raises(DataError, match="bad text"):
        detect(path, out, detector=Fails(), size=1)
    assert out.read_text() == "precious"
    assert sorted(tmp_path.iterdir()) == [out, path]
    assert capfd.readouterr().err == ""


def test_a_separator_in_an_aspects_name_is_refused_in_tables_before_anything_is_scored(tmp_path: Path) -> None:
    (path := tmp_path / "r.txt").write_text("soup\n")
    detector = KeywordDetector({"food; drinks": ("soup",)})
    with pytest.raises(DataError, match='"food; drinks" contains ";"'):
        detect(path, tmp_path / "out.csv", detector=detector)
    assert detector.asked == []
    detect(path, out := tmp_path / "out.jsonl", detector=detector)
    assert lines(out)[0]["aspects"] == ["food; drinks"]


def test_a_field_that_a_pipe_brings_late_is_refused_in_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    content = b'{"text": "soup", "n": 1}\n{"text": "waiter", "n": "x"}\n{"text": "", "late": 1}\n'
    for format, message in {"csv": 'line 3: the field "late"', "parquet": 'line 2: "n" held integers'}.items():
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        with pytest.raises(DataError, match=message):
            detect("-", tmp_path / f"out.{format}", read_as="jsonl", size=1)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    detect("-", out := tmp_path / "out.jsonl", read_as="jsonl", size=1)
    assert lines(out)[2] == {
        "text": "",
        "late": 1,
        **{k: lines(out)[2][k] for k in ("aspects", "probabilities", "text_language")},
    }
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


@pytest.mark.parametrize("format", ["csv", "jsonl", "html", "parquet"])
def test_standard_output_gets_what_a_file_gets(
    reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    detect(reviews, out := tmp_path / f"out.{format}")
    pipe = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=pipe, isatty=lambda: False))
    detect(reviews, "-", write_as=format)
    assert pipe.getvalue() == out.read_bytes()


def test_a_directory_and_a_terminal_for_parquet_are_refused(
    reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="found a directory"):
        detect(reviews, tmp_path, write_as="csv")
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda: True))
    with pytest.raises(ConfigError, match="not for a terminal"):
        detect(reviews, "-", write_as="parquet")


def test_the_page_shows_every_review_with_its_words_marked_and_markup_as_text(reviews: Path, tmp_path: Path) -> None:
    detect(reviews, out := tmp_path / "out.html", explain=True)
    page = out.read_text(encoding="utf-8")
    assert page.count('<article class="review card"') == 4
    assert re.search(r'<mark style="--h: \d+" title="food">soup</mark>', page)
    assert '<mark style="--h: 130" title="price &amp; value">cheap</mark>' in page
    assert "We left &lt;b&gt;early&lt;/b&gt; 🙈" in page
    assert "<title>A &lt;title&gt;: aspects</title>" in page
    assert "no keyword" in page
    assert "4 reviews" in page
    assert "</html>" in page


def test_the_page_needs_nothing_from_outside(reviews: Path, tmp_path: Path) -> None:
    detect(reviews, out := tmp_path / "out.html")
    assert not re.search(r"(src|href)\s*=|url\(|@import|https?:", out.read_text(encoding="utf-8"))
