"""The numbers of the paper's three tables."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def published() -> dict[str, Any]:
    """`systems` by method name, and `benchmarks` with a title and results by method name and "5-way 5-shot"."""
    content: dict[str, Any] = json.loads(
        files("fewaspect.experiments").joinpath("published.json").read_text(encoding="utf-8")
    )
    return content


def published_value(benchmark: str, system: str, way: int, shot: int, metric: str) -> float | None:
    """ "auc" or "f1" of a system, in percent; None where the paper has no such number."""
    results = published()["benchmarks"].get(benchmark, {}).get("results", {})
    return results.get(system, {}).get(f"{way}-way {shot}-shot", {}).get(metric)


def published_settings(benchmark: str) -> list[tuple[int, int]]:
    """The (way, shot) of a benchmark's published table; none for a benchmark that is not the paper's."""
    return [(5, 5), (5, 10), (10, 5), (10, 10)] if benchmark in published()["benchmarks"] else []


def benchmark_title(benchmark: str) -> str:
    return str(published()["benchmarks"].get(benchmark, {}).get("title", benchmark))
