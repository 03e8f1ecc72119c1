"""The branch that tells the polarity of each aspect, trained above the shipped model's lower layers, in int8.

    python benchmarks/studies/sentiment_model.py --data FOLDER --run RUN --work FOLDER --out MODEL

RUN is WORK/shipped of shipped_model.py. A teacher is trained on sentences with polarities; it labels review sentences
that have aspects alone, where it is sure; the branch is trained on both, and then on, with its last two layers for the
label alone. What is trained stays in the work folder and
is not trained again. Half an hour on one core. Temperature and the bias of neutral are fitted on the sets that were
held out. MODEL, the shipped one with the branch beside it, takes the place of src/fewaspect/inference/shipped.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fewaspect.core.files import load_arrays, save_arrays
from fewaspect.core.polarity_metrics import measure_polarity
from fewaspect.core.settings import to_json
from fewaspect.data.polarity import MIXED, POLARITIES, PolarSentence, read_polarities
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.encoders.onnx_weights import read_architecture
from fewaspect.inference.encoder import SHIPPED
from fewaspect.inference.sentiment_branch import SentimentBranch, calibrated_probabilities, softmax
from fewaspect.modules.polarity_branch import PolarityBranch
from fewaspect.training.export import tokeniser_of
from fewaspect.training.run_weights import RunWeights, load_run_weights
from fewaspect.training.sentiment_export import Pair, add_sentiment, build_branch, share_lower_layers
from polarity_card import card_section
from polarity_training import LowerLayers, TrainingPlan, branch_logits, label_text, train_branch

RESEARCH_ONLY = ("customer_reviews_hu_liu", "drug_reviews_druglib", "semeval15_hotels")  # by their licences
ONE_SIDED = ("us_airline_tweets",)  # negative only
HELD_OUT = ("flight_absa", "student_feedback_kushan", "drug_review_psytar", "api_review_aspects")
UNLABELLED = (
    "opinosis_cars", "opinosis_electronics", "oposum_bags_and_cases", "oposum_bluetooth", "oposum_keyboards",
    "oposum_tv", "space_hotel_summaries",
)  # fmt: skip
TEACHER = TrainingPlan(start=3, epochs=2, joined_share=0.5)
STUDENT = TrainingPlan(start=2, epochs=1, joined_share=0.8)
FASTER = TrainingPlan(
    start=2, epochs=1, joined_share=0.6, learning_rate=7e-5, head_rate=5e-4, answer_layers=2, neutral_repeats=2,
    most_steps=300,
)  # fmt: skip
SURE = 0.9  # the probability from which on the teacher is believed
MIXED_LEAST = 0.3  # of negative and of positive; not fitted: few sets have mixed answers
RANGE_PAIRS = 800  # on which activation ranges are measured
TRUTH = {name: n for n, name in enumerate((*POLARITIES, MIXED))}
CARD = "MODEL_CARD.md"
Sets = dict[str, list[PolarSentence]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="The folder that holds polarity/ and corpus/.")
    parser.add_argument("--run", type=Path, required=True, help="the run that the shipped model is exported from")
    parser.add_argument("--model", type=Path, default=SHIPPED, help="the exported model, by default the shipped one")
    parser.add_argument("--work", type=Path, required=True, help="folder for what is trained")
    parser.add_argument("--out", type=Path, required=True, help="folder for the exported model")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    arguments.work.mkdir(parents=True, exist_ok=True)
    run = Backbone.of(arguments.run)
    training, held_out = read_sets(arguments.data / "polarity")
    teacher = trained(run, TEACHER, training, arguments.work / "teacher.safetensors")
    training |= taught_sets(run, teacher, arguments.data, arguments.work / "taught.json")
    student = trained(run, STUDENT, training, arguments.work / "student.safetensors")
    faster = trained(run, FASTER, training, arguments.work / "faster.safetensors", student)
    shutil.copytree(arguments.model, arguments.out)
    share_lower_layers(arguments.out, run.weights, FASTER.start)
    model = load_model(arguments.out)
    layers = read_architecture(run.weights.source)._replace(layers=len(faster.layers))
    arrays = {name: value.numpy() for name, value in faster.state_dict().items()}
    graph, parity = build_branch(arrays, layers, some_pairs(model, training), FASTER.answer_layers)
    about = calibrated(model, SentimentBranch(graph), held_out)
    chosen = {name: about[name] for name in ("temperature", "neutral_bias", "mixed_least")}
    add_sentiment(arguments.out, graph, {**chosen, "parity": parity, "plan": asdict(FASTER)})
    manifest = json.loads((arguments.data / "polarity" / "MANIFEST.json").read_text(encoding="utf-8"))
    write_section(arguments.out / CARD, card_section(manifest, training, held_out, about))
    print(to_json({**about, "parity": parity}))


@dataclass(frozen=True)
class Backbone:
    """The encoder of a run in torch."""

    weights: RunWeights
    bert: Any
    lower_of: Any  # number of layers -> LowerLayers

    @classmethod
    def of(cls, run: Path) -> Backbone:
        from transformers import BertModel

        weights = load_run_weights(run)
        bert = BertModel.from_pretrained(weights.source.folder, attn_implementation="sdpa", add_pooling_layer=False)
        arrays = {name: torch.from_numpy(np.array(value)) for name, value in weights.encoder_arrays().items()}
        missing = bert.load_state_dict(arrays, strict=False).missing_keys
        assert not missing, missing
        tokeniser = tokeniser_of(weights.source)
        return cls(weights, bert.eval(), lambda layers: LowerLayers(bert, layers, tokeniser))

    def branch(self, plan: TrainingPlan) -> PolarityBranch:
        """Untrained: the encoder's own upper layers."""
        heads = self.bert.config.num_attention_heads
        return PolarityBranch(self.bert.encoder.layer[plan.start :], heads, plan.answer_layers)


def read_sets(folder: Path) -> tuple[Sets, Sets]:
    """The training sets and those held out, by name."""
    paths = [
        path for path in sorted((folder / "train").glob("*.jsonl")) if path.stem not in (*RESEARCH_ONLY, *ONE_SIDED)
    ]
    sets = {path.stem: [row for row in read_polarities(path) if row.polarities] for path in paths}
    return {name: own for name, own in sets.items() if name not in HELD_OUT}, {name: sets[name] for name in HELD_OUT}


def trained(
    run: Backbone,
    plan: TrainingPlan,
    sets: Mapping[str, Sequence[PolarSentence]],
    path: Path,
    begin: PolarityBranch | None = None,
) -> PolarityBranch:
    """Trained by the plan, from the encoder's own layers or from a branch, or as the file holds it."""
    torch.manual_seed(0)
    branch = run.branch(plan)
    if begin is not None:
        branch.load_state_dict(begin.state_dict())
    if not path.is_file():
        mean = train_branch(branch, run.lower_of(plan.start), sets, plan, random.Random(0))
        save_arrays(path, {name: value.numpy() for name, value in mean.state_dict().items()}, {})
    branch.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in load_arrays(path)[0].items()})
    return branch.eval()


def taught_sets(run: Backbone, teacher: PolarityBranch, data: Path, path: Path) -> Sets:
    """Review sentences with aspects, of the corpus and of Yelp, with the polarities of which the teacher is sure."""
    if not path.is_file():
        files = [*(data / "corpus" / "train" / f"{name}.jsonl" for name in UNLABELLED), data / "yelpaspect_train.jsonl"]
        lower = run.lower_of(TEACHER.start)
        found = {file.stem: taught(teacher, lower, file) for file in files}
        path.write_text(json.dumps(found), encoding="utf-8")
    read = json.loads(path.read_text(encoding="utf-8"))
    return {name: [PolarSentence(text, own) for text, own in rows] for name, rows in read.items()}


def taught(teacher: PolarityBranch, lower: LowerLayers, file: Path) -> list[tuple[str, dict[str, str]]]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    sentences = [PolarSentence(row["text"], dict.fromkeys(row["labels"], "")) for row in rows if row["labels"]]
    probabilities, first, found = softmax(branch_logits(teacher, lower, sentences)), 0, []
    for sentence in sentences:
        own = probabilities[first : first + len(sentence.polarities)]
        first += len(own)
        if (own.max(axis=1) >= SURE).all():
            answers = (POLARITIES[answer] for answer in own.argmax(axis=1))
            found.append((sentence.text, dict(zip(sentence.polarities, answers, strict=True))))
    return found


def some_pairs(model: InferenceModel, sets: Mapping[str, Sequence[PolarSentence]]) -> list[Pair]:
    """Label and sentence states of pairs of all sets, as the exported encoder gives them."""
    rng = random.Random(1)
    rows = [rng.choice(sets[name]) for name in rng.choices(sorted(sets), k=RANGE_PAIRS)]
    return [pair for row in rows for pair in pairs_of(model, row)[:1]]


def pairs_of(model: InferenceModel, row: PolarSentence) -> list[Pair]:
    """One for each aspect of a sentence."""
    ids = model.encoder.tokeniser.ids([row.text, *map(label_text, row.polarities)])
    sentence, *labels = (model.shared_states([own])[1][0] for own in ids)
    return [(label[1:-1], sentence) for label in labels]


def calibrated(
    model: InferenceModel, branch: SentimentBranch, sets: Mapping[str, Sequence[PolarSentence]]
) -> dict[str, Any]:
    """Temperature (the median of what is best for each held-out set), bias of neutral (by the mean of their
    macro-F1), and how good both are."""
    logits, truth, owner = {}, {}, {}
    for name, rows in sets.items():
        pairs = [pair for row in rows for pair in pairs_of(model, row)]
        logits[name] = np.concatenate([branch.logits([label], [sentence]) for label, sentence in pairs])
        truth[name] = np.array([TRUTH[polarity] for row in rows for polarity in row.polarities.values()])
        owner[name] = [number for number, row in enumerate(rows) for _ in row.polarities]
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
