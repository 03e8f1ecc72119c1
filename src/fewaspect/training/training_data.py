"""What a run trains and validates on: the splits of a benchmark, or the label sets of a corpus."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fewaspect.core.settings import TrainSettings, parse_range
from fewaspect.data.benchmarks import Benchmark, load_benchmark
from fewaspect.data.corpus import CorpusSampler, LabelSet, load_label_sets
from fewaspect.data.episodes import EpisodeSampler
from fewaspect.data.labelled import with_joined_sentences
from fewaspect.training.run import VALIDATION_SEED

Sampler = EpisodeSampler | CorpusSampler


@dataclass(frozen=True)
class TrainingData:
    """Episodes to train and to validate on, and what the run says of them."""

    train: Sampler
    validation: Sampler
    about: dict[str, Any]


def load_training_data(s: TrainSettings, data: Path | None) -> TrainingData:
    """With a corpus, validation is on its label sets of other domains; the benchmark's training files, if any are
    named, are one more label set, drawn with a fixed share."""
    if not s.corpus:
        benchmark = load_benchmark(s.benchmark, data, train=s.train or None)
        own = benchmark.require_train()
        train_set = with_joined_sentences(own, s.joined, s.seed)
        about = {
            "train_source": benchmark.train_source,
            "train_aspects": list(train_set.classes),
            "joined_sentences": len(train_set) - len(own),
        }
        size = _episode_size(s)
        return TrainingData(
            EpisodeSampler(train_set, **size, protocol=s.protocol, seed=s.seed),
            EpisodeSampler(benchmark.validation, **size, protocol=s.protocol, seed=VALIDATION_SEED),
            about,
        )
    return _of_corpus(s, data)


def _of_corpus(s: TrainSettings, data: Path | None) -> TrainingData:
    left_out = [name.strip() for name in s.corpus_without.split(",") if name.strip()]
    sets, shares = load_label_sets(s.corpus, "train", left_out), {}
    if s.train:
        benchmark = load_benchmark(s.benchmark, data, train=s.train)
        sets.append(_as_label_set(benchmark))
        shares = {sets[-1].name: s.train_share}
    texts = sum(len(one.sentences) for one in sets)
    sets = [replace(one, sentences=with_joined_sentences(one.sentences, s.joined, s.seed)) for one in sets]
    size = _episode_size(s)
    train = CorpusSampler(sets, **size, seed=s.seed, shares=shares, aspect_weight=s.aspect_weight)
    validation = CorpusSampler(load_label_sets(s.corpus, "validation"), **size, seed=VALIDATION_SEED)
    about = {
        "train_source": f"corpus of {len(train.sets)} label sets",
        "train_aspects": sorted({label for one in train.sets for label in one.sentences.classes}),
        "joined_sentences": sum(len(one.sentences) for one in sets) - texts,
        "label_sets": [{**one.describe(), "chance": train.chances[one.name]} for one in train.sets],
        "validation_sets": _described(validation.sets),
    }
    return TrainingData(train, validation, about)


def _as_label_set(benchmark: Benchmark) -> LabelSet:
    return LabelSet(
        benchmark.name, benchmark.require_train(), kind="aspect", domain="restaurants, hotels and shops",
        source=benchmark.train_source,
    )  # fmt: skip


def _described(sets: Iterable[LabelSet]) -> list[dict[str, Any]]:
    return [one.describe() for one in sets]


def _episode_size(s: TrainSettings) -> dict[str, Any]:
    return {
        "way": parse_range("way", s.way), "shot": parse_range("shot", s.shot), "queries": s.queries,
        "none_rate": s.none_rate,
    }  # fmt: skip
