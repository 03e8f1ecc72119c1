"""How near the limit detection is: arithmetic of the encoder per sentence, the machine's peak, the share reached.

    python benchmarks/speed/roofline.py --data FOLDER [--speed docs/results/speed.jsonl] [--json OUT]

The peak is that of the best matrix product of each kind that was measured here, with as many threads: the best of many
repeats, since only the machine's limit is asked for. The rates are those that `detection_speed.py` measured.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.data.benchmarks import load_benchmark
from fewaspect.encoders.onnx_weights import read_architecture
from fewaspect.encoders.sources import resolve_encoder
from fewaspect.experiments.results_file import publish, read_results
from fewaspect.inference.encoder import open_session
from fewaspect.training.export import tokeniser_of

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "speed.jsonl"
ROWS = 512  # as in a batch
WORK = 16  # products per turn and thread


def operations(lengths: np.ndarray, width: int, inner: int, layers: int) -> float:
    """Floating-point operations per sentence: products with weights, and of tokens with each other."""
    weights = 2 * (4 * width * width + 2 * width * inner)  # per token and layer
    among = 4 * lengths * width  # per token and layer: scores and sums of attention
    return float((lengths * layers * (weights + among)).mean())


def product(rounded: bool, width: int, inner: int) -> Callable[[], Any]:
    """A product of the encoder's largest shape, by ONNX Runtime on one thread."""
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(0)
    weights = rng.normal(size=(width, inner)).astype(np.float32)
    inputs: dict[str, np.ndarray] = {"x": rng.normal(size=(ROWS, width)).astype(np.float32)}
    kind = TensorProto.FLOAT
    constants = [numpy_helper.from_array(weights, "w")]
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    if rounded:
        inputs, kind = {"x": rng.integers(0, 255, (ROWS, width), dtype=np.uint8)}, TensorProto.UINT8
        quantised = np.clip(np.round(20 * weights), -64, 64).astype(np.int8)
        constants = [numpy_helper.from_array(quantised, "w"), numpy_helper.from_array(np.float32(0.1), "s")]
        node = helper.make_node("MatMulIntegerToFloat", ["x", "w", "s", "s"], ["y"], domain="com.microsoft")
    graph = helper.make_graph(
        [node], "product", [helper.make_tensor_value_info("x", kind, [ROWS, width])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [ROWS, inner])], constants,
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    session = open_session(helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString())
    return lambda: [session.run(None, inputs) for _ in range(WORK)]


def peak(rounded: bool, threads: int, width: int, inner: int, turns: int = 30) -> float:
    """Operations per second of all threads together, at best."""
    works = [product(rounded, width, inner) for _ in range(threads)]
    best = np.inf
    with ThreadPoolExecutor(threads) as workers:
        for _ in range(turns):
            started = time.perf_counter()
            list(workers.map(lambda work: work(), works))
            best = min(best, time.perf_counter() - started)
    return 2 * ROWS * width * inner * WORK * threads / best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speed", type=Path, default=RESULTS, help="results file with the measurement `detection`")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    (speed,) = (found for found in read_results(arguments.speed) if found["measurement"] == "detection")
    source = resolve_encoder()
    shape, config = read_architecture(source), json.loads((source.folder / "config.json").read_text(encoding="utf-8"))
    inner = int(config["intermediate_size"])
    texts = list(dict.fromkeys(load_benchmark("fewasp", arguments.data).test.texts))[: speed["sentences"]]
    lengths = np.array([len(ids) for ids in tokeniser_of(source).ids(texts)])
    each = operations(lengths, shape.width, inner, shape.layers)
    peaks = {name: peak(name == "int8", speed["threads"], shape.width, inner) for name in ("float32", "int8")}
    paths = {}
    for name, rate in speed["sentences_per_second"].items():
        limit = peaks["int8" if name in ("onnx-int8", "fewaspect detect") else "float32"]
        paths[name] = {"sentences_per_second_at_the_peak": limit / each, "share": rate["median"] * each / limit}
    result = {
        "tokens_per_sentence": float(lengths.mean()), "operations_per_sentence": each, "threads": speed["threads"],
        "peaks_in_operations_per_second": peaks, "paths": paths,
    }  # fmt: skip
    publish(result, arguments.json)


if __name__ == "__main__":
    main()
