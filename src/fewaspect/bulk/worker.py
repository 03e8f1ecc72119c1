"""One partition from its records to a finished file. A file under its final name is finished."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.bulk.partition_reader import read_partition
from fewaspect.bulk.storage import arrow, list_names, native_file, write_file
from fewaspect.core.errors import WRONG_VALUE, ResultError
from fewaspect.detector.arrow_tables import (
    ACCEPTED,
    ASPECTS,
    FLAGS,
    LANGUAGE,
    SENTIMENT_OF,
    TO_REVIEW,
    TextPredictions,
    added_names,
    columns_of,
    distinct_texts,
    with_columns,
)
from fewaspect.reviews.pipeline import trim_memory

if TYPE_CHECKING:
    import pyarrow as pa

    from fewaspect.bulk.plan import Partition, Plan
    from fewaspect.detector.detector import AspectDetector
    from fewaspect.detector.sentiment.aspect_sentiment import AspectSentiment

BAD = "_bad"
_KEY = b"fewaspect"
CAPACITY = 20_000  # texts in the cache
_LONGEST = 300  # characters; long texts hardly ever repeat
Prediction = tuple[np.ndarray, int, bool, Mapping[str, "AspectSentiment"] | None]
"""Probabilities (N,), number of sentences, whether one was cut, and polarities by aspect."""


@dataclass
class Counts:
    """What was found in a partition, or in several."""

    rows: int = 0
    bad: int = 0
    without: int = 0  # any aspect
    sentences: int = 0
    cut: int = 0
    read: int = 0  # texts that were not in the cache
    seconds: float = 0.0  # of work, added up over all actors
    aspects: dict[str, int] = field(default_factory=dict)
    languages: dict[str, int] = field(default_factory=dict)  # rows by language; "": it is not known
    first_fault: str = ""

    def add(self, other: Counts) -> None:
        for name in ("rows", "bad", "without", "sentences", "cut", "read", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.aspects |= {name: self.aspects.get(name, 0) + found for name, found in other.aspects.items()}
        self.languages |= {code: self.languages.get(code, 0) + found for code, found in other.languages.items()}
        self.first_fault = self.first_fault or other.first_fault


class Worker:
    """A detector that processes partitions, with a cache of recent predictions."""

    def __init__(self, detector: AspectDetector, plan: Plan, output: str) -> None:
        self.plan, self.output = plan, output
        self.classes = [str(name) for name in detector.classes_]
        self.promise = detector.promise_
        self.thresholds = np.array(list(detector.thresholds_.values()))  # (N,)
        self.sentiment = plan.settings.sentiment
        predict = partial(detector.predict_texts, sentiment=True) if self.sentiment else detector.predict_texts
        self.cache = ResultCache(predict)

    def process(self, partition: Partition) -> Counts:
        """Read, score and write. Bad rows go first: once the partition has its name, all of it is there.

        Done twice, it gives the same files again: nothing is lost or doubled, whoever dies at whatever moment.
        """
        started, misses = time.perf_counter(), self.cache.misses
        counts, bad = Counts(aspects=dict.fromkeys(self.classes, 0)), []
        buffer = arrow().BufferOutputStream()
        schema = output_schema(self.plan, self.classes, self.promise is not None)
        parquet = arrow("pyarrow.parquet")
        with parquet.ParquetWriter(buffer, schema, compression="zstd") as writer:
            for chunk in read_partition(self.plan, partition):
                table = self.score(chunk.table, counts)
                if len(table):
                    writer.write_table(table)
                bad += chunk.bad
                trim_memory()
            counts.bad, counts.first_fault = len(bad), f"{bad[0]['place']}: {bad[0]['reason']}" if bad else ""
            counts.read, counts.seconds = self.cache.misses - misses, time.perf_counter() - started
            writer.add_key_value_metadata({_KEY: json.dumps(asdict(counts))})
        if bad:
            lines = "".join(json.dumps(row) + "\n" for row in bad)
            write_file(f"{self.output}/{BAD}/{partition.name}.jsonl", lines.encode())
        write_file(f"{self.output}/{partition.name}.parquet", buffer.getvalue())
        return counts

    def score(self, table: pa.Table, counts: Counts) -> pa.Table:
        """The table with the columns that are added; what was found is added to the counts."""
        compute = arrow("pyarrow.compute")
        texts, rows = distinct_texts(table[self.plan.text], self.plan.text)
        columns = columns_of(
            self.classes, self.thresholds, texts, self.cache(texts), self.plan.settings.prefix, self.promise
        )
        columns = {name: column.take(rows) for name, column in columns.items()}
        aspects, *_, languages, sentences, cut = columns.values()
        counts.rows += len(table)
        counts.without += int(compute.sum(compute.equal(compute.list_value_length(aspects), 0)).as_py() or 0)
        counts.sentences += int(compute.sum(sentences).as_py() or 0)
        counts.cut += int(compute.sum(cut).as_py() or 0)
        for found in compute.value_counts(aspects.flatten()).to_pylist():
            counts.aspects[found["values"]] += found["counts"]
        for found in compute.value_counts(languages).to_pylist():
            code = found["values"]
            counts.languages[code] = counts.languages.get(code, 0) + found["counts"]
        return with_columns(table, columns)


class ResultCache:
    """Predicts the texts that it does not hold, so that a text of many partitions is scored once.

    The one used longest ago is dropped first.
    """

    def __init__(self, predict: Callable[[Sequence[str]], TextPredictions], capacity: int = CAPACITY) -> None:
        self.predict, self.capacity = predict, capacity
        self.misses = 0  # texts that were predicted
        self._held: dict[str, Prediction] = {}

    def __call__(self, texts: Sequence[str]) -> TextPredictions:
        """What was found in each of these distinct texts."""
        known = {text: self._held.pop(text) for text in texts if text in self._held}
        new = [text for text in texts if text not in known]
        predicted = self.predict(new)
        self.misses += len(new)
        known |= zip(new, _rows(predicted), strict=True)
        self._keep({text: known[text] for text in texts if len(text) <= _LONGEST})
        told = predicted.sentiments is not None
        return _joined([known[text] for text in texts], predicted.probabilities.shape[1], told)

    def _keep(self, used: dict[str, Prediction]) -> None:
        self._held |= used
        for text in list(self._held)[: max(0, len(self._held) - self.capacity)]:
            del self._held[text]


def output_schema(plan: Plan, classes: list[str], promised: bool = False) -> pa.Schema:
    """The columns of the input and those that are added."""
    pa, prefix = arrow(), plan.settings.prefix
    types: dict[str, Any] = dict.fromkeys((ASPECTS, ACCEPTED, TO_REVIEW), pa.list_(pa.string()))
    types |= zip((LANGUAGE, *FLAGS), (pa.string(), pa.int32(), pa.bool_()), strict=True)
    polar = plan.settings.sentiment
    types |= dict.fromkeys((SENTIMENT_OF + name for name in classes) if polar else (), pa.string())
    names = added_names(classes, prefix, promised, polar)
    added = [(name, types.get(name.removeprefix(prefix), pa.float32())) for name in names]
    return pa.schema([*plan.schema, *added])


def unfinished(plan: Plan, output: str) -> list[Partition]:
    """Those without a file of their name."""
    names = list_names(output)
    return [partition for partition in plan.partitions if f"{partition.name}.parquet" not in names]


def read_counts(partition: Partition, output: str) -> Counts:
    """Those of a finished partition, from the metadata of its file."""
    parquet, path = arrow("pyarrow.parquet"), f"{output}/{partition.name}.parquet"
    try:
        with native_file(path) as source:
            counts = Counts(**json.loads(parquet.read_metadata(source).metadata[_KEY]))
        Counts().add(counts)  # all are numbers
        return counts
    except (arrow().ArrowException, OSError, *WRONG_VALUE) as error:
        raise ResultError(
            f"{path}: expected a finished partition, found a damaged file ({error!r}).\n"
            "Delete it and start the job again: it is made anew."
        ) from None


def _rows(found: TextPredictions) -> list[Prediction]:
    told = [None] * len(found.probabilities) if found.sentiments is None else found.sentiments
    return list(zip(found.probabilities, found.sentences.tolist(), found.cut.tolist(), told, strict=True))


def _joined(rows: list[Prediction], classes: int, sentiment: bool) -> TextPredictions:
    return TextPredictions(
        np.array([row[0] for row in rows]).reshape(len(rows), classes),
        np.array([row[1] for row in rows], dtype=np.int64),
        np.array([row[2] for row in rows], dtype=bool),
        [row[3] or {} for row in rows] if sentiment else None,
    )
