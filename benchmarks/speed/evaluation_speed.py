"""Time of a 600-episode evaluation in 10-way 10-shot: each sentence encoded once, or each episode encoded anew.

    python benchmarks/speed/evaluation_speed.py --data FOLDER [--anew 20] [--json OUT]

Both sides start from text: our time includes tokenising and the frozen layers, with an empty cache. The other side is
measured on `--anew` of the same episodes, alternating with ours, and scaled to 600. Both must give the same scores.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from fewaspect.core.settings import LPNSettings, TrainSettings
from fewaspect.data.benchmarks import load_benchmark
from fewaspect.data.episodes import EpisodeSampler
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.evaluation.evaluator import evaluate_episodes
from fewaspect.experiments.results_file import publish
from fewaspect.methods.prepared import PreparedSet
from fewaspect.training.run import build_model
from fewaspect.training.run_folder import RunSettings
from plain_model import PlainModel

EPISODES = 600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--benchmark", default="fewasp-single")
    parser.add_argument("--anew", type=int, default=20)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()

    sentences = load_benchmark(arguments.benchmark, arguments.data).test
    episodes = list(EpisodeSampler(sentences, way=10, shot=10, seed=1).episodes(EPISODES))
    encoder, ours = build_model(RunSettings(TrainSettings(), LPNSettings()))
    plain = PlainModel(ours.method, encoder.freeze_layers).eval()
    once, anew, differences = [], [], []
    for half in (episodes[: arguments.anew // 2], episodes[-(arguments.anew - arguments.anew // 2) :]):
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            evaluated = evaluate_episodes(
                ours, PreparedSet.of(sentences, FrozenStates(encoder, Path(folder))), episodes
            )
            measured = evaluated.metrics()
            once.append(time.perf_counter() - started)
        where = {id(episode): i for i, episode in enumerate(episodes)}
        for episode in half:
            started = time.perf_counter()
            logits = plain.logits(sentences, episode)
            anew.append(time.perf_counter() - started)
            scores = torch.softmax(logits, dim=-1).numpy()
            differences.append(float(np.abs(scores - evaluated.scores[where[id(episode)]]).max()))
    if max(differences) > 1e-4:
        raise SystemExit(f"the two procedures differ: scores {max(differences):.2e} apart")
    result = {
        "episodes": EPISODES,
        "setting": f"{arguments.benchmark}, 10-way 10-shot",
        "largest_score_difference": max(differences),
        "seconds_encoding_once": float(np.mean(once)),
        "measured_once": once,
        "of_which_episodes": evaluated.episode_seconds,
        "seconds_encoding_anew": EPISODES * float(np.mean(anew)),
        "measured_anew": len(anew),
        "ratio": EPISODES * float(np.mean(anew) / np.mean(once)),
        "auc_of_the_untrained_method": 100 * float(measured["auc"].mean()),
    }
    publish(result, arguments.json)


if __name__ == "__main__":
    main()
