"""The quickstart with the shipped weights, with every socket refused."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from fewaspect.data.sample_set import load_sample, load_showcase
from fewaspect.reviews.quickstart import SHOTS, split
from in_process import fewaspect

NO_NETWORK = """
import socket, sys

def refuse(*arguments, **more):
    raise OSError("the network was used")

socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
sys.argv[1:] = ["quickstart", "--out", sys.argv[1]]
from fewaspect.cli.app import main
main()
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    out = tmp_path_factory.mktemp("quickstart")
    done = subprocess.run([sys.executable, "-c", NO_NETWORK, str(out)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, out


def test_it_runs_offline_and_shows_every_review(finished: tuple[str, Path]) -> None:
    stdout, out = finished
    assert "taken as found" not in stdout
    assert "6 aspects, 30 examples" in stdout
    assert "macro-F1" in stdout
    page = (out / "tagged.html").read_text(encoding="utf-8")
    plain = html.unescape(re.sub(r"<[^>]+>", "", page))
    for review in load_showcase().reviews:
        assert review.text in plain


def test_the_files_it_writes_can_be_used_as_it_says(finished: tuple[str, Path]) -> None:
    stdout, out = finished
    (said,) = [line.split() for line in stdout.splitlines() if line.strip().startswith("fewaspect detect")]
    assert [Path(part).name for part in said[2::2]] == ["reviews.jsonl", "examples.json", "tagged.html"]
    done = subprocess.run(
        [sys.executable, "-m", *said[:-1], str(out / "again.csv")], capture_output=True, text=True, cwd=out
    )
    assert done.returncode == 0, done.stderr
    assert len((out / "again.csv").read_text().splitlines()) == 1 + len(load_showcase().reviews)


def test_run_again_it_takes_what_was_changed_and_leaves_it_alone(tmp_path: Path) -> None:
    out = tmp_path / "quickstart"
    out.mkdir()
    (out / "reviews.jsonl").write_text(mine := '{"text": "The [soup] was cold."}\n')
    (out / "examples.json").write_text(aspects := '{"food": ["cold soup"], "noise": ["so loud"]}')
    first = fewaspect("quickstart", "--out", out)
    assert first.returncode == 0, first.stderr
    assert "reviews.jsonl taken as found" in " ".join(first.stdout.split())
    assert "2 aspects, 2 examples" in first.stdout
    assert "The [soup] was cold." in first.stdout
    assert (out / "reviews.jsonl").read_text() == mine
    assert (out / "examples.json").read_text() == aspects
    (out / "examples.json").unlink()
    second = fewaspect("quickstart", "--out", out)
    assert f"{len(load_showcase().examples)} aspects" in second.stdout
    assert json.loads((out / "examples.json").read_text()).keys() == load_showcase().examples.keys()


def test_what_it_answers_is_right_and_most_reviews_get_all_they_should() -> None:
    from fewaspect import AspectDetector

    showcase = load_showcase()
    tagged = AspectDetector().fit(showcase.examples).predict([review.text for review in showcase.reviews])
    pairs = [(set(found), set(review.aspects)) for found, review in zip(tagged, showcase.reviews, strict=True)]
    assert sum(len(found - right) for found, right in pairs) <= 1
    assert sum(found == right for found, right in pairs) >= 8  # of 14; some of them only hint at an aspect


def test_what_is_measured_on_is_no_example() -> None:
    sentences = load_sample()["test"]
    texts, labels, tested, truth = split(sentences)
    assert not set(texts) & set(tested)
    assert sorted(texts + tested) == sorted(sentences.texts)
    assert min(Counter(aspect for own in labels for aspect in own).values()) >= SHOTS
    assert {aspect for own in truth for aspect in own} == set(sentences.classes)
