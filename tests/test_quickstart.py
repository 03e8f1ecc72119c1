"""The quickstart with the real encoder, with every socket refused."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fewaspect.data.sampleset import load_showcase
from fewaspect.errors import ConfigError
from fewaspect.quickstart import _make_room
from fewaspect.quickstart.page import write_page
from fewaspect.quickstart.tagging import Tagged, Word

NO_NETWORK = """
import socket, sys

def refuse(*arguments, **more):
    raise OSError("the network was used")

socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
sys.argv[1:] = ["quickstart", "--out", sys.argv[1]]
from fewaspect.cli import main
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
    assert "macro-F1" in stdout
    page = (out / "quickstart.html").read_text(encoding="utf-8")
    plain = re.sub(r"<[^>]+>", "", page).replace("&#39;", "'").replace("&#34;", '"')
    for review in load_showcase().reviews:
        assert review.text in plain


def test_it_can_be_run_again_but_replaces_no_other_run(finished: tuple[str, Path], tmp_path: Path) -> None:
    run = tmp_path / "quickstart-run"
    shutil.copytree(finished[1] / "quickstart-run", run)
    about = json.loads((run / "run.json").read_text())
    about["settings"]["train"]["benchmark"] = "fewasp-single"
    (run / "run.json").write_text(json.dumps(about))
    with pytest.raises(ConfigError, match="another run"):
        _make_room(run)
    assert (run / "model.safetensors").is_file()
    about["settings"]["train"]["benchmark"] = "sample"
    (run / "run.json").write_text(json.dumps(about))
    _make_room(run)
    assert not run.exists()


def test_its_page_needs_nothing_from_outside(finished: tuple[str, Path]) -> None:
    page = (finished[1] / "quickstart.html").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)\s*=|url\(|@import", page)


def test_most_reviews_get_a_right_aspect(finished: tuple[str, Path]) -> None:
    """Far above chance (about 1 in 4); the showcase is hard on purpose, so not all."""
    from fewaspect.quickstart.tagging import tag

    showcase = load_showcase()
    names = list(showcase.examples)
    tagged = tag(finished[1] / "quickstart-run", showcase.examples, [review.text for review in showcase.reviews])
    right = [names[t.aspects[0]] in review.aspects for t, review in zip(tagged, showcase.reviews, strict=True)]
    assert sum(right) >= 11
    for sentence in tagged:
        assert sum(sentence.probabilities) == pytest.approx(1.0, abs=1e-4)
        assert "".join(word.before + word.text for word in sentence.words) + sentence.rest == sentence.text


def test_markup_in_a_review_is_shown_as_text(tmp_path: Path) -> None:
    nasty = "<script>alert(1)</script>"
    result = {"title": nasty, "encoder": "e", "way": "5", "shot": "5", "episodes": 1, "seconds": {"training": 1.0}}
    numbers = {"mean": 1.0, "half_width": 1.0}
    names = ("auc", "f1", "micro_f1", "oracle_count_f1", "count_accuracy")
    tagged = Tagged(nasty, (0,), (1.0,), (Word("", nasty, 0),), "")
    write_page(tmp_path / "p.html", {nasty: [nasty]}, [tagged], {**result, **dict.fromkeys(names, numbers)})
    page = (tmp_path / "p.html").read_text()
    assert nasty not in page
    assert page.count("&lt;script&gt;") >= 4
