"""What the practical comparison is measured on: real aspect sets, a few examples of each aspect, sentences to tag."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from fewaspect.data.labelled import LabelledSentence
from fewaspect.data.labels import describe_aspect
from fewaspect.text.identity import text_identity

SETS = {
    "restaurants": "semeval14_restaurants",
    "laptops": "acos_laptop",
    "books": "memd_books",
    "courses": "oats_coursera",
    "fewasp": None,  # the test split of FewAsp (all)
}
VALIDATION = (
    "api_review_aspects", "banking77", "complaint_domains", "crisis_tweets_t26", "nhs_patient_feedback",
    "oposum_vacuums", "steam_review_aspects", "us_airline_tweets",
)  # fmt: skip
SHOTS = (1, 5, 10, 50)
STEPS = (1, 5, 10, 20, 50, 100, 200)  # the numbers of examples that are among the next ones
MOST_ASPECTS = 12
FEWEST_SENTENCES = 40  # of an aspect
MOST_TEXTS = 2400  # of a validation set
MOST_UNLABELLED = 1500
NO_ASPECT = "none"  # what some sets call a sentence without an aspect


@dataclass(frozen=True)
class Draw:
    """Examples and test sentences with 0/1 rows over `names`; equal for all systems that are compared.

    `pile` holds texts of the examples' half without their labels. The digest is that of all else.
    """

    names: list[str]
    examples: list[str]
    example_rows: list[list[int]]
    texts: list[str]
    rows: list[list[int]]
    pile: list[str] = field(default_factory=list)

    @cached_property
    def digest(self) -> str:
        compared = {name: value for name, value in asdict(self).items() if name != "pile"}
        return hashlib.sha256(json.dumps(compared).encode()).hexdigest()


def load_set(name: str, data: Path) -> list[LabelledSentence]:
    """The sentences of a visible or a validation set, each once, with readable aspect names.

    Of a validation set at most 2,400, in an order that is the same every time.
    """
    from fewaspect.data.benchmarks import load_benchmark, verify_checksums
    from fewaspect.data.formats import read_sentences

    if name in VALIDATION:
        path = data / "corpus" / "validation" / f"{name}.jsonl"
    elif file := SETS[name]:
        path = data / "practical" / f"{file}.jsonl"
    else:
        return merged(load_benchmark("fewasp", data).test)
    verify_checksums(data, [path])
    sentences = merged(read_sentences(path))
    return shortened(sentences, MOST_TEXTS) if name in VALIDATION else sentences


def chosen_sets(choice: str) -> list[str]:
    """The names that `visible`, `validation` or names of sets stand for, separated by commas."""
    groups = {"visible": tuple(SETS), "validation": VALIDATION}
    named = [name for part in choice.split(",") for name in groups.get(part.strip(), (part.strip(),))]
    if unknown := [name for name in named if name not in SETS and name not in VALIDATION]:
        raise ValueError(f"expected visible, validation or names of sets, found {unknown[0]!r}")
    return list(dict.fromkeys(named))


def shortened(sentences: Sequence[LabelledSentence], most: int) -> list[LabelledSentence]:
    """The first `most` in a seeded order."""
    return [sentences[i] for i in np.random.default_rng(0).permutation(len(sentences))[:most]]


def merged(sentences: Iterable[LabelledSentence]) -> list[LabelledSentence]:
    """Each text once with the aspects of all its copies; "LAPTOP#PRICE" becomes "laptop price", "None" is no aspect."""
    texts: dict[str, str] = {}
    aspects: dict[str, dict[str, None]] = {}
    for sentence in sentences:
        identity = text_identity(sentence.text)
        texts.setdefault(identity, sentence.text)
        readable = (describe_aspect(aspect) for aspect in sentence.aspects)
        aspects.setdefault(identity, {}).update(dict.fromkeys(name for name in readable if name != NO_ASPECT))
    return [LabelledSentence(text, tuple(aspects[identity])) for identity, text in texts.items() if identity]


def frequent_aspects(sentences: Iterable[LabelledSentence]) -> list[str]:
    """Up to twelve aspects, the most frequent first; the same for every seed and number of examples."""
    counts = Counter(aspect for sentence in sentences for aspect in sentence.aspects)
    enough = [name for name, count in counts.items() if count >= FEWEST_SENTENCES]
    return sorted(enough, key=lambda name: (-counts[name], name))[:MOST_ASPECTS]


def draw(sentences: Sequence[LabelledSentence], shots: int, seed: int, test: int) -> Draw:
    """Examples from one random half, `test` sentences of the other, those without any of the aspects included.

    The halves and the test sentences depend on the seed alone, and fewer examples are among the more.
    """
    names = frequent_aspects(sentences)
    rows = np.array([[name in sentence.aspects for name in names] for sentence in sentences], dtype=bool)
    order = np.random.default_rng(seed).permutation(len(sentences))
    pool, tested = order[: len(order) // 2], order[len(order) // 2 :][:test]
    examples = pick_examples(rows, pool, shots)
    return Draw(
        names,
        [sentences[i].text for i in examples],
        rows[examples].astype(int).tolist(),
        [sentences[i].text for i in tested],
        rows[tested].astype(int).tolist(),
        [sentences[i].text for i in pool[:MOST_UNLABELLED]],
    )


def pick_examples(rows: np.ndarray, pool: np.ndarray, shots: int) -> list[int]:
    """Sentences of the pool, in its order, until every aspect has `shots`, or all it has there: rare aspects first.

    A sentence stands for all of its aspects, so that a frequent aspect can get more than it needs.
    """
    picked: dict[int, None] = {}
    rare_first = np.argsort(rows[pool].sum(axis=0), kind="stable")
    for upto in sorted({min(step, shots) for step in STEPS} | {shots}) if shots else ():
        for aspect in rare_first:
            missing = upto - int(rows[list(picked), aspect].sum())
            fresh = [int(i) for i in pool if rows[i, aspect] and int(i) not in picked]
            if missing == upto and not fresh:
                raise ValueError(f"expected examples of aspect {aspect} in the half, found none")
            picked.update(dict.fromkeys(fresh[: max(missing, 0)]))
    return list(picked)
