"""The page about other languages, from its records alone."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from fewaspect.experiments.results_file import Record

INTRODUCTION = """\
# Other languages

Made by `python benchmarks/practical/languages.py` from [languages.jsonl](languages.jsonl); `--table` writes this page.
The model that ships learned from all languages that there are aspect sets in. No set in one of them is measured with
it below, but with a model of the same recipe that was trained without any set in its language, and whose probabilities
were not learned there. A German and a Chinese set (of news) were among those on which the shape of its states was
chosen; how many tasks of names alone its probabilities are learned on, on the German set and three of the Chinese ones.

Five examples of each aspect unless something else is said, 800 sentences. In each cell: mean average precision, with
the standard deviation over the draws where there are several / macro-F1 at the threshold of 0.4 / calibration error, in
percent. When to take which: [languages](../how-to/languages.md).
"""
LANGUAGE = """
## Examples in the language

Logistic regression takes the vectors of the same encoder as it was published.

"""
NAMES = """
## English names and no examples

The same models, given the English names of the aspects alone, beside the English model.

"""
ACROSS = """
## English examples

Five English examples of each aspect that the English set has too, and as many in the language, on the same sentences.
The English examples are of memd_restaurant and, for hotels, memd_hotel: sets that the models were trained on.

"""
BACK = """
## Examples in another language, English texts

The other way round: English texts, with examples of the set that is named, and with English ones. The texts are
restaurants of SemEval-2014, which no model was trained on, for the German and the Chinese examples; for the Japanese
ones hotels of memd_hotel, which the model was trained on.

"""
ENGLISH = """
## English

The validation sets of the corpus, which neither model was trained on, with the models as they ship. Probabilities of
both were learned on these sets.

"""
OTHERS = """
## Label sets that are no aspects

Emotions of posts and comments, five examples of each. No model here was trained on emotions. German and Spanish were
measured with models that were trained without the language, the others, which no model learned from, with the one that
ships. This is not what the models are for: it shows languages that have no aspect set here.

"""
SENTIMENT = """
## Sentiment

Made by `python benchmarks/studies/multilingual_sentiment.py --measure`. Gold aspects given, one network for each
language, which learned from the English sets and from those in the other languages; temperature and bias of neutral are
of English sets. The layers that find the words of an aspect are those of the model that ships, which were trained with
aspects, never with polarities, of texts in all of these languages. In each cell: the network / logistic regression on
the sentence vector, trained on the same pairs / always positive. Names of the measures as in [sentiment](sentiment.md);
mixed pairs are left out.

| set | right of negative and positive | right where a sentence has both | macro-F1 | calibration error | pairs |
|---|---:|---:|---:|---:|---:|
"""
TIMES = """
## What it costs

One process for each model, one after another on one core: 800 English sentences.

| model | sentences per second of CPU | ready after, seconds of CPU | peak memory, MB | model files, MB |
|---|---:|---:|---:|---:|
"""
TABLES = (
    ("language", LANGUAGE), ("names", NAMES), ("across", ACROSS), ("back", BACK), ("others", OTHERS),
    ("english", ENGLISH),
)  # fmt: skip
WANTED = {  # by table and system: how many points of average precision the multilingual model is to be above it
    "language": {"logistic": 8, "english": 15}, "others": {"logistic": 0}, "english": {"english": -6},
}  # fmt: skip
SHARES = ("mean_average_precision", "macro_f1", "calibration_error")
MEASURES = {  # with the systems that are compared by each
    "accuracy": ("multilingual", "logistic", "majority"), "contrast_accuracy": ("multilingual", "logistic", "majority"),
    "macro_f1": ("multilingual", "logistic", "majority"), "calibration_error": ("multilingual", "logistic"),
}  # fmt: skip
TITLES = {"multilingual": "multilingual", "english": "English model", "logistic": "logistic regression, same vectors"}


def page(results: Sequence[Record]) -> str:
    parts = [INTRODUCTION]
    for table, text in TABLES:
        if rows := [r for r in results if r["table"] == table]:
            parts.append(text + _table(rows) + _verdict(rows, WANTED.get(table, {})))
    if rows := [r for r in results if r["table"] == "sentiment"]:
        parts.append(SENTIMENT + _sentiment(rows))
    if rows := [r for r in results if r["table"] == "times"]:
        parts.append(TIMES + "".join(map(_cost, rows)))
    return "".join(parts)


def _table(rows: Sequence[Record]) -> str:
    """A line for each set, a column for each system, and the mean of all sets."""
    systems = _systems(rows)
    sets = list(dict.fromkeys(r["set"] for r in rows))
    lines = [
        f"| set | {' | '.join(TITLES.get(name, name) for name in systems)} |", f"|---|{'---:|' * len(systems)}"
    ]  # fmt: skip
    for one in sets:
        cells = [
            _cell([[r[share] for r in rows if (r["set"], r["system"]) == (one, name)] for share in SHARES])
            for name in systems
        ]
        lines.append(f"| {one} | {' | '.join(cells)} |")
    means = []
    for name in systems:
        known = [_by_set(rows, name, share) for share in SHARES]
        means.append(_cell([[statistics.mean(own.values())] if len(own) == len(sets) else [] for own in known]))
    lines.append(f"| mean | {' | '.join(means)} |")
    seeds = {len({r["seed"] for r in rows if r["set"] == one}) for one in sets}
    draws = f"\n{min(seeds)}{f' to {max(seeds)}' if len(seeds) > 1 else ''} draw(s) of each set.\n"
    return "\n".join(lines) + "\n" + draws


def _systems(rows: Sequence[Record]) -> list[str]:
    titles = list(TITLES)
    return sorted({r["system"] for r in rows}, key=lambda name: (titles.index(name) if name in TITLES else 1, name))


def _by_set(rows: Sequence[Record], system: str, share: str) -> dict[str, float]:
    """Means over the draws."""
    own = [r for r in rows if r["system"] == system]
    return {one: statistics.mean(r[share] for r in own if r["set"] == one) for one in {r["set"]: None for r in own}}


def _cell(shares: Sequence[Sequence[float]]) -> str:
    """Of average precision with the deviation over draws, of the others the mean."""
    if not shares[0]:
        return "-"
    precision = [100 * value for value in shares[0]]
    spread = f" ± {statistics.stdev(precision):.1f}" if len(precision) > 1 else ""
    return " / ".join([f"{statistics.mean(precision):.1f}{spread}", *map(_mean, shares[1:])])


def _verdict(rows: Sequence[Record], wanted: Mapping[str, float]) -> str:
    """How far the multilingual model is from each other system in average precision, and on which sets it falls short
    of what was wanted as a mean."""
    own, said = _by_set(rows, "multilingual", SHARES[0]), []
    for system in _systems(rows):
        other, title = _by_set(rows, system, SHARES[0]), TITLES.get(system, system)
        if system == "multilingual" or other.keys() != own.keys():
            continue
        apart = {one: 100 * (own[one] - other[one]) for one in own}
        mean = statistics.mean(apart.values())
        line = f"Multilingual beside {title}, average precision: {mean:+.1f} points as a mean"
        if (least := wanted.get(system)) is not None:
            short = [f"{one} ({value:+.1f})" for one, value in apart.items() if value < least]
            line += f"; wanted {least:+g} or more: {'reached' if mean >= least else 'not reached'}" if least else ""
            line += f". {'Short of it' if least else 'Below it'} on {', '.join(short)}" if short else ", on every set"
        f1 = [100 * statistics.mean(_by_set(rows, name, "macro_f1").values()) for name in ("multilingual", system)]
        said.append(f"- {line}. Macro-F1: {f1[0] - f1[1]:+.1f}.\n")
    return "\n" + "".join(said) if said else ""


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
