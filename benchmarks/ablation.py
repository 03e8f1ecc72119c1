"""What each part of LPN+ is worth: a trained run evaluated on validation aspects with one part taken away at a time.

    python benchmarks/ablation.py RUN --data FOLDER [--benchmark fewasp-multi] [--episodes 200] [--json FILE]

Nothing is trained again: the encoder stays as the whole method trained it, so a part's worth here is what the decision
loses without it, not what training without it would have found.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fewaspect.data.benchmarks import load_benchmark
from fewaspect.data.episodes import EpisodeSampler
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.environment import describe_environment
from fewaspect.evaluation.evaluator import encode_episodes, score_episodes
from fewaspect.evaluation.metrics import summarise
from fewaspect.methods.lpn_plus import LPNPlus
from fewaspect.methods.prepared import PreparedSet
from fewaspect.training.run import load_run

SETTINGS = ((5, 1), (5, 5), (10, 5))
SHOWN = ("auc", "f1", "oracle_count_f1", "count_accuracy", "always_one_accuracy")
NEVER = -30.0  # as a logit or a logarithm


def fill(**values: float) -> Callable[[LPNPlus], None]:
    def change(method: LPNPlus) -> None:
        for name, value in values.items():
            getattr(method, name).data.fill_(value)

    return change


def even_label_share(method: LPNPlus) -> None:
    """The share of the label text at five shots, whatever the number of shots."""
    method.label_logit.data += method.label_slope.data * np.log(5.0)
    method.label_slope.data.zero_()


def without_ridge(method: LPNPlus) -> None:
    method.settings = dataclasses.replace(method.settings, ridge_weight=0.0)


def both(first: Callable[[LPNPlus], None], second: Callable[[LPNPlus], None]) -> Callable[[LPNPlus], None]:
    return lambda method: (first(method), second(method))[0]


def always_one(method: LPNPlus) -> None:
    method.count.base.data[0], method.count.base.data[1:] = 1e3, -1e3


PARTS: dict[str, Callable[[LPNPlus], None]] = {
    "LPN+": fill(),
    "without the aspect's own view": both(fill(seen_logit=NEVER), without_ridge),
    "without the ridge regression": without_ridge,
    "aspects attend to all words alike": fill(log_attention=NEVER),
    "without the label text in the prototypes": fill(label_logit=NEVER),
    "label text's share not by shots": even_label_share,
    "always one aspect": always_one,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--benchmark", default="fewasp-multi")
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    result = measure(arguments.run, arguments.data, arguments.benchmark, arguments.episodes)
    print(table(result))
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def measure(run: Path, data: Path, benchmark: str, episodes: int) -> dict[str, Any]:
    settings, encoder, model = load_run(run)
    sentences = load_benchmark(benchmark, data).validation
    prepared = PreparedSet.of(sentences, FrozenStates(encoder))
    groups = [list(EpisodeSampler(sentences, way=N, shot=K, seed=1).episodes(episodes)) for N, K in SETTINGS]
    encoded = encode_episodes(model, prepared, groups)
    method_settings = model.method.settings
    trained = {name: value.clone() for name, value in model.method.state_dict().items()}
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for name, take_away in PARTS.items():
        model.method.settings = method_settings
        model.method.load_state_dict(trained)
        with torch.no_grad():
            take_away(model.method)  # type: ignore[arg-type]
        rows[name] = {}
        for (N, K), group in zip(SETTINGS, encoded, strict=True):
            measured = score_episodes(model, group).measured()
            rows[name][f"{N}-way {K}-shot"] = {m: summarise(measured[m]).to_percent().mean for m in SHOWN}
    return {
        "benchmark": benchmark, "split": "validation", "episodes": episodes, "rows": rows,
        "settings": settings.as_dict(), "environment": describe_environment(),
    }  # fmt: skip


def table(result: dict[str, Any]) -> str:
    names = [f"{N}-way {K}-shot" for N, K in SETTINGS]
    lines = [f"| AUC / F1 / F1 with oracle count | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for row, cells in result["rows"].items():
        shown = (f"{cells[n]['auc']:.2f} / {cells[n]['f1']:.2f} / {cells[n]['oracle_count_f1']:.2f}" for n in names)
        lines.append(f"| {row} | {' | '.join(shown)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
