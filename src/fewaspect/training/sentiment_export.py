"""A trained polarity branch beside an exported model: in the model's precision, compared with torch before."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.errors import CheckpointError
from fewaspect.encoders.onnx_graph import Architecture, bert_graph
from fewaspect.encoders.onnx_weights import read_architecture
from fewaspect.encoders.polarity_graph import branch_graph, measure_branch_ranges
from fewaspect.inference.encoder import GRAPH, SENTIMENT, read_metadata, write_metadata
from fewaspect.inference.sentiment_branch import INPUTS, SentimentBranch, padded_states
from fewaspect.training.export import measure_ranges, tokeniser_of
from fewaspect.training.run_weights import RunWeights

MAX_DIFFERENCE = 1e-4  # of any probability in fp32
MEAN_DIFFERENCE = 0.02  # of probabilities in int8
Pair = tuple[np.ndarray, np.ndarray]  # (L, d) and (T, d) states of a label and a sentence


def build_branch(
    weights: Mapping[str, np.ndarray], architecture: Architecture, pairs: Sequence[Pair], answer_layers: int = 1,
    precision: str = "int8",
) -> tuple[bytes, dict[str, float]]:  # fmt: skip
    """The graph of the branch, and how near its probabilities on these pairs, on which ranges are measured too, are to
    those in fp32 (which are torch's)."""
    exact = branch_graph(weights, architecture, answer_layers=answer_layers)
    if precision == "fp32":
        return exact, {"pairs": len(pairs), "mean_difference": 0.0, "largest_difference": 0.0}
    ranges = measure_branch_ranges(weights, architecture, map(pair_inputs, pairs), answer_layers)
    graph = branch_graph(weights, architecture, ranges, answer_layers=answer_layers)
    labels, sentences = zip(*pairs, strict=True)
    one, other = (SentimentBranch(model).probabilities(labels, sentences) for model in (exact, graph))
    apart = np.abs(one - other)
    parity = {"pairs": len(pairs), "mean_difference": float(apart.mean()), "largest_difference": float(apart.max())}
    if parity["mean_difference"] > MEAN_DIFFERENCE:
        raise CheckpointError(
            f"the int8 branch is not like that in fp32: expected probabilities {MEAN_DIFFERENCE} apart, found {parity}."
        )
    return graph, parity


def pair_inputs(pair: Pair) -> dict[str, np.ndarray]:
    """What the graph reads for one pair."""
    (label, label_mask), (sentence, sentence_mask) = padded_states([pair[0]]), padded_states([pair[1]])
    return dict(zip(INPUTS, (label, sentence, label_mask, sentence_mask), strict=True))


def share_lower_layers(folder: Path, weights: RunWeights, layers: int) -> None:
    """Let the encoder of an exported model also give the states after so many layers; refused if it is not the encoder
    of this run. What it gave before stays the same to the bit, and so the model's identity stays; an earlier branch
    goes."""
    metadata = read_metadata(folder)
    arrays, architecture = weights.encoder_arrays(), read_architecture(weights.source)
    ranges = measure_ranges(weights, tokeniser_of(weights.source)) if metadata["precision"] == "int8" else None
    plain = hashlib.sha256(bert_graph(arrays, architecture, ranges)).hexdigest()
    if metadata["identity"].get("graph", metadata["files"][GRAPH]) != plain:
        raise CheckpointError(f"{folder}: expected the encoder of the run, found another.")
    (folder / GRAPH).write_bytes(bert_graph(arrays, architecture, ranges, shared_layers=layers))
    (folder / SENTIMENT).unlink(missing_ok=True)
    kept = {name: value for name, value in _own(metadata).items() if name != "sentiment"}
    write_metadata(folder, {**kept, "identity": {**metadata["identity"], "graph": plain}})


def add_sentiment(folder: Path, graph: bytes, about: Mapping[str, Any]) -> None:
    """Put the branch into the folder of an exported model; `about` has its temperature and the bound of mixed."""
    metadata = read_metadata(folder)
    (folder / SENTIMENT).write_bytes(graph)
    write_metadata(folder, {**_own(metadata), "sentiment": dict(about)})


def _own(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Without what `write_metadata` adds."""
    return {name: value for name, value in metadata.items() if name not in ("format", "version", "files")}
