"""A BERT as a graph for ONNX Runtime, made from its weights alone: no torch, no tracing.

In single precision it computes what torch computes. In whole numbers, each matrix product takes its input and weights
rounded to a scale that is fixed beforehand (`Ranges`): a sentence's result depends on nothing that is read beside it.
Before rounding, large columns of an input are made smaller and the rows of the weights larger by as much ("smoothing":
Xiao et al., SmoothQuant, 2023). Weights have seven bits, so that sums of two products fit the sixteen that older
processors add them in, and every machine gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from fewaspect.core.errors import EncoderError

WEIGHT_TOP = 64
SMOOTHING = 0.85
FUSED = "com.microsoft"  # operators of ONNX Runtime that do in one pass what ONNX has several for
PRODUCTS = ("attention", "attended", "up", "down")  # of each layer, by what they take
OUTPUT = "states"


class ActivationRanges(NamedTuple):
    """The least and the greatest that each column of a product's input was."""

    low: np.ndarray
    high: np.ndarray


class Shape(NamedTuple):
    """What an encoder's configuration says of its graph."""

    layers: int
    heads: int
    width: int
    epsilon: float
    first_position: int


class _Rounded(NamedTuple):
    """A product in whole numbers: 1 / smoothing of the input, its scale and zero, weights and their scales."""

    divide: np.ndarray
    scale: np.float32
    zero: np.uint8
    weights: np.ndarray
    weight_scales: np.ndarray


def bert_graph(
    weights: Mapping[str, np.ndarray],
    shape: Shape,
    ranges: Mapping[str, ActivationRanges] | None = None,
    watched: bool = False,
) -> bytes:
    """The model as ONNX: `input_ids` and `mask`, (B, T) int32, to `states`, (B, T, d).

    With `ranges` for "0.attention" and so on, in whole numbers. With `watched`, the inputs of all products are outputs
    too, by these names.
    """
    try:
        return _Graph(weights, shape, ranges or {}, watched).serialised()
    except KeyError as error:
        raise EncoderError(f"expected the weights of a BERT, found none called {error}.") from None


class _Graph:
    def __init__(
        self, weights: Mapping[str, np.ndarray], shape: Shape, ranges: Mapping[str, ActivationRanges], watched: bool
    ) -> None:
        self.weights, self.shape, self.ranges, self.watched = weights, shape, ranges, watched
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.products: dict[str, str] = {}
        state = self._embeddings()
        for layer in range(shape.layers):
            state = self._layer(layer, state)

    def serialised(self) -> bytes:
        from onnx import TensorProto, helper

        ids, mask = (helper.make_tensor_value_info(n, TensorProto.INT32, ["B", "T"]) for n in ("input_ids", "mask"))
        outputs = [OUTPUT, *(self.products.values() if self.watched else ())]
        shapes = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["B", "T", None]) for name in outputs]
        graph = helper.make_graph(self.nodes, "encoder", [ids, mask], shapes, self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()

    def _embeddings(self) -> str:
        tables = [f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type")]
        words, positions, types = (self.weights[name] for name in tables)
        words = words + types[0]  # sentences stand alone: they are all of the first type
        if self.ranges:
            return self._rounded_embeddings(words, positions[self.shape.first_position :])
        given = [self._constant("words", words), self._constant("positions", positions[self.shape.first_position :])]
        norm = self._norm("embeddings.LayerNorm")
        self._add("EmbedLayerNormalization", ["input_ids", "", given[0], given[1], "", *norm], ["embedded", ""],
                  epsilon=self.shape.epsilon)  # fmt: skip
        return "embedded"

    def _rounded_embeddings(self, words: np.ndarray, positions: np.ndarray) -> str:
        """The table of word embeddings in int8 with a scale for each row: a quarter of its size in fp32."""
        rounded, scales = rounded_rows(words)
        table, scale = self._constant("words", rounded), self._constant("word_scales", scales)
        rows = self._add("Gather", [table, "input_ids"], ["word_rows"], domain="")
        unscaled = self._add("Cast", [rows], ["word_values"], domain="", to=1)  # fp32
        factors = self._add("Gather", [scale, "input_ids"], ["word_factors"], domain="")
        embedded = self._add("Mul", [unscaled, factors], ["word_embeddings"], domain="")
        tokens = self._add("Shape", ["input_ids"], ["tokens"], domain="", start=1, end=2)
        first, whole = self._constant("first", np.array([0])), self._constant("positions", positions)
        placed = self._add("Slice", [whole, first, tokens], ["position_embeddings"], domain="")
        both = self._add("Add", [embedded, placed], ["word_and_position"], domain="")
        norm = self._norm("embeddings.LayerNorm")
        return self._add("LayerNormalization", [both, *norm], ["embedded"], domain="", epsilon=self.shape.epsilon)

    def _layer(self, layer: int, state: str) -> str:
        name, here = f"encoder.layer.{layer}", f"{layer}."
        own = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        weights = np.concatenate([self.weights[f"{part}.weight"] for part in own])
        bias = np.concatenate([self.weights[f"{part}.bias"] for part in own])
        attended = self._attention(here + "attention", state, weights, bias)
        output = self._product(here + "attended", attended, f"{name}.attention.output.dense")
        middle = self._normalised(here + "middle", output, state, f"{name}.attention.output.LayerNorm")
        raised = self._product(here + "up", middle, f"{name}.intermediate.dense")
        active = self._add("FastGelu" if self.ranges else "Gelu", [raised], [here + "active"])
        lowered = self._product(here + "down", active, f"{name}.output.dense")
        last = OUTPUT if layer == self.shape.layers - 1 else here + "state"
        return self._normalised(last, lowered, middle, f"{name}.output.LayerNorm")

    def _attention(self, name: str, state: str, weights: np.ndarray, bias: np.ndarray) -> str:
        self.products[name] = state
        biases = self._constant(name + ".bias", bias)
        if name not in self.ranges:
            matrix = self._constant(name + ".weights", weights.T)
            given = [state, matrix, biases, "mask"]
            return self._add("Attention", given, [name], num_heads=self.shape.heads)
        rounded = rounded_product(weights.T, self.ranges[name])
        given = [
            self._rounded_input(name, state, rounded), self._constant(name + ".weights", rounded.weights), biases,
            name + ".scale", self._constant(name + ".scales", rounded.weight_scales), "mask", name + ".zero",
        ]  # fmt: skip
        return self._add("QAttention", given, [name], num_heads=self.shape.heads)

    def _product(self, name: str, state: str, source: str) -> str:
        self.products[name] = state
        weights, bias = (
            self.weights[f"{source}.weight"].T,
            self._constant(name + ".bias", self.weights[f"{source}.bias"]),
        )
        if name not in self.ranges:
            raw = self._add("MatMul", [state, self._constant(name + ".weights", weights)], [name + ".raw"], domain="")
            return self._add("Add", [raw, bias], [name], domain="")
        rounded = rounded_product(weights, self.ranges[name])
        given = [
            self._rounded_input(name, state, rounded), self._constant(name + ".weights", rounded.weights),
            name + ".scale", self._constant(name + ".scales", rounded.weight_scales), name + ".zero", "", bias,
        ]  # fmt: skip
        return self._add("MatMulIntegerToFloat", given, [name])

    def _rounded_input(self, name: str, state: str, rounded: _Rounded) -> str:
        smooth = self._add(
            "Mul", [state, self._constant(name + ".divide", rounded.divide)], [name + ".smooth"], domain=""
        )
        scale, zero = self._constant(name + ".scale", rounded.scale), self._constant(name + ".zero", rounded.zero)
        return self._add("QuantizeLinear", [smooth, scale, zero], [name + ".rounded"], domain="")

    def _normalised(self, name: str, new: str, before: str, source: str) -> str:
        given = [new, before, *self._norm(source)]
        return self._add("SkipLayerNormalization", given, [name], epsilon=self.shape.epsilon)

    def _norm(self, source: str) -> list[str]:
        return [self._constant(f"{source}.{part}", self.weights[f"{source}.{part}"]) for part in ("weight", "bias")]

    def _constant(self, name: str, value: Any) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name))
        return name

    def _add(self, operator: str, given: list[str], made: list[str], domain: str = FUSED, **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(operator, given, made, domain=domain, **attributes))
        return made[0]


def rounded_rows(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows, d) int8, and (rows, 1) scales that give the table back to half a step."""
    scales = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-12) / 127
    return np.round(table / scales).astype(np.int8), scales.astype(np.float32)


def rounded_product(weights: np.ndarray, ranges: ActivationRanges) -> _Rounded:
    """(in, out) weights and their input in whole numbers."""
    largest = np.maximum(np.maximum(np.abs(ranges.low), np.abs(ranges.high)), 1e-5)
    smooth = largest**SMOOTHING / np.maximum(np.abs(weights).max(axis=1), 1e-5) ** (1 - SMOOTHING)
    low, high = min(0.0, float((ranges.low / smooth).min())), max(0.0, float((ranges.high / smooth).max()))
    scale = max((high - low) / 255, 1e-12)
    raised = weights * smooth[:, None]
    weight_scales = np.maximum(np.abs(raised).max(axis=0), 1e-12) / WEIGHT_TOP
    return _Rounded(
        (1 / smooth).astype(np.float32), np.float32(scale), np.uint8(round(-low / scale)),
        np.round(raised / weight_scales).astype(np.int8), weight_scales.astype(np.float32),
    )  # fmt: skip
