"""A project in numbers: how often each aspect, which together, when."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from fewaspect.studio.engine.state import State


def overview(state: State) -> dict[str, Any]:
    """Of sentences, as far as they are scored."""
    decided, ids = state.decided(), state.aspect_ids
    counts = decided.astype(np.int64)
    both = counts.T @ counts  # (N, N)
    together = [
        [ids[i], ids[j], int(both[i, j])] for i in range(len(ids)) for j in range(i + 1, len(ids)) if both[i, j]
    ]
    return {
        "sentences": len(decided), "none": int((~decided.any(axis=1)).sum()), "scored": state.scored,
        "revision": state.revision,
        "aspects": [{"id": number, "count": int(both[n, n])} for n, number in enumerate(ids)],
        "together": together, "over_time": _over_time(state, decided),
    }  # fmt: skip


def _over_time(state: State, decided: np.ndarray) -> list[dict[str, Any]]:
    """By month."""
    rows: dict[str, list[int]] = defaultdict(list)
    for row, day in enumerate(state.rows.dates):
        if day:
            rows[day[:7]].append(row)
    return [
        {"period": period, "total": len(own),
         "counts": {str(number): int(n) for number, n in zip(state.aspect_ids, decided[own].sum(axis=0), strict=True)}}
        for period, own in sorted(rows.items())
    ]  # fmt: skip
