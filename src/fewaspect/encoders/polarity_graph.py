"""The ONNX graph of a `PolarityBranch`, in fp32 or int8, built from its weights as that of the encoder is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fewaspect.encoders.onnx_graph import MATMULS, ActivationRanges, Architecture, LayerGraph
from fewaspect.inference.encoder import open_session
from fewaspect.inference.sentiment_branch import INPUTS, LOGITS

_PADDING_LAST = "mask"  # the name that the layers know


def branch_graph(
    weights: Mapping[str, np.ndarray],
    architecture: Architecture,
    ranges: Mapping[str, ActivationRanges] | None = None,
    expose_activations: bool = False,
    answer_layers: int = 1,
) -> bytes:
    """The serialised model: (B, L, d) `label` and (B, T, d) `sentence` states, with masks, to (B, 3) logits.

    `architecture.layers` counts those of the branch. `answer_layers` as of the branch; `ranges` and
    `expose_activations` as for the encoder.
    """
    renamed = {name.replace("layers.", "encoder.layer.", 1): value for name, value in weights.items()}
    return _BranchGraph(renamed, architecture, ranges or {}, expose_activations, answer_layers).serialised()


def measure_branch_ranges(
    weights: Mapping[str, np.ndarray], architecture: Architecture, pairs: Iterable[Mapping[str, np.ndarray]],
    answer_layers: int = 1,
) -> dict[str, ActivationRanges]:  # fmt: skip
    """Ranges of the input of every matrix product on these pairs, one at a time (no padding), by "<layer>.<matmul>"."""
    graph = branch_graph(weights, architecture, expose_activations=True, answer_layers=answer_layers)
    session = open_session(graph)
    names = [f"{layer}.{matmul}" for layer in range(architecture.layers) for matmul in MATMULS]
    ranges: dict[str, ActivationRanges] = {}
    for pair in pairs:
        for name, values in zip(names, session.run(None, dict(pair))[1:], strict=True):  # values: (1, tokens, d)
            low, high = values[0].min(axis=0), values[0].max(axis=0)
            before = ranges.get(name, ActivationRanges(low, high))
            ranges[name] = ActivationRanges(np.minimum(before.low, low), np.maximum(before.high, high))
    return ranges


class _BranchGraph(LayerGraph):
    def __init__(
        self, weights: Mapping[str, np.ndarray], architecture: Architecture, ranges: Mapping[str, ActivationRanges],
        expose_activations: bool, answer_layers: int,
    ) -> None:  # fmt: skip
        super().__init__(weights, architecture, ranges)
        self.expose_activations = expose_activations
        label, sentence, label_mask, sentence_mask = INPUTS
        kinds = [self._initializer(f"kind.{n}", weights["kind"][n]) for n in (0, 1)]
        parts = [
            self._plain("Add", [part, kind], part + ".kind")
            for part, kind in zip((label, sentence), kinds, strict=True)
        ]
        state = self._plain("Concat", parts, "joined", axis=1)
        self._plain("Concat", [label_mask, sentence_mask], _PADDING_LAST, axis=1)
        rows = self._plain("Shape", [label], "rows", start=1, end=2)
        full = architecture.layers - answer_layers
        for layer in range(full):
            state = self._layer(layer, state)
        for layer in range(full, architecture.layers):
            answer = self._layer(layer, state, rows=rows)
            if layer + 1 < architecture.layers:
                state = self._plain("Concat", [answer, self._behind(state, rows, layer)], f"{layer}.joined", axis=1)
        self._head(answer, label_mask)

    def _behind(self, state: str, rows: str, layer: int) -> str:
        """The tokens of the sentence."""
        end = self._initializer(f"{layer}.end", np.array([np.iinfo(np.int64).max]))
        axis = self._initializer(f"{layer}.axis", np.array([1]))
        return self._plain("Slice", [state, rows, end, axis], f"{layer}.behind")

    def _head(self, state: str, label_mask: str) -> None:
        """The mean of the label's tokens, then a linear layer."""
        axis = self._initializer("token_axis", np.array([1]))
        last = self._initializer("last_axis", np.array([2]))
        real = self._plain("Cast", [label_mask], "label_mask.fp32", to=1)  # 1 is fp32 in ONNX
        kept = self._plain("Mul", [state, self._plain("Unsqueeze", [real, last], "label_mask.wide")], "kept")
        total = self._plain("ReduceSum", [kept, axis], "total", keepdims=0)
        mean = self._plain("Div", [total, self._plain("ReduceSum", [real, axis], "count", keepdims=1)], "mean")
        head = self._initializer("head.matrix", self.weights["head.weight"].T)
        raw = self._plain("MatMul", [mean, head], "logits.raw")
        self._plain("Add", [raw, self._initializer("head.bias", self.weights["head.bias"])], LOGITS)

    def _plain(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """A node of ONNX's own operators."""
        return self._node(operator, inputs, [output], domain="", **attributes)

    def serialised(self) -> bytes:
        from onnx import TensorProto, helper

        width, info = self.architecture.width, helper.make_tensor_value_info
        shapes: tuple[list[str | int | None], ...] = (["B", "L", width], ["B", "T", width], ["B", "L"], ["B", "T"])
        kinds = (TensorProto.FLOAT, TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT32)
        inputs = [info(name, kind, shape) for name, kind, shape in zip(INPUTS, kinds, shapes, strict=True)]
        outputs = [info(LOGITS, TensorProto.FLOAT, ["B", 3])]
        exposed = self.matmul_inputs.values() if self.expose_activations else ()
        outputs += [info(name, TensorProto.FLOAT, ["B", None, None]) for name in exposed]
        return self._serialise("sentiment", inputs, outputs)
