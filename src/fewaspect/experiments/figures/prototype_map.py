"""Prototypes of many episodes, their map in two dimensions (t-SNE), and the file that keeps the map."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console

from fewaspect.core.errors import WRONG_VALUE, ConfigError, ResultError
from fewaspect.core.extras import require
from fewaspect.core.files import atomic_write
from fewaspect.core.progress import unit_progress
from fewaspect.core.settings import EvaluateSettings
from fewaspect.evaluation.evaluator import encode_episodes
from fewaspect.experiments.figures.figure_style import run_labels
from fewaspect.experiments.published import benchmark_title
from fewaspect.methods.few_shot_model import build_task
from fewaspect.methods.prepared import episode_tensors
from fewaspect.training.evaluate_run import Evaluation, prepare_evaluation

FORMAT = "fewaspect-prototype-map-1"
COMPONENTS = 50  # of the principal components that t-SNE reads
PERPLEXITY = 30
SEED = 0
_FOREIGN = (  # what reading a damaged or foreign file may raise
    *WRONG_VALUE, EOFError, OSError, RuntimeError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


@dataclass(frozen=True)
class PrototypeMap:
    """Points of all runs; point p is the same class of the same episode in each, and of the same aspect."""

    labels: list[str]  # R runs
    silhouettes: list[float]  # (R,) of all prototypes, in their own space
    positions: np.ndarray  # (R, P, 2) float32
    aspects: np.ndarray  # (P,) int64, into `names`
    names: list[str]
    prototypes: int  # how many there were; P of them are on the map
    setting: str

    def numbers(self) -> dict[str, Any]:
        """The numbers in the text of the picture; the points are in a file of their own."""
        return {
            "setting": self.setting,
            "prototypes": self.prototypes,
            "points": len(self.aspects),
            "aspects": self.names,
            "silhouettes": dict(zip(self.labels, self.silhouettes, strict=True)),
        }


def map_prototypes(
    runs: Sequence[Path], settings: EvaluateSettings, data: Path | None, points: int, *, offline: bool | None = None,
    console: Console | None = None,
) -> PrototypeMap:  # fmt: skip
    """Prototypes of the same episodes by each run; at most `points` of them, drawn at random, are on the map."""
    console = console or Console(stderr=True)
    labels = run_labels(runs)
    silhouettes, positions = [], []
    for path, label in zip(runs, labels, strict=True):
        evaluation = prepare_evaluation(path, [settings], data, offline=offline, console=console)
        names = list(evaluation.prepared.sentences.classes)
        of_class = [name for episode in evaluation.groups[0] for name in episode.classes]
        aspects = np.array([names.index(name) for name in of_class], dtype=np.int64)
        if len(set(aspects.tolist())) == len(aspects):
            raise ConfigError(
                f"expected several prototypes of an aspect, found one of each of {len(aspects)}. Raise --episodes."
            )
        chosen = np.sort(np.random.default_rng(SEED).permutation(len(aspects))[:points])
        vectors = collect_prototypes(evaluation, console)
        console.print(f"{label}: {len(vectors):,} prototypes, now t-SNE of {len(chosen):,}", highlight=False)
        silhouettes.append(silhouette(vectors, aspects))
        positions.append(tsne_positions(vectors[chosen]))
    s = settings
    setting = f"{benchmark_title(s.benchmark)}, {s.split} aspects, {s.episodes:,} episodes {s.way}-way {s.shot}-shot"
    return PrototypeMap(labels, silhouettes, np.stack(positions), aspects[chosen], names, len(aspects), setting)


@torch.inference_mode()
def collect_prototypes(evaluation: Evaluation, console: Console) -> np.ndarray:
    """(episodes * N, d): the prototypes of the classes of one episode after another; each sentence is encoded once."""
    (encoded,) = encode_episodes(evaluation.model, evaluation.prepared, evaluation.groups)
    represented = encoded.represented
    found = []
    with unit_progress(console, "episodes", len(encoded.episodes), "episodes") as done:
        for episode, places in zip(encoded.episodes, encoded.positions, strict=True):
            placed = episode_tensors(episode, places).to(represented.vectors.device)
            prototypes = evaluation.model.method.score(build_task(represented, placed)).prototypes
            if prototypes is None:
                name = evaluation.run.train.method
                raise ConfigError(f"expected a method that represents classes by prototypes, found {name}.")
            found.append(prototypes.cpu().numpy())
            done(1)
    return np.concatenate(found)


def silhouette(vectors: np.ndarray, aspects: np.ndarray) -> float:
    """Mean silhouette by cosine distance: 1 if each aspect is far from the others, 0 if they mix."""
    metrics = require("sklearn.metrics", "train", "the silhouette score")
    return float(metrics.silhouette_score(vectors, aspects, metric="cosine"))


def tsne_positions(vectors: np.ndarray) -> np.ndarray:
    """(P, 2) by t-SNE of the first principal components; the same for the same vectors."""
    decomposition = require("sklearn.decomposition", "train", "t-SNE")
    manifold = require("sklearn.manifold", "train", "t-SNE")
    count, width = vectors.shape
    reduced = decomposition.PCA(min(COMPONENTS, count, width), random_state=SEED).fit_transform(vectors)
    perplexity = min(PERPLEXITY, (count - 1) / 3)
    layout = manifold.TSNE(perplexity=perplexity, random_state=SEED, init="pca")
    return np.asarray(layout.fit_transform(reduced), np.float32)


def save_map(path: Path, prototypes: PrototypeMap) -> None:
    """One NPZ file of plain arrays: all that the picture is drawn from."""
    about = {
        "format": FORMAT, "labels": prototypes.labels, "silhouettes": prototypes.silhouettes,
        "names": prototypes.names, "prototypes": prototypes.prototypes, "setting": prototypes.setting,
    }  # fmt: skip
    with atomic_write(path, "wb") as file:
        about_text = np.array(json.dumps(about, ensure_ascii=False))
        np.savez_compressed(file, positions=prototypes.positions, aspects=prototypes.aspects, about=about_text)


def load_map(path: Path) -> PrototypeMap:
    """What `save_map` wrote; anything else is refused."""
    if not path.is_file():
        raise ResultError(f"{path}: expected the points of an earlier map (prototypes.npz), found no such file.")
    try:
        with np.load(path, allow_pickle=False) as content:
            positions, aspects, text = content["positions"], content["aspects"], str(content["about"])
        about = json.loads(text)
        if about.pop("format") != FORMAT:
            raise ValueError("another format")
        found = PrototypeMap(positions=positions, aspects=aspects, **about)
        if positions.shape != (len(found.labels), len(aspects), 2) or aspects.max() >= len(found.names):
            raise ValueError(f"positions of shape {positions.shape} for {len(aspects)} points")
        return found
    except _FOREIGN as error:
        raise ResultError(
            f"{path}: expected the points of `fewaspect figures prototypes` (prototypes.npz), found {error!r}."
        ) from error
