"""Examples that the other examples contradict, in the way of confident learning (Northcutt, Jiang & Chuang, JAIR 2021):
what is given is compared with what the others make probable, aspect by aspect, on the aspect's own scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fewaspect.data.labels import shortened
from fewaspect.detector.support import Examples

CENTRE = 0.5  # of the way from a logit of 0 to the middle between an aspect's examples and the others
LEAST_STRENGTH = 3.0  # of an example that is listed; chosen so that of examples without errors about a tenth is
STRONGEST = 2  # contradictions that count: a label that was replaced has two


@dataclass(frozen=True)
class LabelIssue:
    """An example to check: its aspects as given and as the other examples suggest, why, and how much speaks for it."""

    text: str
    given: tuple[str, ...]
    suggested: tuple[str, ...]
    why: str
    strength: float

    def __str__(self) -> str:
        return f"{shortened(self.text)}: {self.why}"


def find_label_issues(examples: Examples, logits: np.ndarray, least: float = LEAST_STRENGTH) -> list[LabelIssue]:
    """The strongest first, those with at least so much strength; `logits`, (S, N), are of each example left out."""
    own = examples.membership
    against = contradictions(logits, own)  # (S, N)
    strength = issue_strengths(against)
    doubtful = np.flatnonzero((against > 0).any(axis=1) & (strength >= least))
    found = []
    for row in doubtful[np.argsort(-strength[doubtful], kind="stable")]:
        suggested = own[row] ^ (against[row] > 0)
        if (suggested & ~own[row]).sum() > 1:  # of several that may be missing, the likeliest
            best = np.where(own[row], -np.inf, against[row]).argmax()
            suggested &= own[row] | (np.arange(len(suggested)) == best)
        given, better = (_names(examples.names, mask) for mask in (own[row], suggested))
        why = "; ".join(_reasons(examples.names, logits[row], own[row], suggested))
        found.append(LabelIssue(examples.texts[row], given, better, why, float(strength[row])))
    return found


def contradictions(logits: np.ndarray, membership: np.ndarray) -> np.ndarray:
    """(S, N) logits by which the others speak against what is given of each example and aspect; below 0, for it."""
    centre = np.zeros(membership.shape[1])
    for n, own in enumerate(membership.T):
        if own.any() and not own.all():
            centre[n] = CENTRE * (np.median(logits[own, n]) + np.median(logits[~own, n])) / 2
    return np.where(membership, centre - logits, logits - centre)


def issue_strengths(against: np.ndarray) -> np.ndarray:
    """(S,) the improbability, in nats, of the given labels that are contradicted most."""
    improbable = np.sort(np.logaddexp(0, against), axis=1)
    strengths: np.ndarray = improbable[:, -STRONGEST:].sum(axis=1)
    return strengths


def _names(names: Sequence[str], mask: np.ndarray) -> tuple[str, ...]:
    return tuple(name for name, has in zip(names, mask, strict=True) if has)


def _reasons(names: Sequence[str], logits: np.ndarray, own: np.ndarray, suggested: np.ndarray) -> Iterator[str]:
    """What the other examples say of the aspects in doubt."""
    probabilities = 1 / (1 + np.exp(-logits))
    for n in np.flatnonzero(own & ~suggested).tolist():
        yield f"{names[n]} is given, but by the other examples its probability is {probabilities[n]:.2f}"
    for n in np.flatnonzero(suggested & ~own).tolist():
        yield f"{names[n]} is not given, but by the other examples its probability is {probabilities[n]:.2f}"
