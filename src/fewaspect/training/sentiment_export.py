"""A trained polarity branch beside an exported model: in int8 or fp32, compared with fp32 before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.errors import CheckpointError
from fewaspect.encoders.onnx_graph import Architecture
from fewaspect.encoders.polarity_graph import branch_graph, measure_branch_ranges
from fewaspect.inference.encoder import GRAPH, SENTIMENT, SHARED_OUTPUT, read_metadata, write_metadata
from fewaspect.inference.sentiment_branch import SentimentBranch, States, branch_inputs

MEAN_DIFFERENCE = 0.02  # of probabilities in int8
Pairs = tuple[Sequence[States], Sequence[States], Sequence[int]]  # sentences, labels, and of each label its sentence


def build_branch(
    weights: Mapping[str, np.ndarray], architecture: Architecture, answer_layers: int, pairs: Sequence[Pairs],
    precision: str = "int8",
) -> tuple[bytes, dict[str, float]]:  # fmt: skip
    """The graph of the branch, and how near its probabilities on these pairs, on which ranges are measured too, are to
    those in fp32 (which are torch's)."""
    exact = branch_graph(weights, architecture, answer_layers)
    if precision == "fp32":
        return exact, {"pairs": 0, "mean_difference": 0.0, "largest_difference": 0.0}
    ranges = measure_branch_ranges(weights, architecture, answer_layers, (branch_inputs(*some) for some in pairs))
    graph = branch_graph(weights, architecture, answer_layers, ranges)
    branches = [SentimentBranch(model) for model in (exact, graph)]
    one, other = (np.concatenate([branch.probabilities(*some) for some in pairs]) for branch in branches)
    apart = np.abs(one - other)
    parity = {"pairs": len(one), "mean_difference": float(apart.mean()), "largest_difference": float(apart.max())}
    if parity["mean_difference"] > MEAN_DIFFERENCE:
        raise CheckpointError(
            f"the int8 branch is not like that in fp32: expected probabilities {MEAN_DIFFERENCE} apart, found {parity}."
        )
    return graph, parity


def share_lower_layers(folder: Path, layers: int) -> None:
    """Let the encoder of an exported model also give the states after so many layers, unless it does. What it gave
    before stays the same to the bit, and so does the model's identity; an earlier branch goes."""
    import onnx

    metadata, model = read_metadata(folder), onnx.load(folder / GRAPH)
    if SHARED_OUTPUT in [output.name for output in model.graph.output]:
        return
    inner = f"{layers - 1}.state"
    for node in model.graph.node:
        for names in (node.input, node.output):
            names[:] = [SHARED_OUTPUT if name == inner else name for name in names]
    model.graph.output.append(
        onnx.helper.make_tensor_value_info(SHARED_OUTPUT, onnx.TensorProto.FLOAT, ["B", "T", None])
    )
    (folder / GRAPH).write_bytes(model.SerializeToString())
    (folder / SENTIMENT).unlink(missing_ok=True)
    kept = {name: value for name, value in _own(metadata).items() if name != "sentiment"}
    plain = metadata["identity"].get("graph", metadata["files"][GRAPH])
    write_metadata(folder, {**kept, "identity": {**metadata["identity"], "graph": plain}})


def add_sentiment(folder: Path, graph: bytes, about: Mapping[str, Any]) -> None:
    """Put the branch into the folder of an exported model; `about` has its temperature and the bound of mixed."""
    metadata = read_metadata(folder)
    (folder / SENTIMENT).write_bytes(graph)
    write_metadata(folder, {**_own(metadata), "sentiment": dict(about)})


def _own(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Without what `write_metadata` adds."""
    return {name: value for name, value in metadata.items() if name not in ("format", "version", "files")}
