"""Texts and labels as a user may pass them: lists of aspect names or a 0/1 indicator matrix, checked row by row."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from fewaspect.core.errors import DataError

_SEPARATORS = re.compile(r"[\s_#/]+")
_LONE_SURROGATES = re.compile(r"[\ud800-\udfff]")


def check_texts(texts: Any, where: str = "texts") -> list[str]:
    """A list of strings from any sequence of them; lone surrogates, which UTF-8 cannot encode, become U+FFFD."""
    if len(shape := getattr(texts, "shape", (0,))) != 1:
        found = f"{type(texts).__name__} of shape {shape}"
        raise DataError(f'{where}: expected a list of texts, found {found}. Give one column of it: table["text"].')
    if isinstance(texts, str | bytes | Mapping) or not isinstance(texts, Iterable):
        found = f"one string, {shortened(texts)}" if isinstance(texts, str) else type(texts).__name__
        raise DataError(f"{where}: expected a list of texts, found {found}. Put it in a list: [text].")
    checked = list(to_python(texts))
    for row, text in enumerate(checked):
        if not isinstance(text, str):
            raise DataError(f"{where}[{row}]: expected a text, found {type(text).__name__} {text!r}.")
    return [_LONE_SURROGATES.sub("\ufffd", str(text)) for text in checked]


def is_matrix(labels: Any) -> bool:
    """Whether labels are an indicator matrix (of numpy, scipy or a data frame) and not lists of names."""
    if hasattr(labels, "toarray") or hasattr(labels, "columns"):
        return True
    if isinstance(labels, np.ndarray) and labels.ndim == 2 and labels.dtype != object:
        return labels.dtype.kind in "biuf"
    rows = filter(_is_row, labels) if isinstance(labels, Iterable) else ()
    return any(isinstance(entry, int | float | np.number | np.bool_) for row in rows for entry in row)


def materialise(labels: Any) -> Any:
    """Labels that can be iterated more than once: generators become lists."""
    labels = list(labels) if isinstance(labels, Iterator) else to_python(labels)
    if isinstance(labels, list | tuple):
        return [list(row) if isinstance(row, Iterator) else row for row in labels]
    return labels


def to_python(column: Any) -> Any:
    """A pyarrow column as a list of Python values; anything else unchanged."""
    return column.to_pylist() if hasattr(column, "to_pylist") and not hasattr(column, "columns") else column


def has_column_names(labels: Any) -> bool:
    """Whether labels are a data frame whose columns have names, not just numbers."""
    return hasattr(labels, "columns") and _columns(labels) != list(range(len(labels.columns)))


def matrix_names(labels: Any, names: Sequence[str] | None) -> list[str]:
    """Aspect names of a matrix's columns: those given, those of a data frame, or "0", "1", ..."""
    count = check_matrix(labels).shape[1]
    if names is None:
        columns = _columns(labels) if hasattr(labels, "columns") else range(count)
        return [str(name) for name in columns]
    if len(names) != count:
        raise DataError(f"names: expected one for each of the {count} columns, found {len(names)}.")
    return list(names)


def check_matrix(labels: Any) -> np.ndarray:
    """(texts, aspects) booleans from a matrix of zeros and ones."""
    dense = labels.toarray() if hasattr(labels, "toarray") else labels
    try:
        matrix = np.asarray(dense, dtype=float)
    except (TypeError, ValueError) as error:
        raise DataError(f"labels: expected rows of 0 and 1, all of the same length, found: {error}.") from error
    if matrix.ndim != 2:
        raise DataError(
            f"labels: expected a matrix with a row per text and a column per aspect, found shape {matrix.shape}."
        )
    wrong = np.argwhere((matrix != 0) & (matrix != 1))
    if len(wrong):
        row, column = map(int, wrong[0])
        raise DataError(f"labels[{row}, {column}]: expected 0 or 1, found {matrix[row, column]:g}.")
    return matrix.astype(bool)


def check_lists(labels: Any) -> list[tuple[str, ...]]:
    """The aspect names of each text, without duplicates."""
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
        raise DataError(f"labels: expected a list of lists of aspect names, found {type(labels).__name__}.")
    checked = []
    for row, names in enumerate(labels):
        if isinstance(names, str):
            raise DataError(
                f'labels[{row}]: expected a list of aspect names, found the string "{names}". '
                f'Write ["{names}"], or one name for each aspect it stands for.'
            )
        if not _is_row(names):
            raise DataError(f"labels[{row}]: expected a list of aspect names, found {type(names).__name__}.")
        checked.append(tuple(dict.fromkeys(check_name(name, f"labels[{row}]") for name in names)))
    return checked


def check_name(name: Any, where: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise DataError(f"{where}: expected the name of an aspect, found {name!r}.")
    return _LONE_SURROGATES.sub("\ufffd", str(name))


def describe_aspect(name: str) -> str:
    """The label text that an encoder reads: "FOOD#PRICES" and "food_prices" become "food prices"."""
    return _SEPARATORS.sub(" ", name).strip().casefold()


def to_indicator_matrix(labels: Any, names: Sequence[str], texts: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """(texts, aspects) booleans in the order of `names`, and a (texts,) column for each label that is none of them."""
    labels = materialise(labels)
    if has_column_names(labels):
        return _from_data_frame(labels, names, texts)
    if is_matrix(labels):
        matrix = check_matrix(labels)
        if matrix.shape[1] != len(names):
            raise DataError(f"labels: expected {len(names)} columns, one per aspect, found {matrix.shape[1]}.")
        check_lengths(texts, len(matrix))
        return matrix, {}
    lists = check_lists(labels)
    check_lengths(texts, len(lists))
    rows: dict[str, list[int]] = {}  # of each label
    for number, row in enumerate(lists):
        for name in dict.fromkeys(row):
            rows.setdefault(name, []).append(number)
    matrix = np.zeros((len(lists), len(names)), dtype=bool)
    for position, name in enumerate(names):
        matrix[rows.get(name, []), position] = True
    unknown = {name: np.zeros(len(lists), dtype=bool) for name in sorted(rows.keys() - set(names))}
    for name, column in unknown.items():
        column[rows[name]] = True
    return matrix, unknown


def _from_data_frame(frame: Any, names: Sequence[str], texts: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Columns are found by name, in any order."""
    matrix = check_matrix(frame)
    check_lengths(texts, len(matrix))
    columns = [str(column) for column in _columns(frame)]
    if missing := [name for name in names if columns.count(name) != 1]:
        found = ", ".join(columns) or "none"
        raise DataError(f'labels: expected one column "{missing[0]}", found the columns {found}.')
    unknown = {column: matrix[:, n] for n, column in enumerate(columns) if column not in names and matrix[:, n].any()}
    return matrix[:, [columns.index(name) for name in names]], unknown


def _columns(frame: Any) -> list[Any]:
    """Column names: pyarrow calls them otherwise than pandas and Polars."""
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def check_lengths(texts: int, labels: int) -> None:
    if texts != labels:
        raise DataError(f"labels: expected one row for each of the {texts} texts, found {labels}.")


def unknown_aspect_error(name: str, names: Sequence[str]) -> DataError:
    guess = difflib.get_close_matches(name, names, n=1)
    hint = f'Did you mean "{guess[0]}"?' if guess else f"Known: {', '.join(names)}."
    return DataError(f'unknown aspect "{name}". {hint} A new one is added with add_aspect.')


def shortened(text: str, most: int = 60) -> str:
    """The beginning of a text on one line in quotes, for messages."""
    line = " ".join(text.split())
    return f'"{line}"' if len(line) <= most else f'"{line[: most - 1]}…"'


def _is_row(names: Any) -> bool:
    return isinstance(names, Iterable) and not isinstance(names, str | bytes | Mapping)
