"""One partition from its records to a finished file. The file's final name is what says that it is finished."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.bulk.partition_reader import read_part
from fewaspect.bulk.result_cache import Recent
from fewaspect.bulk.storage import filesystem, names_in, put
from fewaspect.detector.tables import added_names, columns_of, distinct_texts, with_columns
from fewaspect.reviews.memory import give_back

if TYPE_CHECKING:
    import pyarrow as pa

    from fewaspect.bulk.plan import Part, Plan
    from fewaspect.detector.detector import AspectDetector

BAD = "_bad"
_KEY = b"fewaspect"


@dataclass
class Counts:
    """What was found in a partition, or in several."""

    rows: int = 0
    bad: int = 0
    without: int = 0  # any aspect
    sentences: int = 0
    cut: int = 0
    read: int = 0  # texts that were not known from before
    seconds: float = 0.0  # of work, added up over all actors
    aspects: dict[str, int] = field(default_factory=dict)
    first_fault: str = ""

    def add(self, other: Counts) -> None:
        for name in ("rows", "bad", "without", "sentences", "cut", "read", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.aspects |= {name: self.aspects.get(name, 0) + found for name, found in other.aspects.items()}
        self.first_fault = self.first_fault or other.first_fault


class Worker:
    """A detector that finishes partitions, with a memory of what it read last."""

    def __init__(self, detector: AspectDetector, plan: Plan, output: str) -> None:
        self.plan, self.output = plan, output
        self.classes = [str(name) for name in detector.classes_]
        self.thresholds = np.array(list(detector.thresholds_.values()))
        self.recent = Recent(detector.predict_texts)

    def finish(self, part: Part) -> Counts:
        """Read, score and write. Bad rows go first: once the partition has its name, all of it is there.

        Done twice, it gives the same files again: nothing is lost or doubled, whoever dies at whatever moment.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        started, read = time.perf_counter(), self.recent.read
        counts, bad = Counts(aspects=dict.fromkeys(self.classes, 0)), []
        buffer = pa.BufferOutputStream()
        with pq.ParquetWriter(buffer, self._schema(), compression="zstd") as writer:
            for chunk in read_part(self.plan, part):
                table = self._scored(chunk.table, counts)
                if len(table):
                    writer.write_table(table)
                bad += chunk.bad
                give_back()
            counts.bad, counts.first_fault = len(bad), f"{bad[0]['place']}: {bad[0]['reason']}" if bad else ""
            counts.read, counts.seconds = self.recent.read - read, time.perf_counter() - started
            writer.add_key_value_metadata({_KEY: json.dumps(asdict(counts))})
        if bad:
            put(f"{self.output}/{BAD}/{part.name}.jsonl", "".join(json.dumps(row) + "\n" for row in bad).encode())
        put(f"{self.output}/{part.name}.parquet", buffer.getvalue())
        return counts

    def _scored(self, table: pa.Table, counts: Counts) -> pa.Table:
        import pyarrow.compute as pc

        texts, rows = distinct_texts(table[self.plan.text], self.plan.text)
        columns = columns_of(self.classes, self.thresholds, self.recent(texts), self.plan.settings.prefix)
        columns = {name: column.take(rows) for name, column in columns.items()}
        aspects, *_, sentences, cut = columns.values()
        counts.rows += len(table)
        counts.without += int(pc.sum(pc.equal(pc.list_value_length(aspects), 0)).as_py() or 0)
        counts.sentences += int(pc.sum(sentences).as_py() or 0)
        counts.cut += int(pc.sum(cut).as_py() or 0)
        for found in pc.value_counts(aspects.flatten()).to_pylist():
            counts.aspects[found["values"]] += found["counts"]
        return with_columns(table, columns)

    def _schema(self) -> pa.Schema:
        return output_schema(self.plan, self.classes)


def output_schema(plan: Plan, classes: list[str]) -> pa.Schema:
    """The columns of the input and those that are added."""
    import pyarrow as pa

    kinds: dict[str, Any] = {"aspects": pa.list_(pa.string()), "sentences": pa.int32(), "cut": pa.bool_()}
    prefix = plan.settings.prefix
    added = [(name, kinds.get(name.removeprefix(prefix), pa.float32())) for name in added_names(classes, prefix)]
    return pa.schema([*plan.schema, *added])


def unfinished(plan: Plan, output: str) -> list[Part]:
    """Those without a file of their name."""
    there = names_in(output)
    return [part for part in plan.parts if f"{part.name}.parquet" not in there]


def counts_of(part: Part, output: str) -> Counts:
    """What a finished partition says of itself, at its end."""
    import pyarrow.parquet as pq

    system, inside = filesystem(f"{output}/{part.name}.parquet")
    with system.open_input_file(inside) as source:
        return Counts(**json.loads(pq.read_metadata(source).metadata[_KEY]))
