"""A detector of three aspects, packed once, and a folder with a small input for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bulk_jobs import Jobs, write_reviews
from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.bulk.packing import PackedDetector, pack


@pytest.fixture(scope="session")
def detector() -> AspectDetector:
    return AspectDetector().fit(EXAMPLES)


@pytest.fixture(scope="session")
def packed(detector: AspectDetector) -> PackedDetector:
    return pack(detector)


@pytest.fixture(scope="session")
def model(detector: AspectDetector, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return detector.save(tmp_path_factory.mktemp("model") / "detector")


@pytest.fixture
def jobs(tmp_path: Path, packed: PackedDetector) -> Jobs:
    """On a folder of two Parquet files with 23 rows each, in groups of 6."""
    (tmp_path / "in").mkdir()
    for number in range(2):
        write_reviews(tmp_path / "in" / f"{number}.parquet", range(23 * number, 23 * (number + 1)))
    return Jobs(str(tmp_path / "in"), tmp_path / "out", packed)
