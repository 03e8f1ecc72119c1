"""What the multilingual model learns from: label sets of the corpus and of the polarity sets, read once by the frozen
part of the encoder and kept in a folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.files import atomic_write
from fewaspect.data.benchmarks import verify_checksums
from fewaspect.data.corpus import LabelSet, load_label_sets
from fewaspect.data.labelled import LabelledSentence, SentenceSet
from fewaspect.data.labels import describe_aspect
from fewaspect.inference.universal_encoder import UniversalEncoder
from review_sets import REVIEW_SETS

MOST_TEXTS = {"validation": 1600, "multilingual": 2000, "polarity": 1500, "train": 1200}  # of a set, by part
MOST_TOKENS = 128
FEWEST = 8  # texts of a label
WITHOUT = ("discourse", "rhetoric", "emotion")  # kinds of English sets
POLARITY_SETS = (
    "cs_restaurant", "de_gerestaurant", "de_germeval17_railway", "es_semeval16_restaurant", "fr_semeval16_restaurant",
    "ja_chabsa_finance", "nl_semeval16_restaurant", "zh_asap_restaurant",
)  # fmt: skip


@dataclass(frozen=True)
class FeatureSet:
    """A label set as the frozen part of the encoder reads it: features of the tokens of its texts, one after another,
    the number of tokens of each, the truth of (texts, labels); and the same of its label texts."""

    about: LabelSet
    part: str
    features: np.ndarray  # (tokens, d) half precision
    lengths: np.ndarray
    truth: np.ndarray
    label_features: np.ndarray
    label_lengths: np.ndarray

    @property
    def language(self) -> str:
        """What the name of a set in several languages or of polarities begins with, else English."""
        named = self.part in ("multilingual", "polarity") and self.about.name[2:3] == "_"
        return self.about.name[:2] if named else "en"

    def take(self, rows: np.ndarray) -> FeatureSet:
        """With these texts alone."""
        parts = np.split(self.features, np.cumsum(self.lengths)[:-1])
        sentences = SentenceSet((list(self.about.sentences)[i] for i in rows), self.about.name)
        return replace(
            self, about=replace(self.about, sentences=sentences), features=np.concatenate([parts[i] for i in rows]),
            lengths=self.lengths[rows], truth=self.truth[rows],
        )  # fmt: skip


def label_sets(data: Path) -> list[tuple[str, LabelSet]]:
    """All of them, with the part that each is of."""
    manifest = json.loads((data / "polarity" / "MANIFEST.json").read_text(encoding="utf-8"))
    found = [
        (part, one)
        for part, left_out in (("validation", ()), ("multilingual", ("emotion",)), ("train", WITHOUT))
        for one in load_label_sets(data / "corpus", part, left_out)
    ]
    for part, names in (("multilingual", POLARITY_SETS), ("train", REVIEW_SETS)):
        for name in names:
            found.append(("polarity", _of_polarity(data / "polarity" / part / f"{name}.jsonl", manifest, data)))
    return found


def load_features(encoder: UniversalEncoder, data: Path, folder: Path, most: int | None = None) -> list[FeatureSet]:
    """Of all label sets, of each at most so many texts, of which some label has enough; what is in the folder is not
    read again."""
    folder.mkdir(parents=True, exist_ok=True)
    sets = (
        _load(encoder, part, one, folder / f"{part}__{one.name}.npz", min(MOST_TEXTS[part], most or MOST_TEXTS[part]))
        for part, one in label_sets(data)
    )
    return [one for one in sets if one.truth.shape[1]]


def _load(encoder: UniversalEncoder, part: str, one: LabelSet, path: Path, most: int) -> FeatureSet:
    order = np.random.default_rng(99).permutation(len(one.sentences))[:most]
    truth = one.sentences.labels[order]
    kept = np.flatnonzero(truth.sum(axis=0) >= FEWEST)
    names = [one.sentences.classes[c] for c in kept]
    if not path.is_file():
        x, lengths = read(encoder, [one.sentences.texts[i] for i in order])
        lx, ll = read(encoder, names)
        with atomic_write(path, "wb") as file:
            np.savez(file, x=x, l=lengths, lx=lx, ll=ll)
        print(f"{part}, {one.name}: {len(order)} texts, {len(kept)} labels", flush=True)
    every = list(one.sentences)
    sentences = SentenceSet(
        (LabelledSentence(every[i].text, tuple(name for name in every[i].aspects if name in names)) for i in order),
        one.name,
    )
    with np.load(path, allow_pickle=False) as stored:
        arrays = [stored[name] for name in ("x", "l", "lx", "ll")]
    return FeatureSet(replace(one, sentences=sentences), part, *arrays[:2], truth[:, kept], *arrays[2:])


def read(encoder: UniversalEncoder, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(tokens, d) features in half precision and (texts,) lengths."""
    ids, none = [row[:MOST_TOKENS] for row in encoder.tokeniser.ids(texts)], np.zeros((0, encoder.width), np.float16)
    order, parts = np.argsort([len(row) for row in ids], kind="stable"), [none] * len(ids)
    for first in range(0, len(order), 24):
        batch = order[first : first + 24]
        features, lengths = encoder.features([ids[i] for i in batch])
        for i, part in zip(batch, np.split(features.astype(np.float16), np.cumsum(lengths)[:-1]), strict=True):
            parts[i] = part
    return np.concatenate([none, *parts]), np.array([len(part) for part in parts], dtype=np.int64)


def _of_polarity(path: Path, manifest: dict[str, Any], data: Path) -> LabelSet:
    """The aspects of a polarity set, polarities left away."""
    verify_checksums(data, [path])
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    sentences = SentenceSet(
        (
            LabelledSentence(line["text"], tuple(dict.fromkeys(describe_aspect(a["name"]) for a in line["aspects"])))
            for line in lines
        ),
        path.stem,
    )
    about = manifest[f"{path.parent.name}/{path.stem}"]
    return LabelSet(path.stem, sentences, about["licence"], "aspect", about["domain"], about.get("repo", ""))
