"""A detector as bytes: what is sent to every machine, and what a job is recognised by."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
    with _unpacked(packed) as detector:
        return detector


def adapt(packed: PackedDetector, texts: Sequence[str]) -> PackedDetector:
    """After it has learned from unlabelled texts."""
    with _unpacked(packed) as detector:
        return pack(detector.adapt(texts))


@contextmanager
def _unpacked(packed: PackedDetector) -> Iterator[AspectDetector]:
    """A model of its own has files that can be saved again for the length of the block."""
    from fewaspect.detector.detector import AspectDetector

    with tempfile.TemporaryDirectory() as folder:
        for name, content in packed.items():
            (path := Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        yield AspectDetector.load(folder)


def pile_size(packed: PackedDetector) -> int:
    """How many unlabelled sentences it has learned from."""
    return int(json.loads(packed[SAVED]).get("unlabelled", {}).get("sentences", 0))


def digest_of(packed: PackedDetector) -> str:
    """Changes with aspects, examples, thresholds, weights and what it learned from, not with the order in a file."""
    about = json.loads(packed[SAVED])
    about.pop("files")  # the representations of the examples follow from examples and weights
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
