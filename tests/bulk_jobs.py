"""Bulk jobs on small files, done in the test's own process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from detector_texts import EXAMPLES
from fewaspect.bulk.job import Job, Process, prepare_job, process_locally, run_job
from fewaspect.bulk.packing import PackedDetector
from fewaspect.bulk.plan import BulkSettings, format_of
from fewaspect.bulk.storage import find_files
from fewaspect.bulk.worker import Counts

TEXTS = [
    "cold soup", "the waiter was rude", "see you on Monday", "", "Nobody could park. The pizza was delicious.",
    "the garage was full", "a rude waiter and cold soup",
]  # fmt: skip


@dataclass
class Jobs:
    """`jobs.prepare(rows=5)` and `jobs.run(...)`, from `source` to `output`."""

    source: str
    output: Path
    packed: PackedDetector

    def prepare(self, **settings: Any) -> Job:
        format = format_of(find_files(self.source), settings.pop("format", None))
        return prepare_job(self.source, str(self.output), BulkSettings(format, **settings), self.packed, EXAMPLES)

    def run(self, process: Process = process_locally, max_bad: float = 0.01, **settings: Any) -> Counts:
        return run_job(self.prepare(**settings), process, max_bad)

    def table(self) -> pa.Table:
        """All that was written, as any reader of folders sees it."""
        return ds.dataset(str(self.output)).to_table()

    def rows(self) -> list[dict[str, Any]]:
        return self.table().to_pylist()

    def bad(self) -> list[dict[str, str]]:
        files = sorted((self.output / "_bad").glob("*.jsonl"))
        return [json.loads(line) for path in files for line in path.read_text().splitlines()]


def assert_equal(found: pa.Table, expected: pa.Table) -> None:
    """Rows, aspects and flags are the same; probabilities may differ by what companions in a batch make of rounding."""
    assert found.schema.equals(expected.schema)
    probabilities = [name for name in found.column_names if name.startswith("p_")]
    assert found.drop_columns(probabilities).equals(expected.drop_columns(probabilities))
    for name in probabilities:
        np.testing.assert_allclose(found[name].to_numpy(), expected[name].to_numpy(), atol=1e-6)


def write_reviews(path: Path, ids: range, text: Callable[[int], str] = lambda n: TEXTS[n % len(TEXTS)]) -> None:
    table = pa.table({"id": list(ids), "text": [text(n) for n in ids]})
    pq.write_table(table, path, row_group_size=6)
