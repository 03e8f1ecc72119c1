"""Which sentences to check to learn how good a detector is on many texts, without a labelled file.

A sentence is drawn the more often the less sure its answers are, and the answers of a rare aspect are drawn as often as
those of a frequent one (sequential Poisson sampling; Ohlsson, Journal of Official Statistics 1998): who draws more goes
on in the same order, and what was checked stays in the sample.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.core.errors import WRONG_VALUE, CheckpointError, ConfigError, DataError
from fewaspect.core.files import atomic_write
from fewaspect.core.settings import to_json
from fewaspect.data.labels import shortened
from fewaspect.detector.explain import best_first, decide
from fewaspect.detector.labelling.recalibration import Population, to_logits
from fewaspect.text.identity import example_identity

if TYPE_CHECKING:
    from fewaspect.detector.labelling.audit_result import AuditResult

FORMAT = "fewaspect-audit-1"
EVEN_SHARE = 0.1  # of the draw that takes all sentences alike
ANSWERED_SHARE = 0.5  # of the rest that goes to what is answered, for precision; the other half to what is doubtful


@dataclass(frozen=True)
class AuditSentence:
    """A sentence to check: where it stands among the texts given, what is answered, how probable each aspect is, and
    how many sentences it stands for, by the chance it had to be drawn."""

    text: str
    index: int
    answers: tuple[str, ...]
    probabilities: tuple[float, ...]
    weight: float


@dataclass(frozen=True)
class Audit:
    """Sentences to check, and what `result` must know of all the others; equal sentences count once."""

    names: tuple[str, ...]
    sentences: tuple[AuditSentence, ...]
    population: tuple[Population, ...]  # of each aspect
    size: int  # distinct sentences
    seed: int

    def result(self, labels: Any, confidence: float = 0.95) -> AuditResult:
        """Precision, recall and F1 of each aspect and of all, with intervals.

        `labels`: for each sentence the names of its aspects, [] for none, None where nobody has answered yet.
        """
        from fewaspect.detector.labelling.audit_result import estimate

        return estimate(self, labels, confidence)

    def save(self, path: str | Path) -> None:
        """Write it as JSON."""
        population = [{"counts": p.counts.astype(int).tolist(), "sums": p.sums.tolist()} for p in self.population]
        with atomic_write(Path(path)) as file:
            file.write(to_json({"format": FORMAT, **asdict(self), "population": population}))

    @classmethod
    def load(cls, path: str | Path) -> Audit:
        """Read one that was saved; another file is refused."""
        try:
            return cls.from_json(json.loads(Path(path).read_text(encoding="utf-8")))
        except (OSError, *WRONG_VALUE) as error:
            raise CheckpointError(f"{path}: expected what an audit has saved, found {error!r}.") from error

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Audit:
        """Read what `save` writes."""
        if content["format"] != FORMAT:
            raise ValueError(f'format "{content["format"]}"')
        sentences = tuple(
            AuditSentence(
                str(s["text"]), int(s["index"]), tuple(s["answers"]), tuple(map(float, s["probabilities"])),
                float(s["weight"]),
            )
            for s in content["sentences"]
        )  # fmt: skip
        population = tuple(
            Population(np.array(p["counts"], dtype=float), np.array(p["sums"], dtype=float))
            for p in content["population"]
        )
        names = tuple(map(str, content["names"]))
        if any(len(own) != len(names) for own in (population, *(s.probabilities for s in sentences))):
            raise ValueError(f"other numbers of aspects than {len(names)}")
        return cls(names, sentences, population, int(content["size"]), int(content["seed"]))


def draw_audit(
    names: Sequence[str], texts: Sequence[str], probabilities: np.ndarray, thresholds: np.ndarray, n: int,
    seed: int = 0, *, first: Sequence[str] = (), without: Sequence[str] = (),
) -> Audit:  # fmt: skip
    """`n` of the distinct texts with a word, by (texts, N) probabilities, behind those that come `first`; `without`
    texts, such as examples, that would flatter."""
    if not isinstance(n, Integral) or n < 0:
        raise ConfigError(f"n: expected an integer from 0, found {n!r}.")
    left_out, rows_of = {example_identity(text) for text in without}, dict[str, int]()
    for index, text in enumerate(texts):
        if (identity := example_identity(text)) not in left_out and probabilities[index].any():
            rows_of.setdefault(identity, index)
    rows = np.array(list(rows_of.values()), dtype=int)
    place_of = {identity: place for place, identity in enumerate(rows_of)}
    p = probabilities[rows]  # (P, N)
    answered = decide(p, thresholds)
    sizes = draw_sizes(p, answered)
    random = np.array([uniform_number(identity, seed) for identity in rows_of])
    order = np.argsort(random / np.maximum(sizes, 1e-300), kind="stable")
    known = dict.fromkeys(place_of[i] for i in map(example_identity, first) if i in place_of)
    drawn = [*known, *[place for place in order.tolist() if place not in known][:n]]
    weights = 1 / inclusion(sizes, len(drawn))
    return Audit(
        tuple(names),
        tuple(
            AuditSentence(
                texts[rows[i]], int(rows[i]), tuple(names[a] for a in best_first(p[i], answered[i])),
                tuple(p[i].tolist()), float(weights[i]),
            )
            for i in drawn
        ),
        tuple(Population.of(to_logits(column), own) for column, own in zip(p.T, answered.T, strict=True)),
        len(rows),
        seed,
    )  # fmt: skip


def texts_after(after: Audit | None, names: Sequence[str], texts: Sequence[str]) -> list[str]:
    """The sentences of an earlier audit, of the same aspects and texts."""
    if after is None:
        return []
    if not isinstance(after, Audit):
        raise DataError(f"after: expected what an earlier audit returned, found {type(after).__name__}.")
    if after.names != tuple(names):
        raise DataError(f"after: expected an audit of the aspects {', '.join(names)}, found {', '.join(after.names)}.")
    there = set(map(example_identity, texts))
    for sentence in after.sentences:
        if example_identity(sentence.text) not in there:
            raise DataError(
                f"after: expected an audit of these texts, found {shortened(sentence.text)}, which is not among them."
            )
    return [sentence.text for sentence in after.sentences]


def draw_sizes(probabilities: np.ndarray, answered: np.ndarray) -> np.ndarray:
    """(P,) how often a sentence is to be drawn, in all 1; the same for every aspect, whatever the number of answers."""
    P, N = probabilities.shape
    if not P:
        return np.zeros(0)
    doubt = np.sqrt(probabilities * (1 - probabilities)) + 1e-12
    doubt = doubt / doubt.sum(axis=0)
    count = answered.sum(axis=0)
    share = np.where(count > 0, ANSWERED_SHARE, 0.0)
    each = (1 - share) * doubt + share * answered / np.maximum(count, 1)
    sizes: np.ndarray = (1 - EVEN_SHARE) * each.sum(axis=1) / N + EVEN_SHARE / P
    return sizes


def inclusion(sizes: np.ndarray, n: int) -> np.ndarray:
    """(P,) chances to be among `n`, as the sizes; what would be above 1 is 1, and the others share the rest."""
    certain = np.zeros(len(sizes), dtype=bool)
    while True:
        left = max(n - int(certain.sum()), 0)
        chances = np.where(certain, 1.0, left * sizes / max(float(sizes[~certain].sum()), 1e-300))
        more = (chances >= 1) & ~certain
        if not more.any():
            return np.maximum(chances, 1e-12)
        certain |= more


def uniform_number(identity: str, seed: int) -> float:
    """In (0, 1], a sentence's own: other sentences and their order have no part in it."""
    content = f"{seed}\n{identity}".encode("utf-8", "surrogatepass")
    return (int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big") + 1) / 2**64
