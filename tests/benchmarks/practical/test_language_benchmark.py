"""benchmarks/practical/languages.py: no model is measured on a language that it learned from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import languages
from draws import VALIDATION
from fewaspect.experiments.results_file import read_results
from fewaspect.inference.encoder import NAMED

RECORDS = Path(__file__).parents[3] / "docs" / "results" / "languages.jsonl"


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Path]]:
    """Sets that were drawn and the multilingual model that answered, of a run without data."""
    found: list[tuple[str, Path]] = []

    def answer(system: str, folder: Path, drawn: languages.Draw) -> np.ndarray:
        found.append((drawn.names[0], folder))
        return np.zeros((1, 1))

    monkeypatch.setattr(languages, "OUT", tmp_path / "languages.jsonl")
    monkeypatch.setattr(languages, "answer", answer)
    monkeypatch.setattr(
        languages, "draw_for", lambda data, table, name, seed: languages.Draw([name], [], [], ["a"], [[1]])
    )
    return found


def model_without(folder: Path, *without: str) -> Path:
    shutil.copytree(NAMED["multilingual"], folder)
    metadata = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    metadata["plan"]["without"] = list(without)
    (folder / "model.json").write_text(json.dumps(metadata), encoding="utf-8")
    return folder


def test_a_set_is_measured_only_with_a_model_that_did_not_learn_from_its_language(
    measured: list[tuple[str, Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full, other = model_without(tmp_path / "full"), model_without(tmp_path / "no-zh", "zh")
    models = languages.models_without([full, other])
    wanted = ["ja_dimabsa_hotel", "zh_dimabsa_laptop", "ko_kote_emotions"]
    languages.measure_missing(tmp_path, models, list(languages.TABLES), [0], wanted)
    assert set(measured) == {("zh_dimabsa_laptop", other), ("ko_kote_emotions", full)}
    said = "ja_dimabsa_hotel is left out: expected a MODEL trained without ja among --models, found none\n"
    assert said in capsys.readouterr().out


def test_english_sets_are_measured_with_the_model_that_ships(measured: list[tuple[str, Path]], tmp_path: Path) -> None:
    languages.measure_missing(tmp_path, {}, list(languages.TABLES), [0], None)
    assert set(measured) == {(name, NAMED["multilingual"]) for name in VALIDATION}


def test_every_committed_record_is_of_a_model_without_the_language() -> None:
    rows = [r for r in read_results(RECORDS) if r["table"] in ("language", "names", "across", "back")]
    own = [r for r in rows if r["system"].startswith("multilingual")]
    assert {r["table"] for r in own} == {"language", "names", "across", "back"}
    assert not [r for r in own if r["set"][:2] not in r["without"]]
