"""A trained model as ONNX in a folder of its own: it serves without torch, the pretrained encoder and the run."""

from __future__ import annotations

import dataclasses
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fewaspect.core.arrays import check_digest
from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.core.files import atomic_write, sha256_of
from fewaspect.core.settings import to_json
from fewaspect.detector.calibration import ProbabilityModel
from fewaspect.detector.scoring import LPNPlusScorer
from fewaspect.text.tokenization import TextEncoder, Tokens

FORMAT, VERSION = "fewaspect-runtime", 1
ABOUT, GRAPH, TOKENISER = "runtime.json", "encoder.onnx", "tokenizer.json"
FILES = (ABOUT, GRAPH, TOKENISER)


@dataclasses.dataclass(frozen=True)
class Runtime:
    """What a folder says of its model."""

    backend: str
    width: int
    padding: int
    max_length: int
    identity: dict[str, str]
    looking: LPNPlusScorer
    presence: ProbabilityModel
    parity: dict[str, Any]

    def write(self, folder: Path, graph: bytes, tokens: Tokens) -> None:
        (folder / GRAPH).write_bytes(graph)
        (folder / TOKENISER).write_text(tokens.tokeniser.to_str(), encoding="utf-8")
        self.write_about(folder)

    def write_about(self, folder: Path) -> None:
        files = {name: sha256_of(folder / name) for name in (GRAPH, TOKENISER)}
        with atomic_write(folder / ABOUT) as file:
            file.write(to_json({"format": FORMAT, "version": VERSION, **dataclasses.asdict(self), "files": files}))

    @classmethod
    def read(cls, folder: Path) -> Runtime:
        """Refused if it is damaged or of another kind."""
        path = folder / ABOUT
        try:
            about = json.loads(path.read_text(encoding="utf-8"))
            if (about["format"], about["version"]) != (FORMAT, VERSION):
                raise ValueError(f"format {about['format']}, version {about['version']}")
            files = {name: about["files"][name] for name in (GRAPH, TOKENISER)}
            runtime = cls(
                str(about["backend"]), int(about["width"]), int(about["padding"]), int(about["max_length"]),
                dict(about["identity"]), LPNPlusScorer.from_json(about["looking"], str(path)),
                ProbabilityModel.from_json(about["presence"]), dict(about["parity"]),
            )  # fmt: skip
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise CheckpointError(
                f'{path}: expected a model of format "{FORMAT}", version {VERSION}, found: {error!r}.'
            ) from error
        for name, digest in files.items():
            check_digest(folder / name, digest)
        return runtime


def load_runtime(folder: Path, backend: str) -> tuple[TextEncoder, Runtime]:
    """An exported model; it was made for one backend, and another cannot be asked for."""
    from tokenizers import Tokenizer

    from fewaspect.encoders.onnx_text import OnnxTextEncoder

    if find_spec("onnxruntime") is None:
        raise ConfigError(f'{folder}: needs ONNX Runtime, found none. Run: pip install "fewaspect[onnx]"')
    runtime = Runtime.read(folder)
    if backend not in ("auto", runtime.backend):
        raise ConfigError(f'backend: this model was exported as "{runtime.backend}", found {backend!r}.')
    tokens = Tokens(Tokenizer.from_file(str(folder / TOKENISER)), runtime.max_length)
    return OnnxTextEncoder(folder / GRAPH, tokens, runtime.width, runtime.padding), runtime
