"""The ONNX graph of a BERT, built from its weights: no torch, no tracing.

In fp32 it computes what torch computes. In int8, each matrix product quantizes its input and weights by scales that are
fixed beforehand from `ActivationRanges` (static quantization): a sentence's result does not depend on its batch.
SmoothQuant (Xiao et al., ICML 2023) moves outliers from the columns of the input to the rows of the weights first.
Weights use 7 of the 8 bits: older CPUs add two products in 16 bits, which then cannot overflow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from fewaspect.core.errors import EncoderError
from fewaspect.inference.encoder import OUTPUT

MAX_WEIGHT = 64  # of an int8 weight: 7 bits
SMOOTHQUANT_ALPHA = 0.85
FUSED_DOMAIN = "com.microsoft"  # fused operators of ONNX Runtime
MATMULS = ("attention", "attended", "up", "down")  # the matrix products of a layer, in order


class ActivationRanges(NamedTuple):
    """Minimum and maximum of each input column of a matrix product, (d,) each."""

    low: np.ndarray
    high: np.ndarray


class Architecture(NamedTuple):
    """What the graph needs of an encoder's configuration."""

    layers: int
    heads: int
    width: int
    epsilon: float  # of the layer norms
    first_position: int


class QuantizedMatMul(NamedTuple):
    """Parameters of an int8 matrix product with (in, out) weights."""

    input_factor: np.ndarray  # (in,) 1 / SmoothQuant's factor
    input_scale: np.float32
    input_zero_point: np.uint8
    weights: np.ndarray  # (in, out) int8
    weight_scales: np.ndarray  # (out,)


def bert_graph(
    weights: Mapping[str, np.ndarray],
    architecture: Architecture,
    ranges: Mapping[str, ActivationRanges] | None = None,
    expose_activations: bool = False,
) -> bytes:
    """The serialised model: `input_ids` and `mask`, (B, T) int32, to `states`, (B, T, d).

    With `ranges` of each "<layer>.<matmul>" in int8, else in fp32. `expose_activations` adds the input of every matrix
    product as an output, from which ranges are measured.
    """
    try:
        return _BertGraph(weights, architecture, ranges or {}, expose_activations).serialised()
    except KeyError as error:
        raise EncoderError(f"expected the weights of a BERT, found none called {error}.") from None


class LayerGraph:
    """Nodes and initializers of BERT layers, from which graphs are made."""

    def __init__(
        self, weights: Mapping[str, np.ndarray], architecture: Architecture, ranges: Mapping[str, ActivationRanges],
    ) -> None:  # fmt: skip
        self.weights, self.architecture, self.ranges = weights, architecture, ranges
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.matmul_inputs: dict[str, str] = {}

    def _serialise(self, name: str, inputs: list[Any], outputs: list[Any]) -> bytes:
        from onnx import helper

        graph = helper.make_graph(self.nodes, name, inputs, outputs, self.initializers)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED_DOMAIN, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()

    def _layer(self, layer: int, state: str, name: str | None = None) -> str:
        """The state after a layer, called `name`."""
        here = f"{layer}."
        qkv = [f"encoder.layer.{layer}.attention.self.{part}" for part in ("query", "key", "value")]
        weights = np.concatenate([self.weights[f"{part}.weight"] for part in qkv])
        bias = np.concatenate([self.weights[f"{part}.bias"] for part in qkv])
        attended = self._attention(here + "attention", state, weights, bias)
        return self._above_attention(layer, attended, state, name)

    def _above_attention(self, layer: int, attended: str, state: str, name: str | None = None) -> str:
        """What a layer does after its attention."""
        source, here = f"encoder.layer.{layer}", f"{layer}."
        output = self._linear(here + "attended", attended, f"{source}.attention.output.dense")
        middle = self._skip_layer_norm(here + "middle", output, state, f"{source}.attention.output.LayerNorm")
        up = self._linear(here + "up", middle, f"{source}.intermediate.dense")
        active = self._node("FastGelu" if self.ranges else "Gelu", [up], [here + "active"])
        down = self._linear(here + "down", active, f"{source}.output.dense")
        return self._skip_layer_norm(name or here + "state", down, middle, f"{source}.output.LayerNorm")

    def _attention(self, name: str, state: str, weights: np.ndarray, bias: np.ndarray) -> str:
        self.matmul_inputs[name] = state
        bias_name, heads = self._initializer(name + ".bias", bias), self.architecture.heads
        if name not in self.ranges:
            matrix = self._initializer(name + ".weights", weights.T)
            return self._node("Attention", [state, matrix, bias_name, "mask"], [name], num_heads=heads)
        matmul = quantize_matmul(weights.T, self.ranges[name])
        inputs = [
            self._quantized_input(name, state, matmul), self._initializer(name + ".weights", matmul.weights),
            bias_name, name + ".scale", self._initializer(name + ".scales", matmul.weight_scales), "mask",
            name + ".zero",
        ]  # fmt: skip
        return self._node("QAttention", inputs, [name], num_heads=heads)

    def _linear(self, name: str, state: str, source: str) -> str:
        self.matmul_inputs[name] = state
        weights = self.weights[f"{source}.weight"].T
        bias = self._initializer(name + ".bias", self.weights[f"{source}.bias"])
        if name not in self.ranges:
            matrix = self._initializer(name + ".weights", weights)
            raw = self._node("MatMul", [state, matrix], [name + ".raw"], domain="")
            return self._node("Add", [raw, bias], [name], domain="")
        matmul = quantize_matmul(weights, self.ranges[name])
        inputs = [
            self._quantized_input(name, state, matmul), self._initializer(name + ".weights", matmul.weights),
            name + ".scale", self._initializer(name + ".scales", matmul.weight_scales), name + ".zero", "", bias,
        ]  # fmt: skip
        return self._node("MatMulIntegerToFloat", inputs, [name])

    def _quantized_input(self, name: str, state: str, matmul: QuantizedMatMul) -> str:
        factor = self._initializer(name + ".divide", matmul.input_factor)
        smooth = self._node("Mul", [state, factor], [name + ".smooth"], domain="")
        scale = self._initializer(name + ".scale", matmul.input_scale)
        zero_point = self._initializer(name + ".zero", matmul.input_zero_point)
        return self._node("QuantizeLinear", [smooth, scale, zero_point], [name + ".rounded"], domain="")

    def _skip_layer_norm(self, name: str, new: str, residual: str, source: str) -> str:
        inputs = [new, residual, *self._layer_norm(source)]
        return self._node("SkipLayerNormalization", inputs, [name], epsilon=self.architecture.epsilon)

    def _layer_norm(self, source: str) -> list[str]:
        parts = (f"{source}.weight", f"{source}.bias")
        return [self._initializer(part, self.weights[part]) for part in parts]

    def _initializer(self, name: str, value: Any) -> str:
        from onnx import numpy_helper

        array = np.ascontiguousarray(value).reshape(np.shape(value))  # ascontiguousarray makes a scalar (1,)
        self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def _node(
        self, operator: str, inputs: list[str], outputs: list[str], domain: str = FUSED_DOMAIN, **attributes: Any
    ) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(operator, inputs, outputs, domain=domain, **attributes))
        return outputs[0]


class _BertGraph(LayerGraph):
    def __init__(
        self, weights: Mapping[str, np.ndarray], architecture: Architecture, ranges: Mapping[str, ActivationRanges],
        expose_activations: bool,
    ) -> None:  # fmt: skip
        super().__init__(weights, architecture, ranges)
        self.expose_activations = expose_activations
        state = self._embeddings()
        for layer in range(architecture.layers):
            state = self._layer(layer, state, OUTPUT if layer == architecture.layers - 1 else None)

    def serialised(self) -> bytes:
        from onnx import TensorProto, helper

        inputs = [helper.make_tensor_value_info(n, TensorProto.INT32, ["B", "T"]) for n in ("input_ids", "mask")]
        names = [OUTPUT, *(self.matmul_inputs.values() if self.expose_activations else ())]
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["B", "T", None]) for name in names]
        return self._serialise("encoder", inputs, outputs)

    def _embeddings(self) -> str:
        tables = [f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type")]
        words, positions, types = (self.weights[name] for name in tables)
        words = words + types[0]  # every sentence is of token type 0
        if self.ranges:
            return self._quantized_embeddings(words, positions[self.architecture.first_position :])
        word_table = self._initializer("words", words)
        position_table = self._initializer("positions", positions[self.architecture.first_position :])
        inputs = ["input_ids", "", word_table, position_table, "", *self._layer_norm("embeddings.LayerNorm")]
        return self._node("EmbedLayerNormalization", inputs, ["embedded", ""], epsilon=self.architecture.epsilon)

    def _quantized_embeddings(self, words: np.ndarray, positions: np.ndarray) -> str:
        """The word embeddings in int8 with a scale for each row: a quarter of the size of the table in fp32."""
        rows, scales = quantize_rows(words)
        inputs = {"words": rows, "word_scales": scales}
        gathered = [
            self._node("Gather", [self._initializer(name, table), "input_ids"], [f"{name}.rows"], domain="")
            for name, table in inputs.items()
        ]
        values = self._node("Cast", gathered[:1], ["words.fp32"], domain="", to=1)  # 1 is fp32 in ONNX
        embedded = self._node("Mul", [values, gathered[1]], ["words.embedded"], domain="")
        tokens = self._node("Shape", ["input_ids"], ["tokens"], domain="", start=1, end=2)
        table = [self._initializer("positions", positions), self._initializer("first", np.array([0])), tokens]
        placed = self._node("Slice", table, ["positions.embedded"], domain="")
        total = self._node("Add", [embedded, placed], ["embedded.sum"], domain="")
        norm = [total, *self._layer_norm("embeddings.LayerNorm")]
        return self._node("LayerNormalization", norm, ["embedded"], domain="", epsilon=self.architecture.epsilon)


def quantize_rows(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(V, d) int8 and (V, 1) scales of a table of embeddings."""
    scales = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-12) / 127
    return np.round(table / scales).astype(np.int8), scales.astype(np.float32)


def quantize_matmul(weights: np.ndarray, ranges: ActivationRanges) -> QuantizedMatMul:
    """(in, out) fp32 weights and their input's ranges, smoothed (SmoothQuant, eq. 4), as an int8 matrix product."""
    largest = np.maximum(np.maximum(np.abs(ranges.low), np.abs(ranges.high)), 1e-5)
    factor = largest**SMOOTHQUANT_ALPHA / np.maximum(np.abs(weights).max(axis=1), 1e-5) ** (1 - SMOOTHQUANT_ALPHA)
    low, high = min(0.0, float((ranges.low / factor).min())), max(0.0, float((ranges.high / factor).max()))
    scale = max((high - low) / 255, 1e-12)
    smoothed = weights * factor[:, None]
    weight_scales = np.maximum(np.abs(smoothed).max(axis=0), 1e-12) / MAX_WEIGHT
    return QuantizedMatMul(
        (1 / factor).astype(np.float32), np.float32(scale), np.uint8(round(-low / scale)),
        np.round(smoothed / weight_scales).astype(np.int8), weight_scales.astype(np.float32),
    )  # fmt: skip
