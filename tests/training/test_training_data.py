"""What a run is trained on, where it is a corpus."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import torch

from examples import run_settings
from fewaspect.core.settings import TrainSettings
from fewaspect.training.checkpoint import load_tensors
from fewaspect.training.run_folder import RunFolder
from fewaspect.training.trainer import train
from fewaspect.training.training_data import load_training_data

SMALL = {"way": "2-3", "shot": "1-2", "queries": 2, "none_rate": 0.2, "joined": 0.0}


def write_corpus(root: Path) -> str:
    """Two sets to train on and one to validate on."""
    manifest = {}
    for name in ("train/cars", "train/talk", "validation/shoes"):
        labels = [f"{name[-4:]} {word}" for word in ("price", "colour", "size", "speed")]
        lines = [{"text": f"{label} is number {i}", "labels": [label]} for label in labels for i in range(9)]
        path = root / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text("\n".join(json.dumps(line) for line in lines))
        manifest[name] = {"licence": "MIT", "kind": "discourse" if "talk" in name else "aspect", "domain": "a domain"}
    (root / "MANIFEST.json").write_text(json.dumps(manifest))
    return str(root)


def test_sets_and_their_licences_are_said_and_validation_is_on_others(tmp_path: Path) -> None:
    data = load_training_data(TrainSettings(corpus=write_corpus(tmp_path), benchmark="sample", **SMALL), None)
    assert [(one["name"], one["licence"], one["chance"]) for one in data.about["label_sets"]] == [
        ("cars", "MIT", 0.5),
        ("talk", "MIT", 0.5),
    ]
    assert [one["name"] for one in data.about["validation_sets"]] == ["shoes"]
    assert not set(data.train.sentences.texts) & set(data.validation.sentences.texts)


def test_kinds_are_left_out_and_named_files_have_their_share(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path)
    own = tmp_path / "own.jsonl"
    own.write_text("\n".join(json.dumps({"text": f"{n} {i}", "labels": [n]}) for n in "abcd" for i in range(9)))
    settings = TrainSettings(
        corpus=corpus, corpus_without="discourse", train=str(own), train_share=0.25, benchmark="sample", **SMALL
    )
    chances = {one["name"]: one["chance"] for one in load_training_data(settings, None).about["label_sets"]}
    assert chances == {"cars": 0.75, "sample": 0.25}


def test_a_run_over_a_corpus_is_the_same_again(encoder_folder: Callable[..., Path], tmp_path: Path) -> None:
    values = {**SMALL, "corpus": write_corpus(tmp_path / "corpus"), "benchmark": "sample", "method": "lpn-plus"}
    values |= {"episodes": 6, "validate_every": 3, "validation_episodes": 2}
    for name in ("one", "two"):
        train(run_settings(str(encoder_folder("bert")), **values), None, tmp_path / name)
    first, second = (load_tensors(tmp_path / name / "last.safetensors")[0] for name in ("one", "two"))
    assert all(torch.equal(first[name], second[name]) for name in first)
    about = RunFolder(tmp_path / "one").read_metadata()
    assert [one["name"] for one in about["label_sets"]] == ["cars", "talk"]
