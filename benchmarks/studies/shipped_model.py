"""The model that ships with the detector: the mean of trained runs, with its probability model, exported in int8.

    fewaspect train --config benchmarks/studies/shipped_model.yaml --data FOLDER --seed 0 --out RUN-0
    fewaspect train --config benchmarks/studies/shipped_model.yaml --data FOLDER --seed 1 --out RUN-1
    python benchmarks/studies/shipped_model.py RUN-0 RUN-1 --data FOLDER --run RUN --out MODEL

MODEL then takes the place of src/fewaspect/inference/shipped; `fewaspect export RUN FP32 --precision fp32` makes the
same in fp32.

Runs that differ in their seed are averaged. Encoder layers are then three quarters the trained and one quarter the
pretrained ones: what training forgot of other domains comes back, which aspects with one example or none gain by.
Probabilities are learned on the validation aspects of FewAsp, which no run has seen: episodes of 1 to 12 aspects with
1 to 10 examples each, uneven, a third of the sentences with none of them, a fifth of the aspects without a name, a
tenth without examples. A model card is written beside them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fewaspect.core.files import atomic_folder
from fewaspect.core.settings import LPNPlusSettings, current_names, to_json
from fewaspect.data.benchmarks import load_benchmark
from fewaspect.data.episodes import Episode, EpisodeSampler
from fewaspect.detector.calibration import FEATURES, NONE_RATE, ProbabilityModel, score_features
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.evaluation.evaluator import encode_episodes
from fewaspect.methods.base import Task
from fewaspect.methods.few_shot_model import build_task
from fewaspect.methods.lpn_plus import LPNPlus, sentences_of, support_set, without_names
from fewaspect.methods.prepared import PreparedSet, episode_tensors
from fewaspect.training.checkpoint import load_tensors, model_tensors, save_tensors
from fewaspect.training.export import export
from fewaspect.training.run import build_model, load_run
from fewaspect.training.run_folder import RunFolder
from fewaspect.training.run_weights import PROBABILITY_MODEL

TRAINED = 0.75  # share of the trained layers
UNNAMED, BARE, ALONE = 0.2, 0.1, 0.1  # shares of aspects without a name, without examples; of episodes with one aspect


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True, help="folder for the averaged run")
    parser.add_argument("--out", type=Path, required=True, help="folder for the exported model")
    parser.add_argument("--episodes", type=int, default=400)
    arguments = parser.parse_args()
    with atomic_folder(arguments.run, replace=True) as new:
        about = milder(arguments.runs, new)
        episodes = list(examined(new, arguments.data, arguments.episodes))
        held_out = episodes[: len(episodes) // 4]
        probability_model = fit_probability_model(episodes[len(held_out) :])
        probability_model.save(new / PROBABILITY_MODEL)
    measured = report([probability_model(rows) for rows, _ in held_out], [truth for _, truth in held_out])
    parity = export(arguments.run, arguments.out)
    (arguments.out / "MODEL_CARD.md").write_text(card(about, arguments.episodes, measured), encoding="utf-8")
    print(to_json({**measured, **parity}))


def milder(runs: Sequence[Path], new: Path) -> list[dict[str, Any]]:
    """A run between the mean of trained ones and the pretrained encoder, in half precision, without token matches.

    Returns what each of them says of itself.
    """
    trained, about = [RunFolder(run) for run in runs], [RunFolder(run).read_metadata() for run in runs]
    for said in about:
        said["settings"]["method"] = current_names(LPNPlusSettings, said["settings"]["method"])
    tensors = [load_tensors(run.best) for run in trained]
    _, pretrained = build_model(trained[0].read_settings())
    start = model_tensors(pretrained)
    half = {}
    for name, value in tensors[0][0].items():
        if value.is_floating_point():
            value = torch.stack([own[name] for own, _ in tensors]).mean(dim=0)
            value = (value + (1 - TRAINED) * (start[name] - value) if name.startswith("model.upper.") else value).half()
        half[name] = value
    save_tensors(RunFolder(new).best, half, tensors[0][1])
    read = {**about[0], "environment": None}
    read["settings"]["method"] |= {"token_match_weight": 0.0}  # ranks no better here, and takes time
    RunFolder(new).metadata.write_text(to_json(read), encoding="utf-8")
    return about


@torch.inference_mode()
def examined(run: Path, data: Path, count: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Features and truth of many episodes of aspects that the run has not seen."""
    _, encoder, model = load_run(run)
    assert isinstance(model.method, LPNPlus)
    sentences = load_benchmark("fewasp", data).validation
    sampler = EpisodeSampler(sentences, way=(2, 12), shot=(1, 10), queries=5, none_rate=NONE_RATE, seed=5)
    drawn = list(sampler.episodes(count))
    (encoded,) = encode_episodes(model, PreparedSet.of(sentences, FrozenStates(encoder)), [drawn])
    rng = np.random.default_rng(5)
    for episode, places in zip(drawn, encoded.positions, strict=True):
        task, truth = uneven(build_task(encoded.represented, episode_tensors(episode, places)), episode, rng)
        scorer = model.method.scorer
        fitted = scorer.fit(support_set(task), model.method.prototypes(task).numpy())
        components = scorer.components(fitted, sentences_of(task.queries))
        yield score_features(components, scorer.combine_scores(components), fitted.shots), truth.numpy()


def fit_probability_model(episodes: Sequence[tuple[np.ndarray, np.ndarray]]) -> ProbabilityModel:
    """From (Q, N, features) and (Q, N) truth of many episodes; every episode counts the same, whatever its size."""
    from sklearn.linear_model import LogisticRegression

    x = np.concatenate([rows.reshape(-1, rows.shape[-1]).astype(float) for rows, _ in episodes])
    y = np.concatenate([truth.ravel() for _, truth in episodes])
    counts = np.concatenate([np.full(truth.size, 1.0 / truth.size) for _, truth in episodes])
    middle, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    fitted = LogisticRegression(max_iter=1000).fit((x - middle) / spread, y, counts * len(y) / counts.sum())
    weights = fitted.coef_[0] / spread
    intercept = float(fitted.intercept_[0] - weights @ middle)
    return ProbabilityModel(intercept, dict(zip(FEATURES, map(float, weights), strict=True)))


def uneven(task: Task, episode: Episode, rng: np.random.Generator) -> tuple[Task, Tensor]:
    """Some aspects lose their name, some all of their examples; some episodes lose all aspects but one."""
    N = task.membership.shape[1]
    kept = torch.tensor([int(rng.integers(N))]) if rng.random() < ALONE else torch.arange(N)
    bare = torch.from_numpy(rng.random(len(kept)) < (1.0 if rng.random() < BARE else BARE))
    hidden = torch.from_numpy(rng.random(len(kept)) < UNNAMED) & ~bare
    membership = task.membership[:, kept].masked_fill(bare, 0.0)
    rows = membership.any(dim=1).nonzero().squeeze(1)
    support, membership, labels = task.support.take(rows), membership[rows], task.labels.take(kept)
    labels = without_names(support, membership, labels, hidden)
    return Task(support, membership, labels, task.queries), torch.from_numpy(episode.query_labels)[:, kept]


def card(runs: list[dict[str, Any]], episodes: int, measured: dict[str, float]) -> str:
    """Markdown: data, recipe, results, limits."""
    train, method = (runs[0]["settings"][part] for part in ("train", "method"))
    seeds = " and ".join(str(run["settings"]["train"]["seed"]) for run in runs)
    hidden, contrast, none = method["unnamed_rate"], method["query_contrast"], 100 * NONE_RATE
    rows = "\n".join(f"| {name} | {100 * value:.1f} |" for name, value in measured.items())
    return f"""# The model of AspectDetector

LPN+ on all-MiniLM-L6-v2 as one ONNX model in int8, with its tokenizer and the numbers of LPN+ and of the probability
model in `model.json`. Made by `benchmarks/studies/shipped_model.py`, whose first lines are the commands.
Matrix products are int8 with activation ranges measured on 500 sentences of the shipped sample (SmoothQuant); the
embedding table is int8 with a scale for each row.

all-MiniLM-L6-v2 is Apache-2.0: sentence-transformers/all-MiniLM-L6-v2.

## Data

FewAsp (single) train and `yelpaspect_train.jsonl`: {len(runs[0]["train_aspects"])} aspects of English reviews of
restaurants, hotels and shops. Probabilities were learned on other aspects, those of the validation split of FewAsp.

## Recipe

{train["episodes"]} episodes of {train["way"]} aspects with {train["shot"]} examples each, uneven, and
{train["queries"]} sentences to tag for each, {100 * train["none_rate"]:.0f} % of them with none of the aspects;
{100 * hidden:.0f} % of the names hidden; learning rate {train["learning_rate"]:g}. A sentence's aspects are
told from others, and an aspect's sentences from others (`--query-contrast {contrast:g}`). The runs of seeds {seeds}
were averaged, and their layers with the pretrained ones, {TRAINED:g} to {1 - TRAINED:g}. The encoder reads
lower case only: raw and lower-cased text are the same to it. Words that an aspect has and no other play no part here.

Probabilities: a logistic regression over three quarters of {episodes} episodes of 2 to 12 unseen aspects with 1 to
10 examples, uneven, and {none:.0f} % of sentences with none of them; then {100 * ALONE:.0f} % of the episodes
kept one aspect only, {100 * BARE:.0f} % lost all examples, in the others {100 * BARE:.0f} % of the aspects did, and
of the aspects with examples {100 * UNNAMED:.0f} % lost their name.

Beside it, by `benchmarks/practical/compare.py` with 1, 5 and 10 examples: one run as in the benchmark (16 aspects, 3
examples each, no sentences of none) has 0.3 to 0.6 points more of mean average precision, macro-F1 equal to 0.3 points,
and 0.7 to 1.2 points less of empty accuracy; without examples 0.3 points less of mean average precision and 2.4 points
more of empty accuracy. More training, or larger steps, ranked better on reviews of the kind that was trained on and
worse on others.

## Results

On the other quarter, in percent, before a detector fits a bias to its own examples:

| | |
|---|---:|
{rows}

Against other systems, on other sets: `benchmarks/practical/compare.py`.

## Limits

- English only; other languages are not measured.
- Trained on reviews. On texts of other kinds, measure first: `detector.evaluate(texts, labels)`.
- Irony and hints without a telling word ("glaciers move faster than my inbox loaded") are often missed.
- Probabilities are right on average over many aspects, not for each one; `detector.tune` sets thresholds by aspect.
- It learns what reviewers wrote, with their prejudices.
"""


def report(probabilities: list[np.ndarray], truth: list[np.ndarray]) -> dict[str, float]:
    p, y = np.concatenate([part.ravel() for part in probabilities]), np.concatenate([part.ravel() for part in truth])
    result = {"share of pairs that hold": float(y.mean())}
    for cut in (0.3, 0.4, 0.45, 0.5):
        decided = p >= cut
        f1 = 2 * (decided & y).sum() / (decided.sum() + y.sum())
        empty = [(a < cut).all(axis=1)[~b.any(axis=1)] for a, b in zip(probabilities, truth, strict=True)]
        result |= {f"micro-F1 at {cut}": float(f1), f"empty accuracy at {cut}": float(np.concatenate(empty).mean())}
    return result


if __name__ == "__main__":
    main()
