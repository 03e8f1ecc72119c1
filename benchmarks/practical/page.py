"""The page of the practical comparison, from its results alone."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

Result = dict[str, Any]

TITLES = {
    "fewaspect": "fewaspect",
    "fewaspect-fp32": "fewaspect, fp32",
    "setfit": "SetFit",
    "logistic": "logistic regression",
    "prototypes": "prototypes",
    "label-text": "cosine to the label text",
}
PEERS = ("setfit", "logistic")
SETS = ("restaurants", "laptops", "books", "courses", "fewasp")
INTRODUCTION = """\
# Practical comparison: a few examples of each aspect, real reviews

Made by `python benchmarks/practical/compare.py --data FOLDER` from [practical.jsonl](practical.jsonl); `--table` writes
this page from the results alone.

Sets: restaurants (SemEval-2014), laptops (ACOS), books (MEMD), online courses (OATS), and the test split of FewAsp
(all); copies of a text are merged. The up to 12 most frequent aspects with at least 40 sentences take part, by readable
names ("laptop operation performance"). Examples come from one random half of a set; a sentence stands for all of its
aspects, so a frequent aspect can have more than K. Tested on {sentences} distinct sentences of the other half, those
with none of the aspects included. All systems start from the embedded all-MiniLM-L6-v2 and get the same draws, one
process each.

* fewaspect: `AspectDetector()` with its defaults, int8; fp32: the same run exported with `--precision fp32`.
* SetFit: its defaults with `multi_target_strategy="one-vs-rest"`, no checkpoints written.
* logistic regression: scikit-learn on the sentence embeddings, one-vs-rest, C=10, classes balanced, answered at 0.5.
* prototypes: softmax at scale 20 over the cosines to the means of the examples, answered at 0.3.
* cosine to the label text: the same with the embedding of the aspect's name for the mean.

F1, average precision (mean over the aspects that occur) and empty accuracy in percent. Empty accuracy: the share of
the sentences with none of the aspects for which nothing is answered, on draws with at least 20 of them. Calibration
error: expected, 15 bins over all probabilities. Ready: from examples to a system that answers, model already loaded,
the encoding of the examples included. Times come from [practical-times.jsonl](practical-times.jsonl): one draw of each
set, seed 0, all systems one after the other on one machine (`--times`), with 1 and 5 examples; with 10, SetFit takes
hours. Seconds are CPU time of the system's own process: other load and interruptions do not count.
Memory: the most that the process had resident, libraries included.
± is the standard deviation over the seeds of the draw; of a mean over sets, that of the seeds' means.
"""


class Metric(NamedTuple):
    key: str
    title: str
    scale: float
    digits: int


METRICS = (
    Metric("macro_f1", "macro-F1", 100, 1),
    Metric("micro_f1", "micro-F1", 100, 1),
    Metric("mean_average_precision", "mean average precision", 100, 1),
    Metric("empty_accuracy", "empty accuracy", 100, 1),
    Metric("calibration_error", "calibration error", 1, 3),
    Metric("cpu_seconds_to_be_ready", "ready, seconds", 1, 2),
    Metric("sentences_per_cpu_second", "sentences per second", 1, 0),
    Metric("peak_memory_mb", "peak memory, MB", 1, 0),
)
MACRO_F1, PRECISION, EMPTIES, CALIBRATION, READY, SPEED = (METRICS[i] for i in (0, 2, 3, 4, 5, 6))
TIMES = (READY, SPEED)


def page(results: Sequence[Result], times: Sequence[Result] = ()) -> str:
    """The whole page; times from the measurements that were taken together; a dash where nothing was measured."""
    check_draws([*results, *times])
    counts = sorted({result["sentences"] for result in results})
    sentences = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    parts = [INTRODUCTION.format(sentences=sentences), summary(results, times)]
    for shots in sorted({result["shots"] for result in results} - {0}):
        parts += [f"## {shots} example{'s' * (shots > 1)} per aspect\n", table(results, shots, times)]
    if any(result["shots"] == 0 for result in results):
        parts += ["## No examples, the names of the aspects alone\n", table(results, 0, times)]
    return "\n".join([*parts, surroundings([*results, *times])])


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


def table(results: Sequence[Result], shots: int, times: Sequence[Result]) -> str:
    lines = [f"| | system | {' | '.join(SETS)} | mean |", "|---" * (len(SETS) + 3) + "|"]
    for metric in METRICS:
        title = metric.title
        here = [result for result in (times if metric in TIMES else results) if result["shots"] == shots]
        for system, name in TITLES.items():
            if rows := [result for result in here if result["system"] == system]:
                lines.append(f"| {title} | {name} | {' | '.join(cells(rows, metric, applicable(here, metric)))} |")
                title = ""
    return "\n".join([*lines, ""])


def cells(rows: Sequence[Result], metric: Metric, sets: Sequence[str]) -> list[str]:
    """One per set, then the mean over the sets where the metric applies, if all of them were measured."""
    shown = [spread([value for _, value in values(rows, metric, name)], metric) for name in SETS]
    means = seed_means(rows, metric, sets)
    return [*shown, spread(list(means.values()), metric)]


def applicable(results: Sequence[Result], metric: Metric) -> list[str]:
    """The sets on which any system has this number."""
    return [name for name in SETS if any(values(results, metric, name))]


def values(rows: Sequence[Result], metric: Metric, name: str) -> list[tuple[int, float]]:
    """(seed, number) of a set, where there is one."""
    return [
        (row["seed"], metric.scale * row[metric.key])
        for row in rows
        if row["set"] == name and row[metric.key] is not None
    ]


def seed_means(rows: Sequence[Result], metric: Metric, sets: Sequence[str]) -> dict[int, float]:
    """The mean over the sets, for each seed for which all of them have a number."""
    by_set = [dict(values(rows, metric, name)) for name in sets]
    seeds = sorted(set.intersection(*map(set, by_set))) if by_set else []
    return {seed: statistics.mean(own[seed] for own in by_set) for seed in seeds}


def spread(numbers: Sequence[float], metric: Metric) -> str:
    if not numbers:
        return "-"
    shown = f"{statistics.mean(numbers):.{metric.digits}f}"
    return shown if len(numbers) < 2 else f"{shown} ± {statistics.stdev(numbers):.{metric.digits}f}"


def summary(results: Sequence[Result], times: Sequence[Result]) -> str:
    """What the detector has to show, beside what was measured; compared on the seeds that all systems have."""
    lines = ["## In short\n", "| examples | what | aim | measured |", "|---|---|---|---|"]
    for shots in sorted({result["shots"] for result in results} - {0}):
        here, timed = ([result for result in some if result["shots"] == shots] for some in (results, times))
        lines += [f"| {shots} | {what} | {aim} | {measured} |" for what, aim, measured in aims(here, timed, shots)]
    return "\n".join([*lines, ""])


def aims(results: Sequence[Result], times: Sequence[Result], shots: int) -> Iterator[tuple[str, str, str]]:
    """What, aim and measured number, for one number of examples."""
    for metric, least in ((MACRO_F1, 4 if shots == 5 else 0), (PRECISION, 7 if shots == 5 else 0)):
        what = f"{metric.title} against the better of SetFit and logistic regression"
        yield what, f"at least +{least}" if least else "above", gain(results, metric)
    if times:
        yield "times sooner ready than SetFit, by CPU time", "at least 50", sooner(times)
    yield "macro-F1 against fp32", "at least -0.3", against_fp32(results)
    own = [result for result in results if result["system"] == "fewaspect"]
    for metric, aim in ((EMPTIES, "at least 60"), (CALIBRATION, "at most 0.10")):
        means = seed_means(own, metric, applicable(own, metric))
        yield metric.title, aim, spread(list(means.values()), metric)


def gain(results: Sequence[Result], metric: Metric) -> str:
    """Our mean less the better peer's, with the spread of the difference over seeds; sets that all have count."""
    means = common_means(results, metric, ("fewaspect", *PEERS))
    if not means:
        return "-"
    better = max(PEERS, key=lambda peer: statistics.mean(means[peer].values()))
    gains = [own - means[better][seed] for seed, own in means["fewaspect"].items()]
    sign = "+" if statistics.mean(gains) >= 0 else ""
    return f"{sign}{spread(gains, metric)} ({TITLES[better]})"


def against_fp32(results: Sequence[Result]) -> str:
    """What int8 gains or loses, on the draws that both have."""
    means = common_means(results, MACRO_F1, ("fewaspect", "fewaspect-fp32"))
    if not means:
        return "-"
    gains = [own - means["fewaspect-fp32"][seed] for seed, own in means["fewaspect"].items()]
    return f"{statistics.mean(gains):+.2f} ± {statistics.stdev(gains) if len(gains) > 1 else 0:.2f}"


def sooner(results: Sequence[Result]) -> str:
    """SetFit's mean time by ours, and the smallest of the ratios of single draws."""
    means = common_means(results, READY, ("fewaspect", "setfit"))
    if not means:
        return "-"
    ratio = mean_of(means["setfit"]) / mean_of(means["fewaspect"])
    seconds = {(r["system"], r["set"], r["seed"]): r[READY.key] for r in results}
    ratios = [
        value / seconds["fewaspect", name, seed]
        for (system, name, seed), value in seconds.items()
        if system == "setfit" and ("fewaspect", name, seed) in seconds
    ]
    return f"{ratio:.0f} (least: {min(ratios):.0f})"


def common_means(
    results: Sequence[Result], metric: Metric, systems: Sequence[str]
) -> dict[str, dict[int, float]] | None:
    """Per system the means of the seeds that all of them have, over the sets that all of them have."""
    rows = {system: [result for result in results if result["system"] == system] for system in systems}
    sets = [name for name in SETS if all(values(own, metric, name) for own in rows.values())]
    means = {system: seed_means(own, metric, sets) for system, own in rows.items()}
    seeds = sorted(set.intersection(*map(set, means.values())))
    return {system: {seed: own[seed] for seed in seeds} for system, own in means.items()} if seeds else None


def mean_of(numbers: dict[int, float]) -> float:
    return statistics.mean(numbers.values())


def surroundings(results: Sequence[Result]) -> str:
    """What was measured, on what, and what is missing."""
    each: Callable[[str], list[Any]] = lambda key: sorted({result[key] for result in results})  # noqa: E731
    missing = [TITLES[peer] for peer in PEERS if peer not in each("system")]
    machines = {
        f"{e['processor']}, {e['cores']} cores, {e['threads']} thread(s), Python {e['python']}, "
        f"torch {e['packages']['torch']}, transformers {e['packages']['transformers']}"
        for e in (result["environment"] for result in results)
    }
    setfit = sorted({r["environment"]["packages"]["setfit"] for r in results if r["system"] == "setfit"})
    lines = [
        f"{len(results)} measurements, seeds {', '.join(map(str, each('seed')))}, on: {'; '.join(sorted(machines))}"
        f"{'; SetFit ' + ', '.join(setfit) if setfit else ''}."
    ]
    if missing:
        lines.append(f"Not measured: {', '.join(missing)}.")
    return "\n".join([*lines, ""])
