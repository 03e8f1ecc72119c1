"""How much polarities of one's own change: `sentiment.py --own-polarities --data FOLDER`."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect import AspectDetector
from fewaspect.core.files import atomic_write
from fewaspect.core.polarity_metrics import measure_polarity
from fewaspect.data.polarity import ANSWERS, POLARITIES, PolarSentence, read_polarities

GIVEN, TEXTS = (0, 1, 5, 20, 100), 400  # sentences with polarities that are given; sentences that are asked
METRICS = {"accuracy": "negative or positive right", "macro_f1": "macro-F1", "calibration_error": "calibration error"}
_HEAD = """# Polarities of one's own

Sentences with the polarities of their aspects are given to `fit` (none, 1, 5, 20 or 100 of a set, drawn at random), and
`detector.sentiment` is asked of other sentences of the set, gold aspects given; percent, mean over sets and draws. Made
by `python benchmarks/practical/sentiment.py --own-polarities --data FOLDER`. The constants of the correction were
chosen on the sets that the model was not trained on, so that its numbers there are a little too good; on the sets that
it was trained on, there is less left to correct than on reviews of yours.
"""


def measure(data: Path, out: Path, seeds: Sequence[int], not_trained_on: Sequence[str]) -> None:
    """The records, written anew."""
    records = [
        {"set": path.stem, "trained_on": path.stem not in not_trained_on, **record}
        for path in sorted((data / "train").glob("*.jsonl"))
        for record in _measured([row for row in read_polarities(path) if row.polarities], seeds)
    ]
    with atomic_write(out) as file:
        file.write("".join(json.dumps(record) + "\n" for record in records))


def write_page(out: Path) -> None:
    """Beside the records, from them alone."""
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    with atomic_write(out.with_suffix(".md")) as file:
        file.write(page(records))


def _measured(rows: Sequence[PolarSentence], seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    for seed in seeds:
        drawn = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
        given, asked = drawn[: max(GIVEN)], drawn[max(GIVEN) :][:TEXTS]
        names = list(dict.fromkeys(name for row in rows for name in row.polarities))
        truth = [ANSWERS.index(polarity) for row in asked for polarity in row.polarities.values()]
        numbers = [number for number, row in enumerate(asked) for _ in row.polarities]
        for count in GIVEN:
            detector = AspectDetector().fit({name: [] for name in names})
            own = [row for row in given[:count] if row.polarities]
            detector.add_examples([r.text for r in own], [[*r.polarities] for r in own], [r.polarities for r in own])
            told = detector.sentiment([row.text for row in asked], aspects=[[*row.polarities] for row in asked])
            found = np.array([[own[p] for p in POLARITIES] for text in told for own in text.values()])
            measured = measure_polarity(found, truth, numbers)
            yield {"seed": seed, "given": count, **{metric: measured[metric] for metric in METRICS}}


def page(records: Sequence[dict[str, Any]]) -> str:
    """Markdown."""
    parts = [_HEAD]
    for trained, title in ((False, "Sets that the model was not trained on"), (True, "Sets that it was trained on")):
        own = [record for record in records if record["trained_on"] is trained]
        sets = sorted({record["set"] for record in own})
        parts.append(f"## {title}\n\n{len(sets)} sets: {', '.join(sets)}.\n")
        lines = ["| sentences given | " + " | ".join(METRICS.values()) + " |", "| --- " * (len(METRICS) + 1) + "|"]
        for count in GIVEN:
            some = [record for record in own if record["given"] == count]
            means = (statistics.mean(r[metric] for r in some if r[metric] is not None) for metric in METRICS)
            lines.append(f"| {count} | " + " | ".join(f"{100 * mean:.1f}" for mean in means) + " |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
