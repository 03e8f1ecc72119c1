"""`predict_batch` adds the same columns to every kind of table, and reads no text twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from fewaspect import AspectDetector
from fewaspect.core.errors import DataError

TEXTS = ["Cold soup! The waiter was rude.", "see you on Monday", "", "Cold soup! The waiter was rude."]
ADDED = ["aspects", "p_food", "p_parking", "p_staff", "text_language", "sentences", "cut"]


@pytest.fixture
def detector(fitted: Callable[..., AspectDetector]) -> AspectDetector:
    return fitted()


def test_a_table_keeps_its_columns_and_gets_what_predict_answers(detector: AspectDetector) -> None:
    found = detector.predict_batch(pa.table({"id": [1, 2, 3, 4], "text": TEXTS}))
    assert found.column_names == ["id", "text", *ADDED]
    assert found["aspects"].to_pylist() == detector.predict(TEXTS)
    assert found["p_food"].to_pylist() == pytest.approx(detector.predict_proba(TEXTS)[:, 0])
    assert found["sentences"].to_pylist() == [2, 1, 0, 2]


def test_every_kind_of_table_is_answered_by_its_kind(detector: AspectDetector) -> None:
    table = pa.table({"text": TEXTS})
    expected = detector.predict_batch(table).to_pylist()
    batch = detector.predict_batch(table.to_batches()[0])
    assert isinstance(batch, pa.RecordBatch)
    assert batch.to_pylist() == expected
    frame = detector.predict_batch(pd.DataFrame({"text": TEXTS}, index=[9, 8, 7, 6]))
    assert list(frame.index) == [9, 8, 7, 6]
    assert frame.to_dict("records") == expected


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_strings_of_all_types_and_rows_without_text_are_read(detector: AspectDetector, kind: pa.DataType) -> None:
    found = detector.predict_batch(pa.table({"body": pa.array(["cold soup", None], kind)}), text="body")
    assert found["aspects"].to_pylist() == [["food"], []]
    assert found["body"].type == kind
    assert found["sentences"].to_pylist() == [1, 0]


def test_a_table_without_rows_gets_the_columns_too(detector: AspectDetector) -> None:
    full, empty = (detector.predict_batch(pa.table({"text": pa.array(t, pa.string())})) for t in (TEXTS, []))
    assert empty.schema == full.schema


def test_a_lazy_frame_is_refused_rather_than_failing_within(detector: AspectDetector) -> None:
    polars = pytest.importorskip("polars")
    with pytest.raises(DataError, match=r"found polars\..*LazyFrame"):
        detector.predict_batch(polars.LazyFrame({"text": ["a"]}))


def test_equal_texts_are_read_once(detector: AspectDetector, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    model = type(detector.model_)
    own = model.predict_sentences

    def counted(self: object, aspects: object, texts: list[str], *rest: object, **named: object) -> object:
        asked.append(list(texts))
        return own(self, aspects, texts, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(model, "predict_sentences", counted)
    detector.predict_batch(pa.table({"text": TEXTS}))
    assert asked == [TEXTS[:3]]


def test_a_sentence_that_is_read_in_pieces_is_flagged(detector: AspectDetector) -> None:
    found = detector.predict_batch(pa.table({"text": ["cold soup " * 400, "Cold soup. " * 400]}))
    assert found["cut"].to_pylist() == [True, False]


@pytest.mark.parametrize(
    ("table", "text", "message"),
    [
        (pa.table({"text": ["a"]}), "body", 'expected one column "body", found "text"'),
        (
            pd.DataFrame([["a", "b"]], columns=["text", "text"]),
            "text",
            'expected one column "text", found "text", "text"',
        ),
        (pa.table({"text": [1]}), "text", 'expected strings in the column "text", found int64'),
        (pd.DataFrame({"text": ["a", 1]}), "text", 'expected strings in the column "text", found others'),
        (pa.table({"text": ["a"], "p_food": [1.0]}), "text", 'the column "p_food" is one that the output adds'),
        ({"text": ["a"]}, "text", "found builtins.dict"),
    ],
)
def test_what_cannot_be_answered_is_refused(detector: AspectDetector, table: Any, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        detector.predict_batch(table, text)


def test_a_prefix_makes_room_for_columns_of_the_same_name(detector: AspectDetector) -> None:
    found = detector.predict_batch(pa.table({"text": ["cold soup"], "aspects": ["mine"]}), prefix="found_")
    assert found.column_names[2:] == [f"found_{name}" for name in ADDED]
