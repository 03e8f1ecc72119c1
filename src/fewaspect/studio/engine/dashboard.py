"""A project in counts: each aspect, pairs of aspects, months."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from fewaspect.studio.engine.snapshot import Snapshot


def dashboard_counts(snapshot: Snapshot) -> dict[str, Any]:
    """Of sentences, by the scores so far."""
    decided, ids = snapshot.decided(), snapshot.aspect_ids
    counts = decided.astype(np.int64)
    both = counts.T @ counts  # (N, N)
    return {
        "sentences": len(decided), "none": int((~decided.any(axis=1)).sum()), "scored": snapshot.scores.scored,
        "revision": snapshot.revision,
        "aspects": [{"id": number, "count": int(both[n, n])} for n, number in enumerate(ids)],
        "together": [[ids[i], ids[j], int(both[i, j])] for i, j in np.argwhere(np.triu(both, 1))],
        "over_time": _by_month(snapshot, decided),
    }  # fmt: skip


def _by_month(snapshot: Snapshot, decided: np.ndarray) -> list[dict[str, Any]]:
    rows: dict[str, list[int]] = defaultdict(list)
    for row, day in enumerate(snapshot.sentences.dates):
        if day:
            rows[day[:7]].append(row)
    return [
        {"period": period, "total": len(own),
         "counts": dict(zip(map(str, snapshot.aspect_ids), decided[own].sum(axis=0).tolist(), strict=True))}
        for period, own in sorted(rows.items())
    ]  # fmt: skip
