"""AUC and macro-F1 computed over two episodes at once, as some later papers do in 5-way 5-shot, beside one at a time.

    python benchmarks/studies/pooled_episodes.py RUN [RUN ...] --data FOLDER [--benchmark fewasp-multi] [--episodes 600]

The same answers are measured twice: in each episode, and in each pair of episodes as if it were one episode of twice as
many queries, whose n-th class is the n-th of both. The difference is paired; its interval is over the pairs. Results
are added to docs/results/pooled-episodes.jsonl, from which docs/results/pooled-episodes.md is made.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from fewaspect.core.multilabel_metrics import auc, macro_f1, over_episodes, pooled
from fewaspect.core.settings import EvaluateSettings
from fewaspect.evaluation.intervals import mean_interval
from fewaspect.experiments.published import benchmark_title
from fewaspect.experiments.results_file import merge_results, read_results
from fewaspect.methods import method_entry
from fewaspect.training.environment import describe_environment
from fewaspect.training.evaluate_run import prepare_evaluation, score_settings

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "pooled-episodes.jsonl"
KEY = ("row", "benchmark", "protocol", "way", "shot")
POOLED = 2
PROTOCOLS = ("disjoint", "authors")
NAMES = {"auc": "AUC", "f1": "macro-F1"}
HEAD = """\
# Two episodes in one macro-F1

Made by `python benchmarks/studies/pooled_episodes.py RUN [RUN ...] --data FOLDER` from
[pooled-episodes.jsonl](pooled-episodes.jsonl); the habit is described in
[fidelity](../explanation/fidelity.md#the-metrics). {setting}, encoder {encoder};
in percent, with 95 % intervals over episodes, or over pairs of them. A difference is that of a pair from the mean of
its two episodes.

| method | test set | sampler | metric | in each episode | over two at once | difference |
|---|---|---|---|---:|---:|---:|"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=Path, help="Training runs.")
    parser.add_argument("--table", action="store_true", help="Only write the page from the results there are.")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--benchmark", default="fewasp-multi")
    parser.add_argument("--way", default="5")
    parser.add_argument("--shot", default="5")
    parser.add_argument("--episodes", type=int, default=600)
    arguments = parser.parse_args()
    if bool(arguments.runs) == arguments.table:
        parser.error("expected training runs, or --table")
    for run in arguments.runs:
        chosen = [
            EvaluateSettings(
                arguments.benchmark, way=arguments.way, shot=arguments.shot, episodes=arguments.episodes,
                protocol=protocol,
            )
            for protocol in PROTOCOLS
        ]  # fmt: skip
        merge_results(RESULTS, measure(run, chosen, arguments.data), KEY)
    page = RESULTS.with_suffix(".md")
    page.write_text(table(read_results(RESULTS)), encoding="utf-8")
    print(f"wrote {page}")


def measure(run: Path, settings: Sequence[EvaluateSettings], data: Path | None) -> list[dict[str, Any]]:
    console = Console(stderr=True)
    evaluation = prepare_evaluation(run, settings, data, console=console)
    train = evaluation.run.train
    title = method_entry(train.method).title + ("" if train.learning_rate else ", untrained")
    return [
        {
            "row": title, "run": evaluation.run.as_dict(), "train": evaluation.metadata["train_source"],
            "encoder": train.encoder, **asdict(chosen),
            **compare(answers.scores, answers.truth, answers.predicted),
            "decision": decision, "environment": describe_environment(),
        }
        for chosen, (answers, decision) in zip(settings, score_settings(evaluation, settings, console), strict=True)
    ]  # fmt: skip


def compare(
    scores: Sequence[np.ndarray], truth: Sequence[np.ndarray], predicted: Sequence[np.ndarray]
) -> dict[str, dict[str, Any]]:
    """Each metric over single episodes, over pairs, and the pairs' minus the mean of their two episodes, in percent."""
    columns = {"auc": (auc, (scores, truth)), "f1": (macro_f1, (truth, predicted))}
    result = {}
    for name, (metric, arrays) in columns.items():
        single = over_episodes(metric, *arrays)
        pairs = over_episodes(metric, *(pooled(array, POOLED) for array in arrays))
        means = single[: POOLED * len(pairs)].reshape(-1, POOLED).mean(axis=1)
        values = {"single": single, "pooled": pairs, "difference": pairs - means}
        result[name] = {kind: mean_interval(value).to_percent().as_dict() for kind, value in values.items()}
    return result


def table(results: Sequence[dict[str, Any]]) -> str:
    first = results[0]
    setting = f"{first['way']}-way {first['shot']}-shot, {first['episodes']} test episodes of seed {first['seed']}"
    lines = [HEAD.format(setting=setting, encoder=first["encoder"])]
    for result in sorted(results, key=lambda r: (r["row"], r["benchmark"], PROTOCOLS.index(r["protocol"]))):
        for name, label in NAMES.items():
            single, pairs, difference = (result[name][kind] for kind in ("single", "pooled", "difference"))
            lines.append(
                f"| {result['row']} | {benchmark_title(result['benchmark'])} | {result['protocol']} | {label} "
                f"| {_shown(single)} | {_shown(pairs)} | {difference['mean']:+.2f} ± {difference['half_width']:.2f} |"
            )
    return "\n".join([*lines, ""])


def _shown(interval: dict[str, Any]) -> str:
    return f"{interval['mean']:.2f} ± {interval['half_width']:.2f}"


if __name__ == "__main__":
    main()
