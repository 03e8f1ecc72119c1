"""The FewAsp files as they were published, and whether a file is one of them.

Digests are known of seven of the nine files. Of the train files of FewAsp (multi) and FewAsp none is: of these it is
checked what holds of all others. Each file has, for every aspect in a fixed order, a block of equally many lines that
carry it, no text twice in a block; a text has the same aspects on all its lines.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

from fewaspect.core.errors import DataError
from fewaspect.core.files import sha256_of
from fewaspect.data.labelled import SentenceSet
from fewaspect.data.labels import describe_aspect
from fewaspect.text.identity import text_identity

GENUINE, SAME_RECORDS, UNPROVEN, OTHER = "genuine", "same records", "not refuted", "not the published file"
SUBSTITUTE = "yelpaspect_train.jsonl"
LEAST_SHARED = 0.01  # of the lines, with the other sample of the same corpus; FewAsp (single) train shares 0.1


@dataclass(frozen=True)
class Published:
    """A published file: its aspects in their order, lines for each, and its digests as far as they are known."""

    benchmark: str
    split: str
    aspects: tuple[str, ...]
    block: int
    sha256: str = ""
    records_sha256: str = ""

    @property
    def name(self) -> str:
        return f"{self.benchmark}/{self.split}"

    @property
    def lines(self) -> int:
        return self.block * len(self.aspects)


@dataclass(frozen=True)
class Provenance:
    """Which published file a file is compared with, the verdict, and what was found."""

    published: str
    verdict: str
    findings: tuple[str, ...]
    sha256: str
    records_sha256: str = field(default="")

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        told = {
            GENUINE: f"genuine: {self.published} as published",
            SAME_RECORDS: f"same records as {self.published}, in another order or form",
            UNPROVEN: f"may be {self.published}: no digest of it is known, and nothing speaks against it",
            OTHER: f"not the published file {self.published}",
        }[self.verdict]
        return f"{told}: {'; '.join(self.findings)}" if self.findings else told


@cache
def published_files() -> tuple[Published, ...]:
    content = json.loads(files("fewaspect.data").joinpath("fewasp.json").read_text(encoding="utf-8"))
    return tuple(
        Published(benchmark, split, tuple(aspects), about["lines_per_aspect"], **about["digests"].get(split, {}))
        for benchmark, about in content["benchmarks"].items()
        for split, aspects in content["aspects"].items()
    )


def records_digest(sentences: SentenceSet) -> str:
    """SHA-256 of the records in sorted order: text without case and spacing, aspects sorted and as label texts."""
    lines = sorted(
        json.dumps([text_identity(s.text), sorted(map(describe_aspect, s.aspects))], ensure_ascii=False)
        for s in sentences
    )
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def provenance(
    path: Path, sentences: SentenceSet, name: str | None = None, root: str | os.PathLike[str] | None = None
) -> Provenance | None:
    """Compare a file with the published one `name` ("fewasp-multi/train"), or with those that have its aspects.

    `root` is a data folder whose other files help where no digest is known. None: nothing about it is FewAsp's.
    """
    known = published_files() if name is None else (_named(name),)
    aspects = set(map(describe_aspect, sentences.classes))
    if name is None and not any(aspects == set(file.aspects) for file in known):
        return None
    sha256, records = sha256_of(path), records_digest(sentences)
    for digest, attribute, verdict in ((sha256, "sha256", GENUINE), (records, "records_sha256", SAME_RECORDS)):
        if found := next((file for file in known if getattr(file, attribute) == digest), None):
            return Provenance(found.name, verdict, (), sha256, records)
    alike = [file for file in known if name or aspects == set(file.aspects)]
    closest = min(alike, key=lambda file: abs(file.lines - len(sentences)))
    against, agrees = _findings(sentences, closest, Path(root) if root else None)
    if not against and closest.records_sha256:
        against = [f"its records have the SHA-256 {records}, the published ones {closest.records_sha256}"]
    agrees.append(f"the SHA-256 of its records is {records}")
    verdict, findings = (OTHER, against) if against else (UNPROVEN, agrees)
    return Provenance(closest.name, verdict, tuple(findings), sha256, records)


def _named(name: str) -> Published:
    for file in published_files():
        if file.name == name:
            return file
    raise DataError(
        f'expected one of the published files {", ".join(file.name for file in published_files())}, found "{name}".'
    )


def _findings(sentences: SentenceSet, file: Published, root: Path | None) -> tuple[list[str], list[str]]:
    """What speaks against the file being the published one, and what agrees with it."""
    against = [*_of_aspects(sentences, file)]
    if len(sentences) != file.lines:
        against.insert(0, f"{len(sentences):,} lines instead of {file.lines:,}")
    against += _of_repeats(sentences)
    agrees = [
        f"{file.lines:,} lines, {len(file.aspects)} aspects with {file.block} lines or more each",
        "a text has the same aspects on all its lines",
    ]
    if not against and (fault := _of_blocks(sentences, file)):
        agrees.append(f"not in the published order ({fault})")
    elif not against:
        agrees.append(f"a block of {file.block} lines for each aspect, in the published order")
    if root and not against and not file.records_sha256:
        more_against, more_agrees = _beside(sentences, file, root)
        return more_against, agrees + more_agrees
    return against, agrees


def _of_aspects(sentences: SentenceSet, file: Published) -> Iterator[str]:
    counts = Counter(describe_aspect(aspect) for s in sentences for aspect in s.aspects)
    if missing := [aspect for aspect in file.aspects if not counts[aspect]]:
        yield f"aspects that are missing: {_listed(missing)}"
    if foreign := sorted(counts.keys() - set(file.aspects)):
        yield f"aspects that are not in it: {_listed(foreign)}"
    if small := [f"{a} ({counts[a]})" for a in file.aspects if 0 < counts[a] < file.block]:
        yield f"aspects with fewer than {file.block} lines: {_listed(small)}"


def _of_repeats(sentences: SentenceSet) -> Iterator[str]:
    """A text is listed at most once for each of its aspects, and always with all of them."""
    aspects_of: dict[int, frozenset[str]] = {}
    times: Counter[int] = Counter()
    contradictory = 0
    for text, sentence in zip(sentences.text_ids.tolist(), sentences, strict=True):
        aspects = frozenset(map(describe_aspect, sentence.aspects))
        contradictory += aspects_of.setdefault(text, aspects) != aspects
        times[text] += 1
    if contradictory:
        yield f"{contradictory:,} lines with other aspects than an earlier line of the same text"
    if often := sum(count > len(aspects_of[text]) for text, count in times.items()):
        yield f"{often:,} texts on more lines than they have aspects"


def _of_blocks(sentences: SentenceSet, file: Published) -> str:
    """The first place where the lines are not in the published order; empty if there is none."""
    texts = sentences.text_ids.tolist()
    bounds = pairwise(range(0, file.lines + 1, file.block))
    for aspect, (first, last) in zip(file.aspects, bounds, strict=True):
        for line in range(first, last):
            if aspect not in map(describe_aspect, sentences[line].aspects):
                return f'line {line + 1} lacks "{aspect}"'
        if len(set(texts[first:last])) < file.block:
            return f'a text twice among the {file.block} lines for "{aspect}"'
    return ""


def _beside(sentences: SentenceSet, file: Published, root: Path) -> tuple[list[str], list[str]]:
    """Comparison with the other training sentences in a data folder."""
    from fewaspect.data.formats import read_sentences

    against, agrees = [], []
    mine = {text_identity(s.text): frozenset(map(describe_aspect, s.aspects)) for s in sentences}
    single = (root / "fewasp" if (root / "fewasp").is_dir() else root) / "single" / f"{file.split}.json"
    if file.benchmark == "fewasp-multi" and single.is_file():
        shared = sum(text_identity(text) in mine for text in read_sentences(single).texts)
        where = f"of fewasp-single/{file.split}"
        if shared:
            against.append(f"{shared:,} texts {where}, with which the published file shares none")
        else:
            agrees.append(f"no text {where}")
    if (corpus := root / SUBSTITUTE).is_file():
        pairs = [
            (mine[text], frozenset(map(describe_aspect, s.aspects)))
            for s in read_sentences(corpus)
            if (text := text_identity(s.text)) in mine
        ]
        equal = sum(a == b for a, b in pairs)
        what = f"{len(pairs):,} texts shared with {corpus.name}, {equal:,} of them with the same aspects"
        (agrees if equal == len(pairs) >= LEAST_SHARED * len(sentences) else against).append(what)
    return against, agrees


def _listed(names: Sequence[str], most: int = 5) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
