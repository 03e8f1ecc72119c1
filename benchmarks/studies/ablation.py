"""What each part of LPN+ is worth: a trained run on validation aspects with one part taken away at a time.

    python benchmarks/studies/ablation.py RUN --data FOLDER [--benchmark fewasp-multi] [--episodes 200] [--json FILE]

The encoder stays as the whole method trained it, so a part's worth here is what the scores lose without it, not what
training without it would have found. The count is fitted anew each time, to other episodes than those measured.
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
from fewaspect.evaluation.evaluator import encode_episodes, score_episodes
from fewaspect.evaluation.intervals import mean_interval
from fewaspect.methods.lpn_plus import LPNPlus
from fewaspect.methods.prepared import PreparedSet
from fewaspect.training.environment import describe_environment
from fewaspect.training.run import load_run

SETTINGS = ((5, 1), (5, 5), (10, 5))
SHOWN = ("auc", "f1", "oracle_count_f1", "count_accuracy", "always_one_accuracy")
ALWAYS_ONE = "always one aspect"
TUNING_EPISODES = 100
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


def setting(**values: float) -> Callable[[LPNPlus], None]:
    def change(method: LPNPlus) -> None:
        method.settings = dataclasses.replace(method.settings, **values)  # type: ignore[arg-type]

    return change


def without_own_view(method: LPNPlus) -> None:
    fill(attended_logit=NEVER)(method)
    setting(ridge_weight=0.0)(method)


PARTS: dict[str, Callable[[LPNPlus], None]] = {
    "LPN+": fill(),
    "one attention step": setting(attention_steps=1),
    "without the ridge regression": setting(ridge_weight=0.0),
    "without the token match": setting(token_match_weight=0.0),
    "without the aspect's own view": without_own_view,
    "aspects attend to all words alike": fill(log_attention=NEVER),
    "without the label text in the prototypes": fill(label_logit=NEVER),
    "label text's share not by shots": even_label_share,
    ALWAYS_ONE: fill(),
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
    samplers = [EpisodeSampler(sentences, way=N, shot=K, seed=1) for N, K in SETTINGS]
    groups = [list(sampler.episodes(episodes + TUNING_EPISODES)) for sampler in samplers]
    tuning = encode_episodes(model, prepared, [group[episodes:] for group in groups])
    encoded = encode_episodes(model, prepared, [group[:episodes] for group in groups])
    method_settings = model.method.settings
    trained = {name: value.clone() for name, value in model.method.state_dict().items()}
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for name, take_away in PARTS.items():
        rows[name] = {}
        for (N, K), other, group in zip(SETTINGS, tuning, encoded, strict=True):
            model.method.settings = method_settings
            model.method.load_state_dict(trained)  # no setting is decided as another one was tuned
            with torch.no_grad():
                take_away(model.method)  # type: ignore[arg-type]
            score_episodes(model, other, tune=True)
            evaluated = score_episodes(model, group)
            if name == ALWAYS_ONE:
                evaluated = dataclasses.replace(evaluated, predicted=[best_only(scores) for scores in evaluated.scores])
            measured = evaluated.metrics()
            rows[name][f"{N}-way {K}-shot"] = {m: mean_interval(measured[m]).to_percent().mean for m in SHOWN}
    return {
        "benchmark": benchmark, "split": "validation", "episodes": episodes, "rows": rows,
        "settings": settings.as_dict(), "environment": describe_environment(),
    }  # fmt: skip


def best_only(scores: np.ndarray) -> np.ndarray:
    best: np.ndarray = scores.argmax(axis=1)[:, None] == np.arange(scores.shape[1])
    return best


def table(result: dict[str, Any]) -> str:
    names = [f"{N}-way {K}-shot" for N, K in SETTINGS]
    lines = [f"| AUC / F1 / F1 of a known count | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for row, cells in result["rows"].items():
        shown = (f"{cells[n]['auc']:.2f} / {cells[n]['f1']:.2f} / {cells[n]['oracle_count_f1']:.2f}" for n in names)
        lines.append(f"| {row} | {' | '.join(shown)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
