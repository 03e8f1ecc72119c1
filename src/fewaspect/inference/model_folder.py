"""An exported model as a folder: the encoder as one ONNX graph, its tokenizer, and the numbers of LPN+ as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fewaspect.core.errors import CheckpointError
from fewaspect.core.files import atomic_write, check_digest, sha256_of
from fewaspect.core.settings import to_json
from fewaspect.inference.encoder import OnnxTextEncoder
from fewaspect.text.tokenization import SentenceTokeniser

SHIPPED = Path(__file__).parent / "shipped"
FORMAT, VERSION = "fewaspect-model", 2
METADATA, GRAPH, TOKENIZER = "model.json", "encoder.onnx", "tokenizer.json"
METADATA_0_1 = "runtime.json"
_KEYS_0_1 = {"looking": "scorer", "presence": "probability_model"}


def is_model(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (METADATA, METADATA_0_1))


def model_files(folder: Path) -> list[Path]:
    """All files that an exported model consists of, metadata first."""
    names = (METADATA if (folder / METADATA).is_file() else METADATA_0_1, GRAPH, TOKENIZER)
    return [folder / name for name in names]


def write_model(folder: Path, graph: bytes, tokeniser: SentenceTokeniser, metadata: Mapping[str, Any]) -> None:
    """Graph and tokenizer, then the metadata with their digests."""
    (folder / GRAPH).write_bytes(graph)
    (folder / TOKENIZER).write_text(tokeniser.backend.to_str(), encoding="utf-8")
    write_metadata(folder, metadata)


def write_metadata(folder: Path, metadata: Mapping[str, Any]) -> None:
    files = {name: sha256_of(folder / name) for name in (GRAPH, TOKENIZER)}
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
        digests = {name: str(metadata["files"][name]) for name in (GRAPH, TOKENIZER)}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise CheckpointError(
            f'{path}: expected a model of format "{expected[0]}", version {expected[1]}, found: {error!r}.'
        ) from error
    for name, digest in digests.items():
        check_digest(folder / name, digest)
    return {_KEYS_0_1.get(str(key), str(key)): value for key, value in metadata.items()}


def load_encoder(folder: Path, metadata: Mapping[str, Any]) -> OnnxTextEncoder:
    """The encoder of an exported model, ready to serve."""
    from tokenizers import Tokenizer

    tokeniser = SentenceTokeniser(Tokenizer.from_file(str(folder / TOKENIZER)), int(metadata["max_length"]))
    return OnnxTextEncoder(folder / GRAPH, tokeniser, int(metadata["width"]), int(metadata["padding"]))
