"""Results as new columns of a table: what bulk jobs, Ray, Spark, DuckDB, Polars and pandas call batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.core.errors import DataError
from fewaspect.core.extras import require
from fewaspect.data.formats.records import Place, quoted
from fewaspect.detector.explain import best_first, decide
from fewaspect.text.language import language_of

if TYPE_CHECKING:
    import pyarrow as pa

    from fewaspect.detector.labelling.target_precision import Promise
    from fewaspect.detector.sentiment.aspect_sentiment import AspectSentiment

ASPECTS, PROBABILITY = "aspects", "p_"
"""The column of the aspects found, and what stands before an aspect's name in the column of its probability."""
ACCEPTED, TO_REVIEW = "accepted", "to_review"  # not "review", which is what a column of reviews is called
"""The columns into which aspects fall where a promise was made: those that keep it, and those that need a look."""
SENTIMENT_OF = "sentiment_"
"""What stands before an aspect's name in the column of its polarity, where sentiment was asked for."""
LANGUAGE = "text_language"
"""The column of the language of each text, as a code of two letters; empty where it is not known."""
FLAGS = ("sentences", "cut")
"""How many sentences were read, and whether one was longer than the encoder reads at once and was read in pieces."""


@dataclass(frozen=True)
class TextPredictions:
    """What was found in some texts."""

    probabilities: np.ndarray  # (texts, N)
    sentences: np.ndarray  # (texts,)
    cut: np.ndarray  # (texts,)
    sentiments: Sequence[Mapping[str, AspectSentiment]] | None = None  # of each text, by answered aspect


def added_names(classes: Sequence[str], prefix: str = "", promised: bool = False, sentiment: bool = False) -> list[str]:
    """The columns that `columns_of` makes, in their order."""
    looked_at = (ACCEPTED, TO_REVIEW) if promised else ()
    told = [SENTIMENT_OF + name for name in classes] if sentiment else []
    names = (ASPECTS, *looked_at, *(PROBABILITY + name for name in classes), *told, LANGUAGE, *FLAGS)
    return [prefix + name for name in names]


def columns_of(
    classes: Sequence[str], thresholds: np.ndarray, texts: Sequence[str], found: TextPredictions, prefix: str = "",
    promise: Promise | None = None,
) -> dict[str, pa.Array]:  # fmt: skip
    """Of texts and what was found in them: aspects, best first, a probability for each aspect, language, and the flags,
    as Arrow arrays; `thresholds` (N,).

    With a promise, the accepted aspects and those to review stand behind the aspects.
    """
    pa = _arrow()
    decided = decide(found.probabilities, thresholds)
    lists = [decided]
    if promise is not None:
        accepted = decided & promise.reached(classes, found.probabilities)
        lists += [accepted, decided & ~accepted]
    named = [
        [[classes[n] for n in best_first(p, own)] for p, own in zip(found.probabilities, some, strict=True)]
        for some in lists
    ]
    arrays = [
        *(pa.array(names, pa.list_(pa.string())) for names in named),
        *(pa.array(column.astype(np.float32)) for column in found.probabilities.T),
        *(pa.array(column, pa.string()) for column in polarity_columns(classes, found.sentiments)),
        pa.array(list(map(language_of, texts)), pa.string()),
        pa.array(found.sentences.astype(np.int32)),
        pa.array(found.cut.astype(bool)),
    ]
    names = added_names(classes, prefix, promise is not None, found.sentiments is not None)
    return dict(zip(names, arrays, strict=True))


def polarity_columns(
    classes: Sequence[str], sentiments: Sequence[Mapping[str, AspectSentiment]] | None
) -> list[list[str | None]]:
    """For each aspect its polarity in each text, None where it is not answered; no columns without sentiments."""
    if sentiments is None:
        return []
    return [[own[name].polarity if name in own else None for own in sentiments] for name in classes]


def distinct_texts(column: Any, name: str) -> tuple[list[str], pa.Array]:
    """The different texts of a column, and which of them stands in each row; no text counts as empty text."""
    pa, pc = _arrow(), require("pyarrow.compute", "tables", "predict_batch")
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    try:
        if not isinstance(column, pa.Array):
            column = pa.array(column, from_pandas=True)
        if pa.types.is_null(column.type):
            column = column.cast(pa.large_string())
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if kind not in (pa.string(), pa.large_string(), pa.string_view()):
            raise DataError(f"table: expected strings in the column {quoted(name)}, found {kind}.")
        encoded = pc.fill_null(column.cast(pa.large_string()), "").dictionary_encode()
    except pa.ArrowException as error:
        raise DataError(f"table: expected strings in the column {quoted(name)}, found others ({error}).") from None
    return encoded.dictionary.to_pylist(), encoded.indices


def with_columns(table: Any, added: Mapping[str, pa.Array]) -> Any:
    """The table, of its own kind, with more columns; what it holds is never overwritten."""
    pa = _arrow()
    Place("table").refuse_clash(names_of(table), added)
    if isinstance(table, pa.Table):
        for name, column in added.items():
            table = table.append_column(name, column)
        return table
    if isinstance(table, pa.RecordBatch):
        names = [*table.schema.names, *added]
        return pa.RecordBatch.from_arrays([*table.columns, *added.values()], names=names)
    if _library(table) == "polars":
        import polars

        return table.with_columns(**{name: polars.from_arrow(column) for name, column in added.items()})
    values = {
        name: column.to_pylist() if pa.types.is_list(column.type) else column.to_numpy(zero_copy_only=False)
        for name, column in added.items()
    }
    return table.assign(**values)


def names_of(table: Any) -> list[str]:
    """Of the columns of any table that is known here."""
    pa = _arrow()
    if isinstance(table, pa.Table | pa.RecordBatch):
        return list(table.schema.names)
    if _library(table) in ("pandas", "polars") and hasattr(table, "shape"):  # a lazy frame has none
        return [str(name) for name in table.columns]
    raise DataError(
        f"table: expected a pyarrow Table or RecordBatch, or a pandas or Polars DataFrame, found "
        f"{type(table).__module__}.{type(table).__qualname__}. In Ray Data, say batch_format='pyarrow'."
    )


def column_of(table: Any, name: str) -> Any:
    """A column by name, as something that Arrow reads."""
    if (names := names_of(table)).count(name) != 1:
        raise DataError(f"table: expected one column {quoted(name)}, found {', '.join(map(quoted, names))}.")
    column = table.column(name) if hasattr(table, "column") else table[name]
    return column.to_arrow() if _library(table) == "polars" else column


def _arrow() -> ModuleType:
    return require("pyarrow", "tables", "predict_batch")


def _library(table: Any) -> str:
    return type(table).__module__.partition(".")[0]
