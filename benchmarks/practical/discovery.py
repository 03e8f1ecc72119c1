"""Do aspects come back that were hidden? `AspectDetector.discover` beside clustering of the same sentences.

    python benchmarks/practical/discovery.py --data FOLDER [--sets validation] [--systems fewaspect] [--seeds 0]
    python benchmarks/practical/discovery.py --table

Half of the aspects of a set are hidden; the detector gets five examples of each of the others, from one random half of
the set, and ten proposals are made from the texts of that half. Measurements are merged into
docs/results/discovery.jsonl; what is there is not measured again. `--table` writes discovery.md from the records alone.

The clustering that BERTopic does needs umap-learn, which is no dependency of the project: without it, the row is left
out. `pip install --constraint constraints.txt umap-learn==0.5.12` brings it.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from discovery_page import page
from discovery_peers import PEERS, Proposal, own_proposals, unclaimed
from draws import MOST_UNLABELLED, chosen_sets, frequent_aspects, load_set, pick_examples
from fewaspect import AspectDetector
from fewaspect.core.files import atomic_write
from fewaspect.data.labelled import LabelledSentence
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.detector.support import ExampleWarning
from fewaspect.experiments.results_file import merge_results, read_results
from fewaspect.inference.encoding_cache import CachingEncoder
from fewaspect.training.environment import describe_environment

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "discovery.jsonl"
KEY = ("set", "shots", "seed", "system")
SYSTEMS = ("fewaspect", *PEERS)
PROPOSALS = 10
MAJORITY = 0.5
SAME_F1 = 0.3
SAME_NAME = 0.5  # cosine: above it are 5 % of the pairs of different aspects of one set (validation sets)


@dataclass(frozen=True)
class Hidden:
    """Texts of which a detector knows half of the aspects."""

    known: list[str]
    hidden: list[str]
    examples: list[str]
    example_labels: list[list[str]]
    texts: list[str]
    truth: np.ndarray  # (texts, hidden) booleans


def hide(sentences: Sequence[LabelledSentence], shots: int, seed: int) -> Hidden:
    """Half of the up to twelve most frequent aspects, rounded down, are hidden.

    Texts whose aspects are all rarer ones are left out: they would be aspects that nobody counts.
    """
    names = frequent_aspects(sentences)
    sentences = [one for one in sentences if not one.aspects or set(one.aspects) & set(names)]
    rows = np.array([[name in one.aspects for name in names] for one in sentences], dtype=bool)
    order = np.random.default_rng(seed).permutation(len(sentences))
    pool = order[: len(order) // 2][:MOST_UNLABELLED]
    hidden = sorted(np.random.default_rng(100 + seed).permutation(len(names))[: len(names) // 2].tolist())
    known = [n for n in range(len(names)) if n not in hidden]
    examples = pick_examples(rows[:, known], pool, shots)
    return Hidden(
        [names[n] for n in known],
        [names[n] for n in hidden],
        [sentences[i].text for i in examples],
        [[names[n] for n in known if rows[i, n]] for i in examples],
        [sentences[i].text for i in pool],
        rows[pool][:, hidden],
    )


def measure(task: Hidden, systems: Sequence[str], model: InferenceModel) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each system with its record."""
    detector = AspectDetector(model).fit(
        task.examples, task.example_labels, names=task.known, unlabelled=task.texts
    )  # as the command line does it
    claimed = np.array([bool(aspects) for aspects in detector.predict(task.texts)])
    started = time.perf_counter()
    own = own_proposals(detector, task.texts, PROPOSALS)
    seconds = time.perf_counter() - started
    read = unclaimed(detector, task.texts)
    for system in systems:
        started = time.perf_counter()
        found = own if system == "fewaspect" else PEERS[system](read, PROPOSALS, own)
        took = seconds if system == "fewaspect" else time.perf_counter() - started
        yield system, {**compare(task, found, claimed, model), "seconds": round(took, 2), "proposals": len(found)}


def compare(task: Hidden, found: Sequence[Proposal], claimed: np.ndarray, model: InferenceModel) -> dict[str, Any]:
    """Shares of the hidden aspects that come back, by members and by name, and adjusted mutual information."""
    from sklearn.metrics import adjusted_mutual_info_score

    shares, f1 = np.zeros((2, len(found), len(task.hidden)))
    groups = np.full(len(task.texts), -1)
    for row, proposal in enumerate(found):
        inside = np.zeros(len(task.texts), dtype=bool)
        inside[list(proposal.texts)] = True
        groups[inside & (groups < 0)] = row
        both = (task.truth & inside[:, None]).sum(axis=0)
        shares[row], f1[row] = both / inside.sum(), 2 * both / (inside.sum() + task.truth.sum(axis=0))
    names = embed(model, [proposal.name for proposal in found]) @ embed(model, task.hidden).T
    back = matched(shares >= MAJORITY, f1)
    one = (task.truth.sum(axis=1) == 1) & ~claimed
    return {
        "hidden": len(task.hidden),
        "members": len(back) / len(task.hidden),
        "f1": len(matched(f1 >= SAME_F1, f1)) / len(task.hidden),
        "names": len(matched(names >= SAME_NAME, names)) / len(task.hidden),
        "ami": float(adjusted_mutual_info_score(task.truth[one].argmax(axis=1), groups[one])),
        "mean_texts": float(np.mean([len(proposal.texts) for proposal in found])) if found else 0.0,
        "back": {task.hidden[n]: found[row].name for row, n in back},
        "not back": [name for n, name in enumerate(task.hidden) if n not in {n for _, n in back}],
    }


def matched(allowed: np.ndarray, value: np.ndarray) -> list[tuple[int, int]]:
    """As many pairs of a proposal and a hidden aspect as can be, none twice; of equally many, those of most value."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(-(allowed * (1000 + value)))
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if allowed[r, c]]


def embed(model: InferenceModel, texts: Sequence[str]) -> np.ndarray:
    """(texts, d) unit vectors."""
    vectors = np.zeros((len(texts), model.encoder.width), dtype=np.float32)
    for batch, found in model.map_batches(texts, None, lambda read: read.vectors):
        vectors[batch] = found
    return vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="The folder that holds practical/, fewasp/ and corpus/validation/.")
    parser.add_argument("--sets", default="visible,validation", help="visible, validation, or names with commas.")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS, help="These alone.")
    parser.add_argument("--shots", nargs="+", type=int, default=[5], help="Examples of each aspect that is not hidden.")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--out", type=Path, default=RESULTS, help="The records; the page is written beside them.")
    parser.add_argument("--table", action="store_true", help="Only write the page from the records there are.")
    arguments = parser.parse_args()
    if not arguments.table:
        if arguments.data is None:
            parser.error("--data FOLDER is needed, except with --table")
        measure_missing(arguments)
    with atomic_write(arguments.out.with_suffix(".md")) as file:
        file.write(page(read_results(arguments.out)))


def measure_missing(arguments: argparse.Namespace) -> None:
    warnings.simplefilter("ignore", ExampleWarning)
    known = {tuple(one[k] for k in KEY) for one in read_results(arguments.out)} if arguments.out.exists() else set()
    systems = [name for name in arguments.systems if name != "umap-hdbscan" or find_spec("umap")]
    environment, loaded = describe_environment(), load_model()
    for name in chosen_sets(arguments.sets):
        sentences = load_set(name, arguments.data)
        model = replace(loaded, encoder=CachingEncoder(loaded.encoder, 4 << 30))  # each sentence is encoded once
        for shots in arguments.shots:
            for seed in arguments.seeds:
                missing = [system for system in systems if (name, shots, seed, system) not in known]
                task = hide(sentences, shots, seed)
                for system, result in measure(task, missing, model) if missing else ():
                    key = {"set": name, "shots": shots, "seed": seed, "system": system}
                    merge_results(arguments.out, [{**key, **result, "environment": environment}], KEY)
                    shown = {k: round(result[k], 2) for k in ("members", "f1", "names", "ami", "seconds")}
                    print(*key.values(), shown, flush=True)


if __name__ == "__main__":
    main()
