"""A corpus of label sets: what is read of it, what is left out, and that an episode stays within one set."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewaspect.core.errors import BenchmarkError, EpisodeError
from fewaspect.data.corpus import CorpusSampler, LabelSet, chances, load_label_sets
from fewaspect.data.labelled import LabelledSentence, SentenceSet

SIZE: dict[str, Any] = {"way": (2, 4), "shot": (1, 2), "queries": 2, "none_rate": 0.2}


def label_set(name: str, labels: int, each: int = 8, empty: int = 8, kind: str = "aspect") -> LabelSet:
    sentences = [
        LabelledSentence(f"{name} {label} {number}", (f"{name} {label}",))
        for label in range(labels)
        for number in range(each)
    ]
    sentences += [LabelledSentence(f"{name} nothing {number}") for number in range(empty)]
    return LabelSet(name, SentenceSet(sentences, name), kind=kind)


def write_corpus(root: Path, **licences: str) -> Path:
    manifest = {}
    for name, licence in licences.items():
        for part in ("train", "validation"):
            (root / part).mkdir(parents=True, exist_ok=True)
            manifest[f"{part}/{name}"] = {"licence": licence, "kind": "aspect" if name != "talk" else "discourse"}
            lines = [{"text": s.text, "labels": list(s.aspects)} for s in label_set(name, 5).sentences]
            (root / part / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (root / "MANIFEST.json").write_text(json.dumps(manifest))
    return root


def test_sets_are_read_with_what_the_manifest_says(tmp_path: Path) -> None:
    write_corpus(tmp_path, shoes="MIT", cars="not stated")
    cars, shoes = load_label_sets(tmp_path, "train")
    assert (cars.name, shoes.name, shoes.licence, shoes.kind) == ("cars", "shoes", "MIT", "aspect")
    assert (shoes.describe()["texts"], shoes.describe()["labels"]) == (48, 5)


@pytest.mark.parametrize("licence", ["research use, cite us", "CC BY-NC 4.0", "Non-commercial"])
def test_a_licence_that_restricts_use_leaves_the_set_out(tmp_path: Path, licence: str) -> None:
    write_corpus(tmp_path, shoes="MIT", cars=licence)
    assert [one.name for one in load_label_sets(tmp_path, "train")] == ["shoes"]


def test_sets_and_kinds_are_left_out_by_name_and_others_refused(tmp_path: Path) -> None:
    write_corpus(tmp_path, shoes="MIT", cars="MIT", talk="MIT")
    assert [one.name for one in load_label_sets(tmp_path, "train", ["discourse", "cars"])] == ["shoes"]
    with pytest.raises(BenchmarkError, match=r"MANIFEST.json: expected names .* found emotion"):
        load_label_sets(tmp_path, "train", ["emotion"])


@pytest.mark.parametrize("content", ["", "[]", '{"train/a": 1}'])
def test_a_damaged_manifest_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "MANIFEST.json").write_text(content)
    with pytest.raises(BenchmarkError, match=r"MANIFEST.json: expected the manifest of a corpus"):
        load_label_sets(tmp_path, "train")


def test_an_episode_takes_all_from_one_set_and_none_of_its_classes_is_missed() -> None:
    sampler = CorpusSampler([label_set("a", 6), label_set("b", 3)], **SIZE)
    for episode in sampler.episodes(50):
        texts = [sampler.sentences[i].text for i in (*episode.support, *episode.queries)]
        assert len({text.split()[0] for text in texts} | {name.split()[0] for name in episode.classes}) == 1
        for row, lines in ((episode.query_labels, episode.queries), (episode.support_labels, episode.support)):
            expected = [[name in sampler.sentences[i].aspects for name in episode.classes] for i in lines]
            np.testing.assert_array_equal(row, expected)


def test_an_episode_depends_on_the_seed_and_its_number_alone() -> None:
    one, other = (CorpusSampler([label_set("a", 6), label_set("b", 6)], **SIZE, seed=3) for _ in range(2))
    list(one.episodes(7))
    np.testing.assert_array_equal(one.episode(9).queries, other.episode(9).queries)
    different = [tuple(CorpusSampler([label_set("a", 6)], **SIZE, seed=s).episode(0).queries) for s in range(5)]
    assert len(set(different)) > 1


def test_small_sets_have_small_episodes_and_rare_labels_are_no_classes() -> None:
    small = label_set("small", 3, empty=0)
    rare = SentenceSet((*small.sentences, LabelledSentence("once", ("rare",))))
    sampler = CorpusSampler([LabelSet("small", rare)], **SIZE)
    episodes = list(sampler.episodes(20))
    assert {len(episode.classes) for episode in episodes} == {2}  # the third gives the sentences of none
    assert not any("rare" in episode.classes for episode in episodes)
    with pytest.raises(EpisodeError, match="No label set has enough"):
        CorpusSampler([label_set("tiny", 4, each=2)], **SIZE)


def test_chances_grow_with_the_root_up_to_a_limit_and_shares_are_fixed() -> None:
    sets = [label_set("a", 2), label_set("b", 8), label_set("c", 2, kind="topic"), label_set("own", 2)]
    found = chances(sets, {"own": 0.25}, aspect_weight=2.0)
    assert found["own"] == 0.25
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["a"] / found["c"] == pytest.approx(2.0)
    assert found["b"] / found["a"] == pytest.approx(np.sqrt(72 * 8 / (24 * 2)))


def test_sets_are_drawn_as_often_as_their_chances_say() -> None:
    sampler = CorpusSampler([label_set("a", 6), label_set("b", 6)], **SIZE, shares={"a": 0.8})
    drawn = Counter(episode.classes[0].split()[0] for episode in sampler.episodes(500))
    assert drawn["a"] / 500 == pytest.approx(0.8, abs=0.06)
