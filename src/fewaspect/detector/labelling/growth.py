"""Are there enough examples? What each aspect gained from the second half of its examples, and whether they agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewaspect.core.multilabel_metrics import average_precision
from fewaspect.detector.fitting import FittedState
from fewaspect.detector.labelling.label_issues import contradictions
from fewaspect.detector.labelling.left_out import halved_logits, left_out_logits
from fewaspect.detector.model import InferenceModel

GROWING, LEVEL, CONTRADICTORY, TOO_FEW = "growing", "level", "contradictory", "too few"
FEWEST = 8  # examples that say something
GAIN = 0.02  # of average precision; what came of more and of less of it: docs/results/growth.md
CONTRADICTED = 0.5  # share of an aspect's examples
REPEATS = 4  # divisions into halves


@dataclass(frozen=True)
class Growth:
    """What further examples of an aspect may be worth: `signal` is "growing", "level", "contradictory" or "too few".

    `half` and `all` are the average precision of the aspect among the examples, each left out of what was fitted to
    half of them and to all; `contradicted` the share of its examples that the others speak against.
    """

    signal: str
    examples: int
    half: float | None
    all: float | None
    contradicted: float
    why: str


def measure_growth(model: InferenceModel, state: FittedState) -> dict[str, Growth]:
    """By aspect."""
    examples = state.examples
    own, shots = examples.membership, examples.membership.sum(axis=0)
    if not len(own) or (shots < FEWEST).all():
        return {name: _growth(int(count), None, None, 0.0) for name, count in zip(examples.names, shots, strict=True)}
    logits = left_out_logits(model, state)
    halves = halved_logits(model, state, REPEATS)
    against = contradictions(logits, own) > 0
    found = {}
    for n, (name, count) in enumerate(zip(examples.names, shots.tolist(), strict=True)):
        truth = own[:, n]
        if not count or truth.all():
            found[name] = _growth(count, None, None, 0.0)
            continue
        of_half, of_all = (
            float(
                np.mean(average_precision(part[..., n][:, :, None], np.tile(truth[None, :, None], (len(part), 1, 1))))
            )
            for part in (halves, logits[None])
        )
        found[name] = _growth(count, of_half, of_all, float(against[truth, n].mean()))
    return found


def _growth(count: int, half: float | None, whole: float | None, contradicted: float) -> Growth:
    if count < FEWEST or half is None or whole is None:
        why = f"{count} {'example' if count == 1 else 'examples'}: too few to say, {FEWEST} are needed."
        return Growth(TOO_FEW, count, half, whole, contradicted, why)
    numbers = f"average precision of left-out examples {half:.2f} with half of them, {whole:.2f} with all {count}"
    if contradicted >= CONTRADICTED:
        why = f"The other examples speak against {contradicted:.0%} of its {count}: check them, or divide the aspect."
        return Growth(CONTRADICTORY, count, half, whole, contradicted, why)
    if whole - half >= GAIN:
        return Growth(GROWING, count, half, whole, contradicted, f"More examples may help: {numbers}.")
    return Growth(LEVEL, count, half, whole, contradicted, f"More examples would add little: {numbers}.")
