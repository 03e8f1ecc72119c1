"""The model that ships with the detector: runs over many label sets, averaged, with a probability model, in int8.

    python benchmarks/studies/shipped_model.py --data FOLDER --work FOLDER --out MODEL

Trains the runs of `RUNS` with the settings of shipped_model.yaml into the work folder, one after another; a run that is
there is not trained again, one that was stopped goes on. MODEL then takes the place of
src/fewaspect/inference/shipped; `--probabilities MODEL` only learns the probabilities of an exported model anew.

The weights are the mean of the runs and, with a share of its own, of the pretrained encoder. Probabilities are learned
by `probabilities.py` on label sets that the runs have not seen: the validation sets of the corpus and the validation
aspects of FewAsp. What the card says of them was measured on each set with probabilities that were learned on the
others. A model card is written beside the model.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fewaspect.cli.options import resolve_settings
from fewaspect.core.files import atomic_folder
from fewaspect.core.settings import read_config, to_json
from fewaspect.data.benchmarks import load_benchmark
from fewaspect.data.corpus import LabelSet, load_label_sets
from fewaspect.detector.calibration import NONE_RATE
from fewaspect.detector.metrics import calibration_error, measure
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.training.checkpoint import load_tensors, model_tensors, save_tensors
from fewaspect.training.export import add_lower_head, export
from fewaspect.training.run import build_model
from fewaspect.training.run_folder import RunFolder, RunSettings
from fewaspect.training.sentiment_export import share_lower_layers
from fewaspect.training.trainer import train
from licences import plain_licence
from probabilities import EncodedSet, Task, encode_sets, fit_probability_model, none_rates, probabilities, tasks
from review_sets import extended_corpus

SETTINGS = Path(__file__).with_suffix(".yaml")
REVIEWS = {"aspect_weight": 6.0, "train_share": 0.2}  # three episodes in four of review aspects, Yelp included
RUNS: tuple[dict[str, Any], ...] = (
    {"seed": 0, "episodes": 3500},
    {"seed": 2},
    {"seed": 3, "learning_rate": 4e-5, "shot": "1-8"},
    {"seed": 4, "learning_rate": 4e-5, "shot": "1-8", **REVIEWS},
    {"seed": 5, **REVIEWS},
)  # what they have besides the settings of the file; those with REVIEWS have the sets of review_sets.py too
PRETRAINED_SHARE = 0.2
DETECTOR = {"token_match_weight": 0.0, "head_weight": 0.5, "neighbour_weight": 0.5}  # chosen on the validation sets
TASKS = 60  # of each label set
LOWER_LAYERS = 2  # after which the second classifier, and sentiment, begin
THRESHOLDS = (0.4, 0.45, 0.5)
FEWEST_EMPTIES = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="The folder that holds fewasp/ and corpus/.")
    parser.add_argument("--work", type=Path, help="folder for the runs; WORK/shipped is their mean")
    parser.add_argument("--out", type=Path, help="folder for the exported model")
    parser.add_argument("--probabilities", type=Path, help="an exported model whose probabilities are learned anew")
    arguments = parser.parse_args()
    if arguments.probabilities:
        print(to_json(learned_probabilities(arguments.data, arguments.probabilities)))
        return
    if not (arguments.work and arguments.out):
        parser.error("--work and --out are needed, except with --probabilities")
    extended = extended_corpus(arguments.data, arguments.work / "corpus")
    trained = [
        trained_run(
            arguments.data, arguments.data / "corpus" if own.items().isdisjoint(REVIEWS.items()) else extended,
            arguments.work / f"run-{n}", own,
        )
        for n, own in enumerate(RUNS)
    ]  # fmt: skip
    shipped = arguments.work / "shipped"
    with atomic_folder(shipped, replace=True) as new:
        about = averaged_run(trained, new)
    parity = export(shipped, arguments.out)
    share_lower_layers(arguments.out, LOWER_LAYERS)
    add_lower_head(arguments.out)
    measured = learned_probabilities(arguments.data, arguments.out)
    (arguments.out / "MODEL_CARD.md").write_text(card(about, measured), encoding="utf-8")
    print(to_json({**measured, **parity}))


def learned_probabilities(data: Path, folder: Path) -> dict[str, float]:
    """The probability model of an exported model, learned on tasks of the held-out sets and written into its folder;
    returns what it is worth on each set, learned on the others."""
    model = load_model(folder)
    sets = encode_sets(model, held_out_sets(data))
    drawn = {one.name: list(tasks(model, one, TASKS, seed=7, others=sets)) for one in sets}
    episodes = [(task.features, task.truth) for own in drawn.values() for task in own]
    add_lower_head(folder, replace(fit_probability_model(episodes), none_rates=none_rates(sets)))
    return cross_validated(model, sets, drawn)


def trained_run(data: Path, corpus: Path, folder: Path, own: Mapping[str, Any]) -> RunFolder:
    """Trained to its end; what is there is continued."""
    settings, method = resolve_settings({"corpus": str(corpus), **own}, SETTINGS)
    run = RunFolder(folder)
    if not (run.metadata.is_file() and run.read_metadata().get("finished")):
        train(RunSettings(settings, method), data, folder, resume=folder.is_dir())
    return run


def averaged_run(runs: Sequence[RunFolder], new: Path) -> dict[str, Any]:
    """The mean of the last weights of the runs and of the pretrained ones, in half precision, with the weights of what
    only a detector has; returns what the first run says of itself, with the label sets of all."""
    about = runs[0].read_metadata()
    torch.manual_seed(0)
    start = model_tensors(build_model(runs[0].read_settings(), offline=True)[1])
    last = [load_tensors(run.last)[0] for run in runs]
    share = (1 - PRETRAINED_SHARE) / len(runs)
    mean = {
        name: (PRETRAINED_SHARE * value + sum(share * tensors[name] for tensors in last)).half()
        if value.is_floating_point()
        else last[0][name]
        for name, value in start.items()
    }
    target = RunFolder(new)
    save_tensors(target.best, mean, {name: about[name] for name in ("encoder_digest", "data_digest")})
    about["settings"]["method"] |= DETECTOR
    about["label_sets"] = joined_sets([run.read_metadata()["label_sets"] for run in runs])
    target.write_metadata({**about, "environment": None})
    return about


def joined_sets(runs: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """All label sets by name, each with its mean chance over the runs."""
    sets = {str(one["name"]): dict(one) for own in runs for one in own}
    for name, one in sets.items():
        one["chance"] = sum(other["chance"] for own in runs for other in own if other["name"] == name) / len(runs)
    return [sets[name] for name in sorted(sets)]


def held_out_sets(data: Path) -> list[LabelSet]:
    validation = load_benchmark("fewasp", data).validation
    return [*load_label_sets(data / "corpus", "validation"), LabelSet("fewasp", validation)]


def cross_validated(
    model: InferenceModel, sets: Sequence[EncodedSet], drawn: Mapping[str, Sequence[Task]]
) -> dict[str, float]:
    """Means over label sets, each with probabilities learned on the others."""
    rows = []
    for one in sets:
        others = [(t.features, t.truth) for name, own in drawn.items() if name != one.name for t in own]
        found = fit_probability_model(others)
        answers = [(probabilities(model, found, task), task.truth) for task in drawn[one.name]]
        rows.append({name: np.nanmean([row[name] for row in map(quality, answers)]) for name in quality(answers[0])})
    return {name: float(np.nanmean([row[name] for row in rows])) for name in rows[0]}


def quality(answer: tuple[np.ndarray, np.ndarray]) -> dict[str, float]:
    """Of (Q, N) probabilities and truth; not a number where there is too little to measure."""
    p, truth = answer
    result = {"calibration error": calibration_error(p, truth)}
    for threshold in THRESHOLDS:
        found = measure([], p, p >= threshold, truth, {})
        enough = found["empties"] >= FEWEST_EMPTIES
        result |= {
            "mean average precision": found["mean_average_precision"] or np.nan,
            f"macro-F1 at {threshold}": found["macro_f1"],
            f"empty accuracy at {threshold}": found["empty_accuracy"] if enough else np.nan,
        }
    return result


def card(run: Mapping[str, Any], measured: Mapping[str, float]) -> str:
    """Markdown: data, recipe, results, limits."""
    train, method = (run["settings"][part] for part in ("train", "method"))
    rows = "\n".join(f"| {name} | {100 * value:.1f} |" for name, value in sorted(measured.items()))
    return f"""# The model of AspectDetector

LPN+ on all-MiniLM-L6-v2 as one ONNX model in int8, with its tokenizer and the numbers of LPN+ and of the probability
model in `model.json`. Made by `benchmarks/studies/shipped_model.py`, whose first lines are the commands.
Matrix products are int8 with activation ranges measured on 500 sentences of the shipped sample (SmoothQuant); the
embedding table is int8 with a scale for each row.

all-MiniLM-L6-v2 is Apache-2.0: sentence-transformers/all-MiniLM-L6-v2.

## Data

{len(run["label_sets"])} label sets. Each training episode takes all its classes and sentences from one of them; the
last column is how often, as a mean over the runs. Sets whose licence allows research or non-commercial use only were
left out, and of the rest those of the kinds {train["corpus_without"].replace(",", ", ")}.
"Not stated": the source states no licence.

| label set | domain | licence | texts | labels | episodes |
|---|---|---|---:|---:|---:|
{_table(run["label_sets"])}

Probabilities, and every choice between models, were learned on sets that were never trained on, and on the validation
aspects of FewAsp:

| label set | domain | licence | texts | labels |
|---|---|---|---:|---:|
{_table(run["validation_sets"])}

## Recipe

The mean of {len(RUNS)} runs, which trained all layers above the embeddings, and, with a share of
{100 * PRETRAINED_SHARE:.0f} %, of the pretrained weights:

| episodes | examples of a class | learning rate | seed |
|---:|---|---:|---:|
{_runs(train)}

Episodes of {train["way"]} classes with uneven numbers of examples, and {train["queries"]} sentences to tag for each,
{100 * train["none_rate"]:.0f} % of them with none of the classes; {100 * method["unnamed_rate"]:.0f} % of the names
hidden; sets of review aspects {train["aspect_weight"]:g} times as often, in the last two runs
{REVIEWS["aspect_weight"]:g} times. A sentence's aspects are told from others,
and an aspect's sentences from others (`--query-contrast {method["query_contrast"]:g}`). Token states are centred by
the mean of the examples (`--centred`). The encoder reads lower case only: raw and lower-cased text are the same to it.

The detector adds two terms to the score of LPN+: a linear classifier of whole sentences ({method["head_weight"]:g}) and
what the nearest sentences say ({method["neighbour_weight"]:g}), of the unlabelled texts if there are any and of the
examples.
A second linear classifier, of the mean states of examples and names after layer {LOWER_LAYERS}, is one more feature of
the probabilities.

Probabilities: a logistic regression over {TASKS} tasks of each validation set: 1 to 12 aspects with 1 to 60 examples,
uneven, half of the tasks with unlabelled texts, {100 * NONE_RATE:.0f} % of sentences with none of the aspects, and a
few sentences of other sets. The weights of the regression move with the number of examples.
Where one to five aspects are named, more sentences have none of them; the bias follows what the held-out sets show.

## Results

On tasks of the validation sets, in percent, each set with probabilities learned on the others:

| | |
|---|---:|
{rows}

Against other systems, on other sets: `benchmarks/practical/compare.py`.

## Limits

- English only; other languages are not measured.
- Trained on short texts. On texts of other kinds, measure first: `detector.evaluate(texts, labels)`.
- Irony and hints without a telling word ("glaciers move faster than my inbox loaded") are often missed.
- Probabilities are right on average over many aspects, not for each one; `detector.tune` sets thresholds by aspect.
- It learns what people wrote, with their prejudices.
"""


def _runs(train: Mapping[str, Any]) -> str:
    """A line for each run, of settings that `train`, those of the first, has in common with them."""
    shared = {**train, **read_config(SETTINGS)}
    names = ("episodes", "shot", "learning_rate", "seed")
    return "\n".join(f"| {' | '.join(str({**shared, **own}[name]) for name in names)} |" for own in RUNS)


def _table(sets: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for one in sets:
        cells = [one["name"], one["domain"], plain_licence(one["licence"]), f"{one['texts']:,}", str(one["labels"])]
        cells += [f"{100 * one['chance']:.1f} %"] if "chance" in one else []
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
