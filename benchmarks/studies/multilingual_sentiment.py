"""Sentiment for the multilingual model: two layers above what its encoder makes of a sentence and of the part of it
that the name of an aspect attends to.

    python benchmarks/studies/multilingual_sentiment.py --data FOLDER --work FOLDER --model MODEL [--measure]

The network is trained on the sets of polarity/train, and on those of polarity/multilingual, and put into MODEL, which
benchmarks/studies/multilingual_model.py made. Temperature and bias of neutral are fitted on four English sets that are
not trained on. With `--measure` a network is trained without each measured language instead, and what it says of the
sets in that language goes to docs/results/languages.jsonl, beside logistic regression on the sentence vector, trained
on the same pairs, and the most frequent polarity. The work folder keeps what the encoder made of the texts.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from fewaspect.core.files import atomic_write, save_arrays
from fewaspect.core.polarity_metrics import measure_polarity
from fewaspect.data.polarity import PolarSentence, read_polarities
from fewaspect.detector.model import load_model
from fewaspect.experiments.results_file import Record, merge_results
from fewaspect.inference.encoder import SENTIMENT_HEAD, read_metadata, write_metadata
from fewaspect.inference.sentiment_branch import States, calibrated_probabilities
from fewaspect.inference.universal_encoder import UniversalEncoder
from fewaspect.inference.universal_sentiment import pair_vectors, two_layers
from fewaspect.training.environment import describe_environment
from multilingual_features import read
from multilingual_sentiment_card import sentiment_section
from polarity.examples import Example
from sentiment_model import CARD, HELD_OUT, ONE_SIDED, RESEARCH_ONLY, TRUTH, calibrate, write_section

MEASURED = ("de", "es", "fr", "ja", "nl", "zh")  # languages that the encoder was made for and that have sets
MOST_TEXTS = 600  # of a set
LABEL_TOKENS = 32
BATCH = 64  # sentences
RESULTS = Path(__file__).parents[2] / "docs" / "results" / "languages.jsonl"
KEY = ("table", "set", "shots", "seed", "system")
Network = dict[str, np.ndarray]


@dataclass(frozen=True)
class SentimentPlan:
    """`joined`: sentences made of two others of different polarity, for each one of a set; `repeats`: of a set in
    another language than English."""

    attention: float = 12.0
    hidden: int = 96
    joined: float = 0.5
    repeats: int = 2
    epochs: int = 4
    batch: int = 256
    learning_rate: float = 1e-3
    dropout: float = 0.3
    seed: int = 0


PLAN = SentimentPlan()


@dataclass(frozen=True)
class ReadSet:
    """Sentences with polarities as the frozen part of the encoder reads them."""

    name: str
    rows: list[PolarSentence]
    features: list[np.ndarray]  # (T, d) of each

    @property
    def language(self) -> str | None:
        """None: English."""
        return self.name[:2] if self.name[2:3] == "_" else None


@dataclass(frozen=True)
class Pairs:
    """(P, 2 d) vectors of pairs of a sentence and an aspect, and (P, 3) shares of the three polarities."""

    vectors: np.ndarray
    targets: np.ndarray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="The folder that holds polarity/.")
    parser.add_argument("--work", type=Path, required=True, help="folder for features of the texts")
    parser.add_argument("--model", type=Path, required=True, help="the multilingual model")
    parser.add_argument("--measure", action="store_true", help="Measure networks that did not learn from a language.")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    encoder = load_model(arguments.model).encoder
    assert isinstance(encoder, UniversalEncoder)
    sets = read_sets(encoder, arguments.data / "polarity", arguments.work)
    study = Study(encoder, sets, PLAN)
    if arguments.measure:
        for language in MEASURED:
            merge_results(RESULTS, measured_without(study, language), KEY)
        return
    network = train(study.training(), PLAN)
    manifest = json.loads((arguments.data / "polarity" / "MANIFEST.json").read_text(encoding="utf-8"))
    add_sentiment(arguments.model, network, study.calibrated(network), manifest, {s.name: len(s.rows) for s in sets})


def add_sentiment(
    model: Path, network: Network, about: Mapping[str, Any], manifest: Mapping[str, Any], counts: Mapping[str, int]
) -> None:
    """Put it into the folder of the model, in half precision, and a section into the card."""
    metadata = {
        name: own for name, own in read_metadata(model).items() if name not in ("format", "version", "files")
    }  # fmt: skip
    save_arrays(model / SENTIMENT_HEAD, {name: own.astype(np.float16) for name, own in network.items()}, {})
    write_metadata(model, {
        **metadata, "sentiment": {**about, "attention": PLAN.attention, "plan": asdict(PLAN)},
    })  # fmt: skip
    write_section(model / CARD, sentiment_section(manifest, counts, HELD_OUT, about, MOST_TEXTS))
    print(about)


def measured_without(study: Study, language: str) -> list[Record]:
    """Records of the sets in a language, by a network and a regression that learned from all but this language."""
    from sklearn.linear_model import LogisticRegression

    network, plain = train(study.training(language), study.plan), study.training(language, joined=False)
    about, width = study.calibrated(network), study.encoder.width
    known = plain.targets.max(axis=1) == 1  # not those that are mixed
    regression = LogisticRegression(C=4.0, max_iter=200)
    regression.fit(plain.vectors[known, width:], plain.targets[known].argmax(axis=1))
    records = []
    for name in (name for name, one in study.sets.items() if one.language == language):
        vectors = study.pairs[name].vectors
        told = {
            "multilingual": study.told(name, network, about), "logistic": regression.predict_proba(vectors[:, width:]),
            "majority": np.tile([0.0, 0.0, 1.0], (len(vectors), 1)),
        }  # fmt: skip
        for system, probabilities in told.items():
            found = measure_polarity(probabilities, *truth_of(study.sets[name].rows))
            where = {"table": "sentiment", "set": name, "shots": 0, "seed": study.plan.seed, "system": system}
            records.append({**where, **found, "environment": describe_environment()})
            print(name, system, found, flush=True)
    return records


def read_sets(encoder: UniversalEncoder, folder: Path, work: Path) -> list[ReadSet]:
    """Those that may be trained on and those held out; what is in the work folder is not read again."""
    work.mkdir(parents=True, exist_ok=True)
    found = []
    for path in (*sorted((folder / "train").glob("*.jsonl")), *sorted((folder / "multilingual").glob("*.jsonl"))):
        if path.stem in (*RESEARCH_ONLY, *ONE_SIDED):
            continue
        rows = [row for row in read_polarities(path) if row.polarities]
        rows = random.Random(0).sample(rows, len(rows))[:MOST_TEXTS]
        kept = work / f"sentiment__{path.stem}.npz"
        if not kept.is_file():
            features, lengths = read(encoder, [row.text for row in rows])
            with atomic_write(kept, "wb") as file:
                np.savez(file, features=features, lengths=lengths)
            print(f"{path.stem}: {len(rows)} texts", flush=True)
        with np.load(kept, allow_pickle=False) as stored:
            parts = np.split(stored["features"], np.cumsum(stored["lengths"])[:-1])
        found.append(ReadSet(path.stem, rows, parts))
    return found


class Study:
    """Pairs of all sets; joined sentences come after those of a set."""

    def __init__(self, encoder: UniversalEncoder, sets: Sequence[ReadSet], plan: SentimentPlan) -> None:
        self.encoder, self.plan, self.sets = encoder, plan, {one.name: one for one in sets}
        self.labels: dict[str, np.ndarray] = {}
        self.pairs, self.joined = dict[str, Pairs](), dict[str, Pairs]()
        for one in sets:
            sentences, examples = self._states(one.features), [Example.of(row) for row in one.rows]
            self.pairs[one.name] = self._pairs(sentences, examples)
            if one.name not in HELD_OUT:
                self.joined[one.name] = self._joined(sentences, examples)

    def training(self, without: str | None = None, joined: bool = True) -> Pairs:
        """Of all sets but those held out and those in this language."""
        parts = []
        for name, one in self.sets.items():
            if name in HELD_OUT or (without is not None and one.language == without):
                continue
            repeats = self.plan.repeats if one.language else 1
            parts += [self.pairs[name], *([self.joined[name]] if joined else [])] * repeats
        return Pairs(*(np.concatenate([getattr(part, of) for part in parts]) for of in ("vectors", "targets")))

    def calibrated(self, network: Network) -> dict[str, Any]:
        """Temperature, bias of neutral and how good it is on the English sets that were not trained on."""
        logits = {name: two_layers(self.pairs[name].vectors, network) for name in HELD_OUT}
        return calibrate(logits, {name: self.sets[name].rows for name in HELD_OUT})

    def told(self, name: str, network: Network, about: Mapping[str, Any]) -> np.ndarray:
        """(pairs, 3)."""
        logits = two_layers(self.pairs[name].vectors, network)
        return calibrated_probabilities(logits, about["temperature"], about["neutral_bias"])

    def _pairs(self, sentences: Sequence[States], examples: Sequence[Example]) -> Pairs:
        """Of sentences as the encoder reads them."""
        vectors = [np.zeros((0, 2 * self.encoder.width), dtype=np.float32)]
        for first in range(0, len(sentences), BATCH):
            some = examples[first : first + BATCH]
            rows = [row for row, one in enumerate(some) for _ in one.targets]
            labels: list[States] = [(self._label(name),) * 2 for one in some for name in one.targets]
            dense, attention = self.encoder.published_head, self.plan.attention
            vectors.append(pair_vectors(sentences[first : first + BATCH], labels, rows, dense, attention))
        targets = [target for one in examples for target in one.targets.values()]
        return Pairs(np.concatenate(vectors).astype(np.float32), np.array(targets, dtype=np.float32).reshape(-1, 3))

    def _states(self, features: Sequence[np.ndarray]) -> list[States]:
        found: list[States] = []
        for first in range(0, len(features), BATCH):
            some = [own.astype(np.float32) for own in features[first : first + BATCH]]
            lengths = np.array([len(own) for own in some])
            states = self.encoder.contextual_states(np.concatenate(some), lengths)
            found += zip(some, np.split(states, np.cumsum(lengths)[:-1]), strict=True)
        return found

    def _label(self, name: str) -> np.ndarray:
        """(d,): as `label_states` has it."""
        if name not in self.labels:
            ids = self.encoder.tokeniser.ids([name])[0]
            (states,) = self.encoder.states([ids[:-1][: LABEL_TOKENS + 1] + ids[-1:]])
            self.labels[name] = states[1:-1].mean(axis=0)
        return self.labels[name]

    def _joined(self, sentences: Sequence[States], examples: Sequence[Example]) -> Pairs:
        """Of two sentences, of different polarity about different aspects, read as one: the tokens of the first, then
        those of the second."""
        rng, groups = random.Random(self.plan.seed), dict[int, list[int]]()
        for number, example in enumerate(examples):
            if example.sure is not None:
                groups.setdefault(example.sure, []).append(number)
        joined: list[tuple[States, Example]] = []
        for _ in range(round(self.plan.joined * len(examples)) if len(groups) > 1 else 0):
            one, other = (rng.choice(groups[polarity]) for polarity in rng.sample(sorted(groups), 2))
            if not set(examples[one].targets) & set(examples[other].targets):
                both = tuple(map(np.concatenate, zip(sentences[one], sentences[other], strict=True)))
                joined.append((both, Example("", {**examples[one].targets, **examples[other].targets})))
        return self._pairs([states for states, _ in joined], [example for _, example in joined])


def train(pairs: Pairs, plan: SentimentPlan) -> Network:
    """Two layers, by Adam with a falling rate."""
    torch.manual_seed(plan.seed)
    layers = nn.Linear(pairs.vectors.shape[1], plan.hidden), nn.Linear(plan.hidden, 3)
    network = nn.Sequential(nn.Dropout(plan.dropout / 2), layers[0], nn.ReLU(), nn.Dropout(plan.dropout), layers[1])
    optimiser = torch.optim.AdamW(network.parameters(), plan.learning_rate, weight_decay=0.01)
    vectors, targets = torch.from_numpy(pairs.vectors) * len(pairs.vectors[0]) ** 0.5, torch.from_numpy(pairs.targets)
    order = torch.Generator().manual_seed(plan.seed)
    steps = plan.epochs * -(-len(vectors) // plan.batch)
    rate = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: max(0.02, 1 - step / steps))
    for _ in range(plan.epochs):
        for batch in torch.randperm(len(vectors), generator=order).split(plan.batch):
            shares = torch.log_softmax(network(vectors[batch]), dim=1)
            loss = -(targets[batch] * shares).sum(dim=1).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            rate.step()
    first, second = ({name: own.detach().numpy() for name, own in layer.named_parameters()} for layer in layers)
    scale = len(pairs.vectors[0]) ** 0.5  # the network that serves takes unit vectors as they are
    return {
        "hidden.weight": first["weight"].T * scale, "hidden.bias": first["bias"],
        "logits.weight": second["weight"].T.copy(), "logits.bias": second["bias"],
    }  # fmt: skip


def truth_of(rows: Sequence[PolarSentence]) -> tuple[list[int], list[int]]:
    """Of every pair its polarity and the number of its sentence."""
    polarities = [TRUTH[own] for row in rows for own in row.polarities.values()]
    return polarities, [number for number, row in enumerate(rows) for _ in row.polarities]


if __name__ == "__main__":
    main()
