"""The ONNX graph of a `PolarityBranch`, in fp32 or int8, built from its weights as that of the encoder is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fewaspect.encoders.onnx_graph import ActivationRanges, Architecture, LayerGraph
from fewaspect.inference.encoder import open_session
from fewaspect.inference.sentiment_branch import INPUTS, LOGITS


def branch_graph(
    weights: Mapping[str, np.ndarray],
    architecture: Architecture,
    answer_layers: int,
    ranges: Mapping[str, ActivationRanges] | None = None,
    expose_activations: bool = False,
) -> bytes:
    """The serialised model, whose inputs are those of `SentimentBranch.logits`: to (P, 3) logits.

    `architecture.layers` counts those of the branch. `answer_layers` as of the branch; `ranges` and
    `expose_activations` as for the encoder.
    """
    return _BranchGraph(weights, architecture, ranges or {}, expose_activations, answer_layers).serialised()


def measure_branch_ranges(
    weights: Mapping[str, np.ndarray], architecture: Architecture, answer_layers: int,
    batches: Iterable[Mapping[str, np.ndarray]],
) -> dict[str, ActivationRanges]:  # fmt: skip
    """Ranges of the input of every matrix product on these inputs, without padding, by the product's name."""
    graph = _BranchGraph(weights, architecture, {}, True, answer_layers)
    session, ranges = open_session(graph.serialised()), dict[str, ActivationRanges]()
    for batch in batches:
        found = dict(zip(graph.outputs, session.run(None, dict(batch)), strict=True)) | dict(batch)
        for name, state in graph.matmul_inputs.items():
            values = found[state].reshape(-1, found[state].shape[-1])
            low, high = values.min(axis=0), values.max(axis=0)
            before = ranges.get(name, ActivationRanges(low, high))
            ranges[name] = ActivationRanges(np.minimum(before.low, low), np.maximum(before.high, high))
    return ranges


class _BranchGraph(LayerGraph):
    def __init__(
        self, weights: Mapping[str, np.ndarray], architecture: Architecture, ranges: Mapping[str, ActivationRanges],
        expose_activations: bool, answer_layers: int,
    ) -> None:  # fmt: skip
        renamed = {name.replace("layers.", "encoder.layer.", 1): value for name, value in weights.items()}
        super().__init__(renamed, architecture, ranges)
        lower, last, _, label_lower, label_last, rows = INPUTS
        state = self._entered("sentence", lower, last)
        kind = self._initializer("kind", weights["kind"])
        answer = self._plain("Add", [self._entered("label", label_lower, label_last), kind], "answer")
        ahead = self._initializer("ahead", np.array([1]))
        answer = self._plain("Unsqueeze", [answer, ahead], "answer.wide")  # (P, 1, d)
        real = self._plain("Gather", ["mask", rows], "mask.pairs", axis=0)
        full = architecture.layers - answer_layers
        for layer in range(full):
            state = self._layer(layer, state)
        answering = range(full, architecture.layers)
        for layer, read in zip(answering, self._read(answering, state, rows), strict=True):
            answer = self._answer_layer(layer, answer, read, real)
        self._head(answer, ahead)
        exposed = dict.fromkeys(self.matmul_inputs.values()) if expose_activations else {}
        self.outputs = [LOGITS, *(name for name in exposed if name not in INPUTS)]

    def _entered(self, name: str, lower: str, last: str) -> str:
        """The lower states and what is read from the last ones."""
        added = self._linear(f"{name}.upper", last, "upper")
        return self._plain("Add", [lower, added], f"{name}.entered")

    def _read(self, layers: range, state: str, rows: str) -> list[list[str]]:
        """Of each layer the keys and values, (P, T, d) each, of the sentences of all pairs: one product for all."""
        parts = [f"encoder.layer.{layer}.attention.self.{part}" for layer in layers for part in ("key", "value")]
        of_all = {
            f"read.{kind}": np.concatenate([self.weights[f"{part}.{kind}"] for part in parts])
            for kind in ("weight", "bias")
        }
        self.weights = {**self.weights, **of_all}
        pairs = self._plain("Gather", [self._linear("read", state, "read"), rows], "read.pairs", axis=0)
        self._node("Split", [pairs], [f"{part}.pairs" for part in parts], domain="", axis=2)
        return [[f"{part}.pairs" for part in parts[n : n + 2]] for n in range(0, len(parts), 2)]

    def _answer_layer(self, layer: int, answer: str, read: list[str], real: str) -> str:
        """(P, 1, d): a layer in which each label attends to the tokens of its sentence."""
        query = self._linear(f"{layer}.query", answer, f"encoder.layer.{layer}.attention.self.query")
        inputs = [query, *read, "", real]
        found = self._node("MultiHeadAttention", inputs, [f"{layer}.attention"], num_heads=self.architecture.heads)
        return self._above_attention(layer, found, answer)

    def _head(self, answer: str, axis: str) -> None:
        flat = self._plain("Squeeze", [answer, axis], "answer.flat")
        head = self._initializer("head.matrix", self.weights["head.weight"].T)
        raw = self._plain("MatMul", [flat, head], "logits.raw")
        self._plain("Add", [raw, self._initializer("head.bias", self.weights["head.bias"])], LOGITS)

    def _plain(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """A node of ONNX's own operators."""
        return self._node(operator, inputs, [output], domain="", **attributes)

    def serialised(self) -> bytes:
        from onnx import TensorProto, helper

        width, info = self.architecture.width, helper.make_tensor_value_info
        tokens: list[str | int | None] = ["S", "T", width]
        pairs: list[str | int | None] = ["P", width]
        shapes: list[list[str | int | None]] = [tokens, tokens, ["S", "T"], pairs, pairs, ["P"]]
        kinds = [TensorProto.INT32 if name in ("mask", "rows") else TensorProto.FLOAT for name in INPUTS]
        inputs = [info(name, kind, shape) for name, kind, shape in zip(INPUTS, kinds, shapes, strict=True)]
        outputs = [info(LOGITS, TensorProto.FLOAT, ["P", 3])]
        outputs += [info(name, TensorProto.FLOAT, None) for name in self.outputs[1:]]
        return self._serialise("sentiment", inputs, outputs)
