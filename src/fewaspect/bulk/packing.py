"""A detector as bytes: what is sent to every machine, and what a job is recognised by."""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from fewaspect.detector.model import SAVED

if TYPE_CHECKING:
    from fewaspect.detector.detector import AspectDetector

PackedDetector = dict[str, bytes]
"""The files of a saved detector by name."""


def pack(detector: AspectDetector) -> PackedDetector:
    with tempfile.TemporaryDirectory() as folder:
        saved = detector.save(Path(folder) / "detector")
        return {str(path.relative_to(saved)): path.read_bytes() for path in sorted(saved.rglob("*")) if path.is_file()}


def unpack(packed: PackedDetector) -> AspectDetector:
    from fewaspect.detector.detector import AspectDetector

    with tempfile.TemporaryDirectory() as folder:
        for name, content in packed.items():
            (path := Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return AspectDetector.load(folder)


def digest_of(packed: PackedDetector) -> str:
    """Changes with the aspects, examples, thresholds and weights; not with the order in which a file holds them."""
    about = json.loads(packed[SAVED])
    about.pop("files")  # the representations of the examples follow from examples and weights
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
