"""Cells on episodes drawn as the authors' code draws them, beside the same rows on `disjoint` ones, and what it draws.

    python benchmarks/studies/protocols.py --data FOLDER

counts over 600 test episodes how often a query is also a shot, and writes docs/results/authors.md from these counts,
from docs/results/authors.jsonl (`fewaspect benchmark benchmarks/studies/authors.yaml`, collected by `fewaspect tables`)
and from the cells of seed 0 in docs/results/grid-cpu.jsonl.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from fewaspect.data.benchmarks import load_benchmark
from fewaspect.data.episodes import PROTOCOLS, EpisodeSampler
from fewaspect.experiments.published import benchmark_title, published_value
from fewaspect.experiments.results_file import read_results, write_results

RESULTS = Path(__file__).parents[2] / "docs" / "results"
DRAWS = RESULTS / "episode-draws.jsonl"
KEY = ("benchmark", "way", "shot", "protocol")
BENCHMARKS = ("fewasp-single", "fewasp-multi", "fewasp")
SETTINGS = tuple(product((5, 10), (5, 10)))
EPISODES, SEED, QUERIES = 600, 1, 5
NONE = "\u2013"
HEAD = """\
# Episodes as the authors draw them

Made by `python benchmarks/studies/protocols.py --data FOLDER` from [authors.jsonl](authors.jsonl), the cells of seed 0
in [grid-cpu.jsonl](grid-cpu.jsonl) and [episode-draws.jsonl](episode-draws.jsonl). What the two samplers do stands in
[fidelity](../explanation/fidelity.md#the-episodes). Encoder all-MiniLM-L6-v2, 600 test episodes of seed 1, training
seed 0; the rows of both samplers are trained alike, but on different machines. In percent, with 95 % intervals over
episodes; that of a difference treats the two sets of episodes as independent.

| row | test set | setting | published | F1, disjoint | F1, authors | difference of F1 | AUC, disjoint | AUC, authors |
|---|---|---|---:|---:|---:|---:|---:|---:|"""
DRAWN = """\
What the samplers draw, in percent: episodes with a query that is also a shot; queries that are; episodes with a query
twice; queries with two or more of the episode's aspects.

| test set | setting | sampler | episodes with a known query | known queries | with a repeat | several aspects |
|---|---|---|---:|---:|---:|---:|"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--table", action="store_true", help="Only write the page from the results there are.")
    arguments = parser.parse_args()
    if not arguments.table:
        if arguments.data is None:
            parser.error("--data FOLDER is needed, except with --table")
        write_results(DRAWS, draws(arguments.data), KEY)
    page = RESULTS / "authors.md"
    page.write_text("\n".join([HEAD, *cells(), "", DRAWN, *drawn(), ""]), encoding="utf-8")
    print(f"wrote {page}")


def draws(data: Path) -> Iterator[dict[str, Any]]:
    """In percent of the episodes: with a query that is also a shot, with a query twice; of the queries: such ones."""
    for benchmark in BENCHMARKS:
        sentences = load_benchmark(benchmark, data).test
        for (way, shot), protocol in product(SETTINGS, PROTOCOLS):
            sampler = EpisodeSampler(sentences, way=way, shot=shot, queries=QUERIES, seed=SEED, protocol=protocol)
            leaking = leaked = repeating = several = 0
            for episode in sampler.episodes(EPISODES):
                shots = set(sentences.text_ids[episode.support].tolist())
                asked = sentences.text_ids[episode.queries].tolist()
                known = sum(text in shots for text in asked)
                leaked += known
                leaking += known > 0
                repeating += len(set(asked)) < len(asked)
                several += int((episode.query_labels.sum(axis=1) > 1).sum())
            queries = EPISODES * way * QUERIES
            yield {
                "benchmark": benchmark, "way": way, "shot": shot, "protocol": protocol, "episodes": EPISODES,
                "seed": SEED, "episodes_with_known_query": 100 * leaking / EPISODES,
                "known_queries": 100 * leaked / queries, "episodes_with_repeated_query": 100 * repeating / EPISODES,
                "queries_with_several": 100 * several / queries,
            }  # fmt: skip


def cells() -> Iterator[str]:
    path = RESULTS / "authors.jsonl"
    disjoint = {_key(cell): cell for cell in read_results(RESULTS / "grid-cpu.jsonl") if cell["seed"] == 0}
    found = read_results(path) if path.exists() else []
    for cell in sorted(found, key=lambda c: (c["row"], BENCHMARKS.index(c["benchmark"]), c["way"], c["shot"])):
        other = disjoint.get(_key(cell))
        setting = f"{cell['way']}-way {cell['shot']}-shot"
        known = published_value(cell["benchmark"], cell["row"], cell["way"], cell["shot"], "f1")
        shown = NONE if known is None else f"{known:.2f}"
        f1 = [_shown(other, "f1"), _shown(cell, "f1"), _difference(cell, other)]
        values = [setting, shown, *f1, _shown(other, "auc"), _shown(cell, "auc")]
        yield "| " + " | ".join([cell["title"], benchmark_title(cell["benchmark"]), *values]) + " |"


def drawn() -> Iterator[str]:
    names = ("episodes_with_known_query", "known_queries", "episodes_with_repeated_query", "queries_with_several")
    places = {name: place for place, name in enumerate((*BENCHMARKS, *PROTOCOLS))}
    for record in sorted(
        read_results(DRAWS), key=lambda r: (places[r["benchmark"]], r["way"], r["shot"], places[r["protocol"]])
    ):
        values = " | ".join(f"{record[name]:.2f}" for name in names)
        setting = f"{record['way']}-way {record['shot']}-shot"
        yield f"| {benchmark_title(record['benchmark'])} | {setting} | {record['protocol']} | {values} |"


def _key(cell: dict[str, Any]) -> Sequence[Any]:
    return tuple(cell[name] for name in ("row", "benchmark", "split", "way", "shot"))


def _half(cell: dict[str, Any], metric: str) -> float:
    low, high = cell[f"{metric}_interval"]
    return float(high - low) / 2


def _shown(cell: dict[str, Any] | None, metric: str) -> str:
    return NONE if cell is None else f"{cell[metric]:.2f} ± {_half(cell, metric):.2f}"


def _difference(cell: dict[str, Any], other: dict[str, Any] | None) -> str:
    if other is None:
        return NONE
    return f"{cell['f1'] - other['f1']:+.2f} ± {math.hypot(_half(cell, 'f1'), _half(other, 'f1')):.2f}"


if __name__ == "__main__":
    main()
