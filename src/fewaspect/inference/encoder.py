"""An encoder as it serves: the protocol, ONNX Runtime (on a CPU faster than torch, which is not needed), the threads;
and the folder of a model: the encoder as one ONNX graph with its tokenizer, or the trained head of an encoder that a
package installs; and the numbers of LPN+ as JSON.

Workers have the cores. Numpy's own threads are held back: its products are many and small here, and on a busy machine
threads that wait for each other at the end of every product take a hundred times as long.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import numpy as np

from fewaspect.core.errors import WRONG_VALUE, CheckpointError
from fewaspect.core.files import atomic_write, check_digest, sha256_of
from fewaspect.core.forking import NO_FORK
from fewaspect.core.settings import to_json
from fewaspect.text.tokenization import SentenceTokeniser, padded_ids

SHIPPED = Path(__file__).parent / "shipped"
NAMED = {"multilingual": Path(__file__).parent / "multilingual"}  # models that are chosen by name
FORMAT, VERSION = "fewaspect-model", 2
METADATA, GRAPH, TOKENIZER = "model.json", "encoder.onnx", "tokenizer.json"
METADATA_0_1 = "runtime.json"
_KEYS_0_1 = {"looking": "scorer", "presence": "probability_model"}
SENTIMENT = "sentiment.onnx"  # models that tell no sentiment have none
HEAD = "head.safetensors"  # in the place of graph and tokenizer, where a package installs the encoder
SENTIMENT_HEAD = "sentiment.safetensors"  # there, in the place of the graph for sentiment
OUTPUT = "states"  # of the graph: (B, T, d)
SHARED_OUTPUT = "shared_states"  # those of a lower layer, (B, T, d): sentiment, and words as they stand


class TextEncoder(Protocol):
    """A trained encoder: token ids to token states."""

    width: int  # d
    tokeniser: SentenceTokeniser
    batch_tokens: int  # tokens of the best batch size, padding included
    workers: int  # threads that may call `states` at the same time

    def states(self, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """(T, d) states of each sentence of a batch; sentences of similar length waste little on padding."""
        ...


class SharingEncoder(TextEncoder, Protocol):
    """One that can also say what a lower layer of it made of a sentence."""

    def shared_states(self, ids: Sequence[Sequence[int]]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The states, and those of the lower layer that sentiment is read from."""
        ...

    def states_and_lower(self, ids: Sequence[Sequence[int]]) -> tuple[list[np.ndarray], np.ndarray]:
        """The states, and the (B, d) means of those of the lower layer."""
        ...


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
        with NO_FORK:
            (states,) = self.session.run([OUTPUT], {"input_ids": rows, "mask": mask})
        return [padded[: len(row)] for padded, row in zip(states, ids, strict=True)]

    def shared_states(self, ids: Sequence[Sequence[int]]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """(T, d) states of each sentence of a batch, and those of the lower layer that sentiment is read from."""
        rows, mask = padded_ids(ids, self.padding_id)
        with NO_FORK:
            found = self.session.run([OUTPUT, SHARED_OUTPUT], {"input_ids": rows, "mask": mask})
        states, shared = ([padded[: len(row)] for padded, row in zip(part, ids, strict=True)] for part in found)
        return states, shared

    def states_and_lower(self, ids: Sequence[Sequence[int]]) -> tuple[list[np.ndarray], np.ndarray]:
        """(T, d) states of each sentence of a batch, and (B, d) means of those of the lower layer."""
        states, shared = self.shared_states(ids)
        return states, lower_means(shared)


def lower_means(shared: Sequence[np.ndarray]) -> np.ndarray:
    """(B, d) of (T, d) states of each, rounded to half precision: what is saved is exactly what was used."""
    sums = np.stack([np.add.reduce(part, axis=0) for part in shared])
    lengths = np.array([[len(part)] for part in shared], dtype=np.float32)
    return (sums / lengths).astype(np.float16).astype(np.float32)


def open_session(model: bytes | Path) -> Any:
    """A single-threaded CPU session. The only place that imports ONNX Runtime: its telemetry is switched off before."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # is read at the import
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    source = model if isinstance(model, bytes) else str(model)
    with NO_FORK:
        return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def available_threads() -> int:
    """OMP_NUM_THREADS, or the number of cores that this process may use."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class OneThread:
    """While anyone is inside, products of numpy take one thread; the last to leave gives back what there was before."""

    def __init__(self) -> None:
        self._controller: Any = None
        self._held: Any = None
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin)  # where those who were inside are not there to leave

    def _begin(self) -> None:
        self._lock, self._inside = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                if self._controller is None:
                    from threadpoolctl import ThreadpoolController

                    self._controller = ThreadpoolController().select(user_api="blas")
                self._take_over()
                self._held = self._controller.limit(limits=1)
            self._inside += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._take_over()
                self._held.restore_original_limits()

    def _take_over(self) -> None:
        """From threadpoolctl 3.8 on only the thread that set a limit first may set another; here any thread may."""
        for library in self._controller.lib_controllers:
            if hasattr(library, "clear_controlling_thread"):
                library.clear_controlling_thread(force=True)


ONE_THREAD = OneThread()


def is_model(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (METADATA, METADATA_0_1))


def model_files(folder: Path) -> list[Path]:
    """All files that an exported model consists of, metadata first."""
    encoder = (HEAD,) if (folder / HEAD).is_file() else (GRAPH, TOKENIZER)
    names = (METADATA if (folder / METADATA).is_file() else METADATA_0_1, *encoder)
    sentiment = [name for name in (SENTIMENT, SENTIMENT_HEAD) if (folder / name).is_file()]
    return [folder / name for name in (*names, *sentiment)]


def model_folder(model: str | Path) -> Path:
    """Of a model by its name or its folder; a name wins."""
    return NAMED.get(str(model)) or Path(model)


def write_model(folder: Path, graph: bytes, tokeniser: SentenceTokeniser, metadata: Mapping[str, Any]) -> None:
    """Graph and tokenizer, then the metadata with their digests."""
    (folder / GRAPH).write_bytes(graph)
    (folder / TOKENIZER).write_text(tokeniser.backend.to_str(), encoding="utf-8")
    write_metadata(folder, metadata)


def write_metadata(folder: Path, metadata: Mapping[str, Any]) -> None:
    files = {path.name: sha256_of(path) for path in model_files(folder) if path.name not in (METADATA, METADATA_0_1)}
    with atomic_write(folder / METADATA) as file:
        file.write(to_json({"format": FORMAT, "version": VERSION, **metadata, "files": files}))


def read_metadata(folder: Path) -> dict[str, Any]:
    """What the folder says of its model; refused if a file is damaged or the format is another."""
    path = model_files(folder)[0]
    expected = (FORMAT, VERSION) if path.name == METADATA else ("fewaspect-runtime", 1)
    try:
        metadata = dict(json.loads(path.read_text(encoding="utf-8")))
        if (found := (metadata.get("format"), metadata.get("version"))) != expected:
            raise ValueError(f"format {found[0]}, version {found[1]}")
        names = [HEAD] if "package" in metadata else [GRAPH, TOKENIZER]
        if "sentiment" in metadata:
            names.append(SENTIMENT_HEAD if "package" in metadata else SENTIMENT)
        digests = {name: str(metadata["files"][name]) for name in names}
    except (OSError, *WRONG_VALUE) as error:
        raise CheckpointError(
            f'{path}: expected a model of format "{expected[0]}", version {expected[1]}, found: {error!r}.'
        ) from error
    for name, digest in digests.items():
        check_digest(folder / name, digest)
    return {_KEYS_0_1.get(str(key), str(key)): value for key, value in metadata.items()}


def load_encoder(folder: Path, metadata: Mapping[str, Any]) -> TextEncoder:
    """The encoder of an exported model, ready to serve."""
    if "package" in metadata:
        from fewaspect.inference.universal_encoder import load_universal_encoder

        return load_universal_encoder(folder, metadata)
    from tokenizers import Tokenizer

    words = Tokenizer.from_file(str(folder / TOKENIZER))
    tokeniser = SentenceTokeniser(words, _number(metadata, "max_length", 4, 1 << 16))
    padding = _number(metadata, "padding", 0, words.get_vocab_size() - 1)
    encoder = OnnxTextEncoder(folder / GRAPH, tokeniser, _number(metadata, "width", 1, 1 << 16), padding)
    if (given := encoder.session.get_outputs()[0].shape[-1]) not in (encoder.width, None):
        raise ValueError(f'"width" must be {given}, as {GRAPH} gives it')
    return encoder


def _number(metadata: Mapping[str, Any], name: str, least: int, most: int) -> int:
    value = int(metadata[name])
    if not least <= value <= most:
        raise ValueError(f'"{name}" must be from {least} to {most:,}')
    return value
