"""A corpus: a folder of label sets with a manifest. Each set is annotated for its own labels only, so an episode takes
all its classes and sentences from one of them."""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.errors import WRONG_VALUE, BenchmarkError, EpisodeError
from fewaspect.data.benchmarks import verify_checksums
from fewaspect.data.episodes import Episode, EpisodeSampler
from fewaspect.data.labelled import LabelledSentence, SentenceSet
from fewaspect.data.labels import describe_aspect

MANIFEST = "MANIFEST.json"
MAX_WEIGHT = 250.0  # of a label set: no set of very many labels outweighs the rest
RESTRICTED = ("research use", "non-commercial", "noncommercial", "-nc")  # words of licences that forbid to ship weights
Range = int | tuple[int, int]


@dataclass(frozen=True)
class LabelSet:
    """Sentences of one source, and what the manifest says of it."""

    name: str
    sentences: SentenceSet
    licence: str = "not stated"
    kind: str = ""
    domain: str = ""
    source: str = ""

    def describe(self) -> dict[str, Any]:
        """For the metadata of a run."""
        about = {name: getattr(self, name) for name in ("name", "licence", "kind", "domain", "source")}
        return {**about, "texts": len(self.sentences), "labels": len(self.sentences.classes)}


def load_label_sets(folder: str | os.PathLike[str], part: str, left_out: Sequence[str] = ()) -> list[LabelSet]:
    """The label sets of a part of the corpus ("train", "validation"), sorted by name; labels spelt as they are read.

    `left_out` names sets or kinds. Sets whose licence restricts what may be done with the result are left out always.
    """
    root = Path(folder)
    manifest = _read_manifest(root)
    names = sorted(name for name in manifest if name.startswith(f"{part}/"))
    if not names:
        raise BenchmarkError(f"{root / MANIFEST}: expected label sets of the part {part}, found none.")
    known = {value for name in names for value in (Path(name).name, str(manifest[name].get("kind", "")))}
    if unknown := sorted(set(left_out) - known):
        raise BenchmarkError(
            f"{root / MANIFEST}: expected names of label sets or kinds to leave out, found {', '.join(unknown)}.\n"
            f"Kinds are {', '.join(sorted({str(manifest[name].get('kind', '')) for name in names}))}."
        )
    allowed = [name for name in names if not _restricted(str(manifest[name].get("licence", "")))]
    sets = (_load(root, name, manifest[name]) for name in allowed)
    return [one for one in sets if not {one.name, one.kind} & set(left_out)]


def _read_manifest(root: Path) -> Mapping[str, Mapping[str, Any]]:
    path = root / MANIFEST
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not (isinstance(content, dict) and all(isinstance(about, dict) for about in content.values())):
            raise ValueError("not an object of objects")
    except (OSError, *WRONG_VALUE) as error:
        raise BenchmarkError(
            f"{path}: expected the manifest of a corpus, an object of one object for each label set, found {error}."
        ) from error
    return content


def _restricted(licence: str) -> bool:
    return any(words in licence.casefold() for words in RESTRICTED)


def _load(root: Path, name: str, about: Mapping[str, Any]) -> LabelSet:
    from fewaspect.data.formats import read_sentences

    path = root / f"{name}.jsonl"
    verify_checksums(root.parent, [path])
    sentences = SentenceSet(
        (LabelledSentence(s.text, tuple(dict.fromkeys(map(describe_aspect, s.aspects)))) for s in read_sentences(path)),
        name,
    )
    said = {key: str(about.get(key, "")) for key in ("licence", "kind", "domain")}
    return LabelSet(path.stem, sentences, **said, source=str(about.get("source_repo", "")))


class CorpusSampler:
    """Draws each episode from one label set. Its indices are those of `sentences`, all sets one after another.

    A set is drawn with a chance that grows with the root of its texts times its labels, up to `MAX_WEIGHT`; `shares`
    fixes the chances of some sets, `aspect_weight` is a factor for those of the kind "aspect". Labels with fewer
    sentences than an episode takes are no classes; a set with too few classes, or too few sentences without them, has
    smaller episodes than `way` says.
    """

    def __init__(
        self, sets: Sequence[LabelSet], *, way: Range, shot: Range, queries: int, none_rate: float = 0.0,
        seed: int = 0, shares: Mapping[str, float] | None = None, aspect_weight: float = 1.0,
    ) -> None:  # fmt: skip
        self.way, self.shot = ((size, size) if isinstance(size, int) else size for size in (way, shot))
        self.seed = seed
        self.sets, self._samplers = [], []
        for one in sets:
            if sampler := _largest_sampler(one.sentences, self.way, self.shot, queries, none_rate, seed):
                self.sets.append(one)
                self._samplers.append(sampler)
        if not self.sets:
            raise EpisodeError("No label set has enough sentences for an episode. Lower shot or queries.")
        self.sentences = SentenceSet(chain.from_iterable(one.sentences for one in self.sets), "corpus")
        self._starts = [0, *accumulate(len(one.sentences) for one in self.sets)]
        self.chances = chances(self.sets, shares or {}, aspect_weight)
        self._bounds = list(accumulate(self.chances[one.name] for one in self.sets))

    def episode(self, index: int) -> Episode:
        """Episode number `index`; it does not depend on what was drawn before."""
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, index, 1])))
        place = min(bisect_right(self._bounds, rng.random()), len(self.sets) - 1)
        episode = self._samplers[place].episode(index)
        start = self._starts[place]
        return replace(episode, support=episode.support + start, queries=episode.queries + start)

    def episodes(self, count: int, start: int = 0) -> Iterator[Episode]:
        """Episodes `start` to `start + count - 1`."""
        return map(self.episode, range(start, start + count))


def chances(sets: Sequence[LabelSet], shares: Mapping[str, float], aspect_weight: float = 1.0) -> dict[str, float]:
    """By name; the sets without a share of their own divide what is left among them."""
    weights = {
        one.name: min(MAX_WEIGHT, math.sqrt(len(one.sentences) * len(one.sentences.classes)))
        * (aspect_weight if one.kind == "aspect" else 1.0)
        for one in sets
        if one.name not in shares
    }
    left = 1.0 - sum(shares.values())
    total = sum(weights.values())
    return {one.name: shares.get(one.name, left * weights.get(one.name, 0.0) / max(total, 1e-9)) for one in sets}


def _largest_sampler(
    sentences: SentenceSet, way: tuple[int, int], shot: tuple[int, int], queries: int, none_rate: float, seed: int
) -> EpisodeSampler | None:
    """With as many classes as `way` allows and the set can fill; None if not even two can be."""
    counts = Counter(label for sentence in sentences for label in sentence.aspects)
    enough = {label for label, count in counts.items() if count >= shot[1] + queries}
    kept = SentenceSet(
        (LabelledSentence(s.text, tuple(label for label in s.aspects if label in enough)) for s in sentences),
        sentences.name,
    )
    for rate in (none_rate, 0.0):
        for most in range(min(way[1], len(enough)), 1, -1):
            limits = min(way[0], most), most
            try:
                return EpisodeSampler(kept, way=limits, shot=shot, queries=queries, none_rate=rate, seed=seed)
            except EpisodeError:
                continue
    return None
