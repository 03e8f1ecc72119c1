"""A detector that learns from the rows of its job: once, before the first row is scored, and kept with the results."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

from fewaspect.bulk.packing import PackedDetector, adapt
from fewaspect.bulk.partition_reader import read_partition
from fewaspect.bulk.plan import Partition, Plan
from fewaspect.bulk.storage import read_file, write_file
from fewaspect.core.errors import ResultError
from fewaspect.reviews.sampling import ReviewSample

DETECTOR = "_detector.zip"
ROWS = 200_000  # that are looked at: all of a small input
_PLACES = 20  # partitions of a large one, evenly spread


def adapted_detector(plan: Plan, output: str, detector: PackedDetector) -> PackedDetector:
    """The one that the job began with, if it was begun; every actor and every later run works with the same."""
    if not plan.settings.adapt:
        return detector
    if (content := read_file(path := f"{output}/{DETECTOR}")) is not None:
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                return {name: archive.read(name) for name in archive.namelist()}
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise ResultError(f"{path}: expected the detector of a job, found a damaged file: {error}.") from None
    adapted = adapt(detector, sample_rows(plan))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, packed in adapted.items():
            archive.writestr(name, packed)
    write_file(path, buffer.getvalue())
    return adapted


def sample_rows(plan: Plan) -> list[str]:
    """Texts of the input, the same ones for the same plan; bad rows are left out."""
    sample = ReviewSample()
    partitions = _spread(plan.partitions)
    for partition in partitions:
        some = replace(partition, rows=min(partition.rows, -(-ROWS // len(partitions))))
        for chunk in read_partition(plan, some):
            for text in chunk.table[plan.text].to_pylist():
                sample.add(text)
    return sample.texts()


def _spread(partitions: list[Partition], most: int = _PLACES) -> list[Partition]:
    if len(partitions) <= most:
        return partitions
    return [partitions[n * (len(partitions) - 1) // (most - 1)] for n in range(most)]
