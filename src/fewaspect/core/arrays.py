"""Named arrays and JSON metadata in one safetensors file, written atomically. Nothing is ever unpickled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.errors import CheckpointError
from fewaspect.core.files import atomic_write, sha256_of

FORMAT = "fewaspect-checkpoint-1"


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, Any]) -> None:
    """Write arrays and JSON-able metadata to one file."""
    from safetensors.numpy import save

    header = {"format": FORMAT, "about": json.dumps(metadata, allow_nan=False)}
    content = save({name: np.asarray(value, order="C") for name, value in arrays.items()}, header)
    with atomic_write(path, "wb") as file:
        file.write(content)


def load_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays and metadata that `save_arrays` wrote; another file is refused."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise CheckpointError(f"{path}: expected a checkpoint, found no such file.")
    try:
        with safe_open(path, framework="np") as file:
            header = file.metadata() or {}
            if header.get("format") != FORMAT:
                raise CheckpointError(
                    f'{path}: expected a file of format "{FORMAT}", found "{header.get("format", "no format")}".'
                )
            return {name: file.get_tensor(name) for name in file.keys()}, json.loads(header["about"])  # noqa: SIM118
    except (SafetensorError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise CheckpointError(f"{path}: expected a safetensors checkpoint, found a damaged file: {error}") from error


def check_digest(path: Path, digest: str) -> None:
    """Refuse a file that is missing or whose SHA-256 is another."""
    if not path.is_file():
        raise CheckpointError(f"{path}: expected a file of the saved model, found none. Copy the whole folder.")
    if (found := sha256_of(path)) != digest:
        raise CheckpointError(f"{path}: expected sha256 {digest}, found {found}: the file is damaged or was replaced.")
