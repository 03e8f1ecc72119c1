"""Token states by ONNX Runtime: no torch is needed, and on a CPU it is faster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.text.tokenization import SentenceTokeniser, padded_ids

OUTPUT = "states"  # of the graph: (B, T, d)


class OnnxTextEncoder:
    """One single-threaded session that several workers call at once: small batches stay in a core's own cache."""

    batch_tokens = 512

    def __init__(
        self, model: bytes | Path, tokeniser: SentenceTokeniser, width: int, padding_id: int = 0,
        threads: int | None = None,
    ) -> None:  # fmt: skip
        self.session = open_session(model)
        self.tokeniser, self.width, self.padding_id = tokeniser, width, padding_id
        self.workers = threads or available_threads()

    def states(self, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """(T, d) states of each sentence of a batch."""
        rows, mask = padded_ids(ids, self.padding_id)
        (states,) = self.session.run([OUTPUT], {"input_ids": rows, "mask": mask})
        return [padded[: len(row)] for padded, row in zip(states, ids, strict=True)]


def open_session(model: bytes | Path) -> Any:
    """A single-threaded CPU session. The only place that imports ONNX Runtime: its telemetry is switched off before."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # is read at the import
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    source = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def available_threads() -> int:
    """OMP_NUM_THREADS, or the number of cores that this process may use."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
