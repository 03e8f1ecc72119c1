"""The branch that tells the polarity of each aspect, trained above what the shipped encoder gives, in int8.

    python benchmarks/studies/sentiment_model.py --data FOLDER --teacher FOLDER --work FOLDER --out MODEL

The teacher, all-mpnet-base-v2 in the folder that is named, is trained on sentences with polarities; it labels review
sentences that have aspects alone; the branch learns from both. It begins as layers of all-MiniLM-L6-v2, above the
states of the exported encoder as it serves. What is trained stays in the work folder and is not trained again.
Temperature and the bias of neutral are fitted on the sets that were held out. MODEL, the shipped one with the branch
beside it, takes the place of src/fewaspect/inference/shipped.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fewaspect.core.files import atomic_write, load_arrays, save_arrays
from fewaspect.core.polarity_metrics import measure_polarity
from fewaspect.core.settings import to_json
from fewaspect.data.polarity import MIXED, POLARITIES, PolarSentence, read_polarities
from fewaspect.encoders.onnx_weights import read_architecture
from fewaspect.encoders.sources import resolve_encoder
from fewaspect.inference.encoder import SHIPPED, load_encoder, read_metadata
from fewaspect.inference.sentiment_branch import SentimentBranch, calibrated_probabilities, softmax
from fewaspect.modules.polarity_branch import PolarityBranch
from fewaspect.training.sentiment_export import add_sentiment, build_branch, share_lower_layers
from polarity.branch_training import BranchPlan, LowerLayers, exported_logits, some_pairs, train_branch
from polarity.card import card_section
from polarity.examples import Example, label_text
from polarity.teacher import Teacher, TeacherPlan, teach, train_teacher

RESEARCH_ONLY = ("customer_reviews_hu_liu", "drug_reviews_druglib", "semeval15_hotels")  # by their licences
ONE_SIDED = ("us_airline_tweets",)  # negative only
HELD_OUT = ("flight_absa", "student_feedback_kushan", "drug_review_psytar", "api_review_aspects")
UNLABELLED = (
    "opinosis_cars", "opinosis_electronics", "oposum_bags_and_cases", "oposum_bluetooth", "oposum_keyboards",
    "oposum_tv", "space_hotel_summaries",
)  # fmt: skip
TEACHER, BRANCH = TeacherPlan(), BranchPlan()
SHARED_LAYERS = 2  # of the encoder, below the branch
MIXED_LEAST = 0.3  # of negative and of positive; not fitted: few sets have mixed answers
RANGE_SENTENCES = 800  # on which activation ranges are measured
TRUTH = {name: n for n, name in enumerate((*POLARITIES, MIXED))}
CARD = "MODEL_CARD.md"
Sets = dict[str, list[PolarSentence]]
Examples = dict[str, list[Example]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="The folder that holds polarity/ and corpus/.")
    parser.add_argument("--teacher", type=Path, required=True, help="the folder of all-mpnet-base-v2")
    parser.add_argument("--model", type=Path, default=SHIPPED, help="the exported model, by default the shipped one")
    parser.add_argument("--work", type=Path, required=True, help="folder for what is trained")
    parser.add_argument("--out", type=Path, required=True, help="folder for the exported model")
    arguments = parser.parse_args()
    started = time.perf_counter()
    torch.set_num_threads(1)
    arguments.work.mkdir(parents=True, exist_ok=True)
    sets, held_out = read_sets(arguments.data / "polarity")
    training = {name: [Example.of(row) for row in rows] for name, rows in sets.items()}
    teacher = trained_teacher(arguments.teacher, training, arguments.work / "teacher.safetensors")
    training |= taught_sets(teacher, arguments.data, arguments.work / "taught.json")
    made = arguments.work / "model"
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(arguments.model, made)
    share_lower_layers(made, SHARED_LAYERS)
    lower = LowerLayers(load_encoder(made, read_metadata(made)))
    branch = trained_branch(BRANCH, lower, training, arguments.work / "branch.safetensors")
    architecture = read_architecture(resolve_encoder("minilm"))._replace(layers=len(branch.layers))
    arrays = {name: value.numpy() for name, value in branch.state_dict().items()}
    pairs = some_pairs(lower, training, RANGE_SENTENCES)
    graph, parity = build_branch(arrays, architecture, BRANCH.answer_layers, pairs)
    about = calibrated(lower, SentimentBranch(graph), held_out)
    chosen = {name: about[name] for name in ("temperature", "neutral_bias", "mixed_least")}
    plan = {"teacher": asdict(TEACHER), "branch": asdict(BRANCH)}
    add_sentiment(made, graph, {**chosen, "parity": parity, "plan": plan})
    manifest = json.loads((arguments.data / "polarity" / "MANIFEST.json").read_text(encoding="utf-8"))
    write_section(made / CARD, card_section(manifest, training, held_out, about))
    shutil.copytree(made, arguments.out)
    print(to_json({**about, "parity": parity, "minutes": round((time.perf_counter() - started) / 60, 1)}))


def read_sets(folder: Path) -> tuple[Sets, Sets]:
    """The training sets and those held out, by name."""
    paths = [
        path for path in sorted((folder / "train").glob("*.jsonl")) if path.stem not in (*RESEARCH_ONLY, *ONE_SIDED)
    ]
    sets = {path.stem: [row for row in read_polarities(path) if row.polarities] for path in paths}
    return {name: own for name, own in sets.items() if name not in HELD_OUT}, {name: sets[name] for name in HELD_OUT}


def trained_teacher(folder: Path, sets: Examples, path: Path) -> Teacher:
    """Trained by the plan, or as the file holds it."""
    if not path.is_file():
        save_arrays(path, train_teacher(folder, sets, TEACHER).trained_arrays(), {})
    return Teacher.of(folder, TEACHER.frozen, load_arrays(path)[0])


def taught_sets(teacher: Teacher, data: Path, path: Path) -> Examples:
    """Review sentences with aspects, of the corpus and of Yelp, with the polarities that the teacher tells."""
    if not path.is_file():
        files = [*(data / "corpus" / "train" / f"{name}.jsonl" for name in UNLABELLED), data / "yelpaspect_train.jsonl"]
        found = {file.stem: teach(teacher, unlabelled(file)) for file in files}
        rows = {name: [(own.text, {n: p.tolist() for n, p in own.targets.items()}) for own in examples]
                for name, examples in found.items()}  # fmt: skip
        with atomic_write(path) as file:
            file.write(json.dumps(rows))
    read = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: [Example(text, {n: np.array(p) for n, p in own.items()}) for text, own in rows]
        for name, rows in read.items()
    }


def unlabelled(file: Path) -> list[Example]:
    """Sentences that have aspects; their polarities are not known."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        Example(row["text"], dict.fromkeys(map(label_text, row["labels"]), np.zeros(3)))
        for row in rows
        if row["labels"]
    ]


def trained_branch(plan: BranchPlan, lower: LowerLayers, sets: Examples, path: Path) -> PolarityBranch:
    """Trained by the plan from layers of MiniLM, or as the file holds it."""
    from transformers import BertModel

    torch.manual_seed(0)
    bert = BertModel.from_pretrained(resolve_encoder("minilm").folder, add_pooling_layer=False)
    layers = [bert.encoder.layer[number] for number in plan.layers]
    branch = PolarityBranch(layers, bert.config.num_attention_heads, plan.answer_layers)
    if not path.is_file():
        train_branch(branch, lower, sets, plan)
        save_arrays(path, {name: value.numpy() for name, value in branch.state_dict().items()}, {})
    branch.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in load_arrays(path)[0].items()})
    return branch.eval()


def calibrated(
    lower: LowerLayers, branch: SentimentBranch, sets: Mapping[str, Sequence[PolarSentence]]
) -> dict[str, Any]:
    """Of the branch as it serves: see `calibrate`."""
    examples = {name: [Example.of(row) for row in rows] for name, rows in sets.items()}
    return calibrate({name: exported_logits(lower, branch, own) for name, own in examples.items()}, sets)


def calibrate(logits: Mapping[str, np.ndarray], sets: Mapping[str, Sequence[PolarSentence]]) -> dict[str, Any]:
    """Temperature (the median of what is best for each held-out set), bias of neutral (by the mean of their
    macro-F1), and how good both are."""
    truth = {
        name: np.array([TRUTH[own] for row in rows for own in row.polarities.values()]) for name, rows in sets.items()
    }
    owner = {name: [number for number, row in enumerate(rows) for _ in row.polarities] for name, rows in sets.items()}
    steps = np.arange(0.6, 4.01, 0.05)
    best = [min(steps, key=partial(log_loss, logits[name], truth[name])) for name in sets]
    temperature = float(np.median(best))

    def mean_f1(bias: float) -> float:
        told = {name: calibrated_probabilities(logits[name], temperature, bias) for name in sets}
        return float(np.mean([measure_polarity(told[name], truth[name], owner[name])["macro_f1"] for name in sets]))

    bias = float(max(np.arange(0, 2.01, 0.1), key=mean_f1))
    told = {name: calibrated_probabilities(own, temperature, bias) for name, own in logits.items()}
    measured = {name: measure_polarity(told[name], truth[name], owner[name]) for name in sets}
    return {
        "temperature": round(temperature, 3),
        "neutral_bias": round(bias, 3),
        "mixed_least": MIXED_LEAST,
        "held_out": measured,
    }


def log_loss(logits: np.ndarray, truth: np.ndarray, temperature: float) -> float:
    """Of the pairs that are not mixed."""
    known = truth < len(POLARITIES)
    p = softmax(logits[known] / temperature)
    return float(-np.log(p[np.arange(len(p)), truth[known]] + 1e-12).mean())


def write_section(card: Path, section: str) -> None:
    """In place of an earlier section about sentiment, else at the end of the card."""
    before = card.read_text(encoding="utf-8") if card.is_file() else ""
    card.write_text(before.partition("\n## Sentiment")[0].rstrip() + "\n\n" + section, encoding="utf-8")


if __name__ == "__main__":
    main()
