"""Named benchmarks with class-disjoint splits, verified against the published numbers of lines and aspects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fewaspect.core.errors import BenchmarkError
from fewaspect.core.files import sha256_of
from fewaspect.data.labelled import LabelledSentence, SentenceSet
from fewaspect.data.labels import describe_aspect
from fewaspect.data.provenance import SUBSTITUTE, published_files

SAMPLE = "sample"
_ASPECTS = {file.split: len(file.aspects) for file in published_files()}
Train = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class _FewAsp:
    """A folder of FewAsp and its published number of lines per split."""

    folder: str
    lines: dict[str, int]


_FEWASP = {
    name: _FewAsp(folder, {file.split: file.lines for file in published_files() if file.benchmark == name})
    for name, folder in (("fewasp-single", "single"), ("fewasp-multi", "multi"), ("fewasp", "all"))
}
BENCHMARKS = (*_FEWASP, SAMPLE)


@dataclass(frozen=True)
class Benchmark:
    """Three splits that share no aspect. `train` may be absent; `train_source` is its name in results."""

    name: str
    train: SentenceSet | None
    validation: SentenceSet
    test: SentenceSet
    train_source: str
    missing_train: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        held_out = {"validation": self.validation, "test": self.test}
        _refuse_shared(self.name, f"training data ({self.train_source})", self.train, held_out)
        _refuse_shared(self.name, "validation split", self.validation, {"test": self.test})

    def require_train(self) -> SentenceSet:
        """The training sentences, or an error that names the missing file and possible substitutes."""
        if self.train is None:
            raise BenchmarkError(self.missing_train or f"{self.name}: there is no training data.")
        return self.train


def load_benchmark(name: str, root: str | os.PathLike[str] | None = None, train: Train | None = None) -> Benchmark:
    """A benchmark by name from the data folder `root`; evaluation works without the train file.

    `train` replaces the train split by one or several files (comma-separated or a sequence; relative paths are tried
    in the working folder, then in `root`). The name of a FewAsp benchmark is that of its train file.
    """
    folder = None if root is None else Path(root)
    if name == SAMPLE:
        benchmark = _load_sample()
        if train is None:
            return benchmark
        validation, test = benchmark.validation, benchmark.test
    elif name in _FEWASP:
        if folder is None:
            raise BenchmarkError(f"{name}: expected the folder that holds its files, found none.\nPass --data FOLDER.")
        validation, test = _load_split(name, folder, "val"), _load_split(name, folder, "test")
        if train is None:
            return _with_own_train(name, folder, validation, test)
    else:
        raise BenchmarkError(f'expected one of the benchmarks {", ".join(BENCHMARKS)}, found "{name}".')
    sentences, source = _named_train(name, folder, train)
    return Benchmark(name, sentences, validation, test, source)


def _with_own_train(name: str, root: Path, validation: SentenceSet, test: SentenceSet) -> Benchmark:
    path = _train_path(name, root)
    if path.exists():
        return Benchmark(name, _load_split(name, root, "train"), validation, test, f"{name} train.json")
    missing = (
        f"{path}: expected the train split of {name}, {_FEWASP[name].lines['train']:,} lines with {_ASPECTS['train']} "
        f'aspects, each {{"text_u": ..., "label": ...}}; found no such file.\n'
        f"Put it there (`fewaspect data check FILE --as {name}/train` tells whether a file may be it), or name a "
        f"substitute: --train {SUBSTITUTE}, or --train fewasp-single,{SUBSTITUTE} to join it with the train split of "
        "FewAsp (single). Results then say so."
    )
    return Benchmark(name, None, validation, test, "", missing)


def _named_train(name: str, root: Path | None, train: Train) -> tuple[SentenceSet, str]:
    """The named training files joined, aspects spelt as in FewAsp, and their names for the results."""
    parts: dict[Path, SentenceSet] = {}
    for item in _items(name, train):
        path = _find_train(name, item, root)
        if path.resolve() in parts:
            raise BenchmarkError(f"{name}: expected different training files, found {path} twice.\nName it once.")
        parts[path.resolve()] = _load_train_file(path, root)
    source = " + ".join(part.name for part in parts.values())
    sentences = (_spelt_as_fewasp(sentence) for part in parts.values() for sentence in part)
    return SentenceSet(sentences, source), source if source == f"{name} train.json" else f"{source} (substitute)"


def _load_train_file(path: Path, root: Path | None) -> SentenceSet:
    """The train split of a FewAsp benchmark, if the path is its own, or any other file of sentences."""
    from fewaspect.data.formats import read_sentences

    if root is None:
        return read_sentences(path)
    for benchmark in _FEWASP:
        if path.resolve() == _train_path(benchmark, root).resolve():
            return _load_split(benchmark, root, "train")
    verify_checksums(root, [path])
    return read_sentences(path)


def _items(name: str, train: Train) -> list[str]:
    if isinstance(train, str):
        items = [item.strip() for item in train.split(",")]
    elif isinstance(train, os.PathLike):
        items = [os.fspath(train)]
    else:
        items = [os.fspath(item) for item in train]
    if not items or "" in items:
        raise BenchmarkError(f"{name}: expected names of training files, found {train!r}.\nSeparate them by one comma.")
    return items


def _find_train(name: str, item: str, root: Path | None) -> Path:
    if item in _FEWASP and root:
        path = _train_path(item, root)
        if not path.exists():
            raise BenchmarkError(
                f"{path}: expected the train split of {item} for --train {item}, found no such file.\n"
                f"Put it there, or leave {item} out of --train."
            )
        return path
    candidates = [Path(item)] if root is None else [Path(item), root / item]  # equal if the item is absolute
    for path in candidates:
        if path.exists():
            return path
    missing = " or ".join(dict.fromkeys(str(path) for path in candidates))
    raise BenchmarkError(
        f"{name}: expected the training file {item}, found no {missing}.\n"
        f"Name an existing file, or one of {', '.join(_FEWASP)} for the train split of that benchmark."
    )


def _spelt_as_fewasp(sentence: LabelledSentence) -> LabelledSentence:
    """ "food_mealtype_main" in the substitute is "food mealtype main" in FewAsp."""
    return LabelledSentence(sentence.text, tuple(dict.fromkeys(describe_aspect(name) for name in sentence.aspects)))


def _load_split(name: str, root: Path, split: str) -> SentenceSet:
    """A split of FewAsp with as many lines and aspects as published."""
    from fewaspect.data.formats import read_sentences

    path = _split_path(name, root, split)
    lines, aspects = _FEWASP[name].lines[split], _ASPECTS[split]
    if not path.exists():
        raise BenchmarkError(
            f"{path}: expected the {split} split of {name} ({lines:,} lines, {aspects} aspects), found no such file.\n"
            f"Pass --data with the folder that holds fewasp/{_FEWASP[name].folder}/{split}.json."
        )
    verify_checksums(root, [path])
    sentences = read_sentences(path)
    if (len(sentences), len(sentences.classes)) != (lines, aspects):
        raise BenchmarkError(
            f"{path}: expected the published {lines:,} lines with {aspects} aspects, found {len(sentences):,} lines "
            f"with {len(sentences.classes)} aspects.\nRestore the published file."
        )
    return SentenceSet(sentences, f"{name} {path.name}")


def _split_path(name: str, root: Path, split: str) -> Path:
    base = root / "fewasp" if (root / "fewasp").is_dir() else root
    return base / _FEWASP[name].folder / f"{split}.json"


def _train_path(name: str, root: Path) -> Path:
    return _split_path(name, root, "train")


def verify_checksums(root: Path, paths: Iterable[Path]) -> None:
    """Compare files with `root`/SHA256SUMS, where it exists and lists them."""
    sums = root / "SHA256SUMS"
    if not sums.is_file():
        return
    listed = {}
    for line in sums.read_text(encoding="utf-8", errors="replace").splitlines():
        digest, _, name = line.partition(" ")
        listed[(root / name.strip().removeprefix("*")).resolve()] = digest.lower()
    for path in paths:
        expected = listed.get(path.resolve())
        if expected and (found := sha256_of(path)) != expected:
            raise BenchmarkError(
                f"{path}: expected the SHA-256 {expected} listed in {sums.name}, found {found}.\n"
                f"Restore the file, or correct {sums}."
            )


def _load_sample() -> Benchmark:
    from fewaspect.data.sample_set import load_sample

    splits = load_sample()
    return Benchmark(SAMPLE, splits["train"], splits["validation"], splits["test"], "sample train split")


def _refuse_shared(name: str, what: str, sentences: SentenceSet | None, others: dict[str, SentenceSet]) -> None:
    """Aspects are the same if their label texts are, however their names are spelt."""
    if sentences is None:
        return
    mine = {describe_aspect(aspect) for aspect in sentences.classes}
    for split, other in others.items():
        if shared := sorted(mine & {describe_aspect(aspect) for aspect in other.classes}):
            raise BenchmarkError(
                f"{name}: expected disjoint aspects, found {len(shared)} of the {what} in the {split} split too: "
                f"{', '.join(shared)}.\nRemove these aspects from one of the two; scores must be for unseen aspects."
            )
