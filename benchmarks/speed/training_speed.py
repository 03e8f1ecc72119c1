"""Episodes per second of training, ours and the plain procedure alternating on the same episodes of FewAsp (single).

    python benchmarks/speed/training_speed.py --data FOLDER [--way 5] [--shot 5] [--joined 0.3] [--json OUT]

The sentences are those of the recommended recipe, joined ones included, unless --joined says otherwise; the first three
episodes warm up. Both must give equal losses; the plain one has torch's plain AdamW. Ours finds the frozen states in
the cache, as in every run but the first; the time to fill it is shown apart.
"""

from __future__ import annotations

import argparse
import copy
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fewaspect.core.settings import LPNSettings, TrainSettings
from fewaspect.data.benchmarks import load_benchmark
from fewaspect.data.episodes import EpisodeSampler
from fewaspect.data.labelled import with_joined_sentences
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.encoders.transformer import TokenEncoder
from fewaspect.experiments.results_file import publish
from fewaspect.methods.prepared import PreparedSet
from fewaspect.training.run import build_model
from fewaspect.training.run_folder import RunSettings
from plain_model import PlainModel


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--episodes", type=int, default=43)
    parser.add_argument("--way", type=int, default=5)
    parser.add_argument("--shot", type=int, default=5)
    parser.add_argument("--joined", type=float, default=TrainSettings.joined, help="as in `fewaspect train`")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()

    sentences = load_benchmark("fewasp-single", arguments.data).require_train()
    sentences = with_joined_sentences(sentences, arguments.joined, seed=0)
    encoder, ours = build_model(RunSettings(TrainSettings(), LPNSettings()))
    plain = PlainModel(copy.deepcopy(ours.method), encoder.freeze_layers)
    sampler = EpisodeSampler(sentences, way=arguments.way, shot=arguments.shot)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        prepared = PreparedSet.of(sentences, FrozenStates(encoder, Path(folder)))
        fill_seconds = time.perf_counter() - started

        def our_loss(index: int) -> torch.Tensor:
            return torch.stack(list(ours(*prepared.load(sampler.episode(index)))[1].values())).sum()

        def plain_loss(index: int) -> torch.Tensor:
            return plain.loss(sentences, sampler.episode(index))

        with torch.no_grad():
            difference = max(abs(float(our_loss(i)) - float(plain_loss(i))) for i in range(5))
        if difference > 1e-4:
            raise SystemExit(f"the two procedures differ: losses {difference:.2e} apart")
        our_step, plain_step = stepper(ours, our_loss, fused=True), stepper(plain, plain_loss, fused=None)
        times = np.array([(timed(our_step, i), timed(plain_step, i)) for i in range(arguments.episodes)])[3:]

    ratios = times[:, 1] / times[:, 0]
    result = {
        "episodes": len(times),
        "way": arguments.way,
        "shot": arguments.shot,
        "joined": arguments.joined,
        "largest_loss_difference": difference,
        "ours_median_seconds": float(np.median(times[:, 0])),
        "plain_median_seconds": float(np.median(times[:, 1])),
        "episodes_per_second": {"ours": float(1 / times[:, 0].mean()), "plain": float(1 / times[:, 1].mean())},
        "ratio": float(times[:, 1].mean() / times[:, 0].mean()),
        "ratio_of_medians": float(np.median(times[:, 1]) / np.median(times[:, 0])),
        "quartiles_of_the_ratios": np.quantile(ratios, [0.25, 0.5, 0.75]).tolist(),
        "arithmetic": arithmetic(prepared, sampler, encoder, arguments.episodes),
        "seconds_to_fill_the_cache_once": fill_seconds,
    }
    publish(result, arguments.json)


def arithmetic(prepared: PreparedSet, sampler: EpisodeSampler, encoder: TokenEncoder, episodes: int) -> dict[str, Any]:
    """Tokens that go through the layers, and how many times fewer products ours takes for all that equal losses need.

    Counted in passes of a token through a layer, forward or back to its input or to its weights; the lowest trained
    layer needs no gradient of what goes into its queries, keys and values, a quarter of its products.
    """
    frozen, trained = encoder.freeze_layers, len(encoder.upper.layers)
    tokens = np.zeros(2)
    for index in range(3, episodes):
        lengths = prepared.frozen.lengths(np.concatenate(prepared.handles_of(sampler.episode(index))))
        tokens += (len(prepared.load(sampler.episode(index))[0].values), len(lengths) * lengths.max())
    ours = 3 * trained - 0.25
    return {
        "tokens_per_episode": {"ours": tokens[0] / (episodes - 3), "plain": tokens[1] / (episodes - 3)},
        "ratio": float((frozen + ours) * tokens[1] / (ours * tokens[0])),
    }


def stepper(model: torch.nn.Module, loss: Callable[[int], torch.Tensor], fused: bool | None) -> Callable[[int], None]:
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=1e-5, fused=fused)

    def step(index: int) -> None:
        loss(index).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        optimiser.zero_grad()

    return step


def timed(step: Callable[[int], None], index: int) -> float:
    started = time.perf_counter()
    step(index)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
