"""The page about other languages, from its records alone."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from fewaspect.experiments.results_file import Record

INTRODUCTION = """\
# Other languages

Made by `python benchmarks/practical/languages.py` from [languages.jsonl](languages.jsonl); `--table` writes this page.
Five examples of each aspect unless something else is said, 800 sentences; mean average precision in percent, with the
standard deviation over the draws where there are several. When to take which: [languages](../how-to/languages.md).
"""
LANGUAGE = """
## Examples in the language

No set in the languages below was trained on by the multilingual model that is measured here, nor were its probabilities
learned there; a German and a Chinese set (of news) were among those on which the shape of its states was chosen.
Logistic regression takes the vectors of the same encoder as it was published.

"""
NAMES = """
## English names and no examples

The same model, given the English names of the aspects alone, beside the English model.

"""
ACROSS = """
## English examples

Five English examples of each aspect that the English set has too, and as many in the language, on the same sentences.

"""
ENGLISH = """
## English

The validation sets of the corpus, which neither model was trained on, with the models as they ship.

"""
OTHERS = """
## Label sets that are no aspects

Emotions of posts and comments, five examples of each. No model here was trained on emotions, nor on any set in these
languages. This is not what the models are for: it shows languages that have no aspect set here.

"""
SENTIMENT = """
## Sentiment

Made by `python benchmarks/studies/multilingual_sentiment.py --measure`. Gold aspects given, one network for each
language, which learned from the English sets and from those in the other languages; temperature and bias of neutral are
of English sets. The layers that find the words of an aspect had been trained with aspects, never with polarities, of
texts in all of these languages but German and Chinese. In each cell: the network / logistic regression on the sentence
vector, trained on the same pairs / always positive. Names of the measures as in [sentiment](sentiment.md); mixed pairs
are left out. Trained and measured with names read with their end token, which the detector leaves out since.

| set | right of negative and positive | right where a sentence has both | macro-F1 | calibration error | pairs |
|---|---:|---:|---:|---:|---:|
"""
TIMES = """
## What it costs

One process for each model, one after another on one core: 800 English sentences.

| model | sentences per second of CPU | ready after, seconds of CPU | peak memory, MB | model files, MB |
|---|---:|---:|---:|---:|
"""
TABLES = (("language", LANGUAGE), ("names", NAMES), ("across", ACROSS), ("others", OTHERS), ("english", ENGLISH))
MEASURES = {  # with the systems that are compared by each
    "accuracy": ("multilingual", "logistic", "majority"), "contrast_accuracy": ("multilingual", "logistic", "majority"),
    "macro_f1": ("multilingual", "logistic", "majority"), "calibration_error": ("multilingual", "logistic"),
}  # fmt: skip
TITLES = {"multilingual": "multilingual", "english": "English model", "logistic": "logistic regression, same vectors"}


def page(results: Sequence[Record]) -> str:
    parts = [INTRODUCTION]
    for table, text in TABLES:
        if rows := [r for r in results if r["table"] == table]:
            parts.append(text + _table(rows))
    if rows := [r for r in results if r["table"] == "sentiment"]:
        parts.append(SENTIMENT + _sentiment(rows))
    if rows := [r for r in results if r["table"] == "times"]:
        parts.append(TIMES + "".join(map(_cost, rows)))
    return "".join(parts)


def _table(rows: Sequence[Record]) -> str:
    """A line for each set, a column for each system, and the mean of all sets."""
    systems = list(dict.fromkeys(r["system"] for r in rows))
    sets = list(dict.fromkeys(r["set"] for r in rows))
    systems.sort(key=lambda name: (list(TITLES).index(name) if name in TITLES else 1, name))
    lines = [
        f"| set | {' | '.join(TITLES.get(name, name) for name in systems)} |", f"|---|{'---:|' * len(systems)}"
    ]  # fmt: skip
    means: dict[str, list[float]] = {name: [] for name in systems}
    for one in sets:
        cells = []
        for system in systems:
            numbers = [100 * r["mean_average_precision"] for r in rows if r["set"] == one and r["system"] == system]
            cells.append(_spread(numbers))
            means[system] += [statistics.mean(numbers)] if numbers else []
        lines.append(f"| {one} | {' | '.join(cells)} |")
    every = [f"{statistics.mean(means[name]):.1f}" if len(means[name]) == len(sets) else "-" for name in systems]
    lines.append(f"| mean | {' | '.join(every)} |")
    seeds = {len({r["seed"] for r in rows if r["set"] == one}) for one in sets}
    draws = f"\n{min(seeds)}{f' to {max(seeds)}' if len(seeds) > 1 else ''} draw(s) of each set.\n"
    return "\n".join(lines) + "\n" + draws + _differences(means, sets)


def _differences(means: dict[str, list[float]], sets: Sequence[str]) -> str:
    own = means["multilingual"]
    said = []
    for system, others in means.items():
        if system != "multilingual" and len(others) == len(own) == len(sets):
            apart = statistics.mean(own) - statistics.mean(others)
            said.append(f"{abs(apart):.1f} points {'above' if apart >= 0 else 'below'} {TITLES.get(system, system)}")
    return f"\nMultilingual: {', '.join(said)}.\n" if said else ""


def _spread(numbers: Sequence[float]) -> str:
    if not numbers:
        return "-"
    shown = f"{statistics.mean(numbers):.1f}"
    return shown if len(numbers) < 2 else f"{shown} ± {statistics.stdev(numbers):.1f}"


def _sentiment(rows: Sequence[Record]) -> str:
    """A line for each set, and the mean."""
    sets = list(dict.fromkeys(r["set"] for r in rows))
    lines = []
    for shown in (*([one] for one in sets), sets):
        own = [r for r in rows if r["set"] in shown]
        cells = [
            " / ".join(_mean([r[measure] for r in own if r["system"] == system]) for system in systems)
            for measure, systems in MEASURES.items()
        ]
        pairs = sum(r["pairs"] for r in own if r["system"] == "multilingual")
        lines.append(f"| {'mean' if shown is sets else shown[0]} | {' | '.join(cells)} | {pairs:,} |\n")
    return "".join(lines)


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{100 * statistics.mean(known):.1f}" if known else "-"


def _cost(row: Record) -> str:
    cells = (
        f"{row['sentences_per_cpu_second']:.0f}", f"{row['cpu_seconds_to_be_ready']:.1f}",
        f"{row['peak_memory_mb']:.0f}", f"{row['install_mb']:.0f}",
    )  # fmt: skip
    return f"| {TITLES[row['system']]} | {' | '.join(cells)} |\n"
