"""Which answers of a project are accepted and which need a look, once the promise of its precision is worked out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.detector.labelling.target_precision import PromisedOverall

if TYPE_CHECKING:
    from fewaspect.detector.labelling.target_precision import Promise
    from fewaspect.studio.engine.snapshot import Snapshot

CONFIDENCE = 0.9


@dataclass
class HeldPromise:
    """The promise of one snapshot, which comes after it; until then that of the snapshot before stands in."""

    before: Promise | None = None
    now: Promise | None = None
    overall: PromisedOverall | None = field(default=None)

    def work_out(self, snapshot: Snapshot, pause: Callable[[float], None]) -> None:
        """On the examples, each of them left out: takes seconds where there are many, with pauses between them."""
        if (target := snapshot.definition.target_precision) is not None and snapshot.detector is not None:
            promised = snapshot.detector.tune(precision=target, confidence=CONFIDENCE, progress=pause)
            self.overall, self.now = promised.overall, promised.promise

    @property
    def newest(self) -> Promise | None:
        return self.before if self.now is None else self.now


def to_review(snapshot: Snapshot) -> np.ndarray | None:
    """(S, N) booleans: answers that are not accepted, by the scores so far; None where nothing is promised.

    A sentence that the user has confirmed needs no look.
    """
    if (promise := snapshot.promise.newest) is None or snapshot.definition.target_precision is None:
        return None
    names = [aspect.name for aspect in snapshot.definition.aspects]
    unsure = snapshot.decided() & ~promise.reached(names, snapshot.scores.probabilities)
    unsure[list(snapshot.confirmed)] = False
    return unsure


def with_looks(snapshot: Snapshot, rows: Sequence[int], shown: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sentences with those of their aspects that need a look; as they are where nothing is promised."""
    if (promise := snapshot.promise.newest) is None or snapshot.definition.target_precision is None:
        return shown
    names, ids = [aspect.name for aspect in snapshot.definition.aspects], snapshot.aspect_ids
    reached = promise.reached(names, snapshot.scores.probabilities[list(rows)])
    accepted = [{ids[n] for n in np.flatnonzero(own)} for own in reached]
    return [
        {**one, "look": [] if one["confirmed"] else [a for a in one["aspects"] if a not in own]}
        for one, own in zip(shown, accepted, strict=True)
    ]


def promise_state(snapshot: Snapshot) -> dict[str, Any] | None:
    """What the page says of the promise; None where none is asked for."""
    if (target := snapshot.definition.target_precision) is None:
        return None
    review, promise, overall = to_review(snapshot), snapshot.promise.now, snapshot.promise.overall
    answers = int(snapshot.decided().sum())
    unsure = answers if review is None else int(review.sum())
    return {
        "precision": target, "confidence": CONFIDENCE, "ready": not snapshot.must_promise,
        "promised": promise is not None and promise.accepts, "labels": len(snapshot.definition.examples),
        "more": overall.more if overall else None, "answers": answers, "accepted": answers - unsure,
        "look": 0 if review is None else int(review.any(axis=1).sum()),
    }  # fmt: skip
