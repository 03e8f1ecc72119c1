"""What may be said of aspects, in which forms, and what is said of odd ones."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

from fewaspect.core.errors import DataError
from fewaspect.data.labels import to_indicator_matrix
from fewaspect.detector.support import Examples, ExampleWarning, read_examples

TEXTS = ["cold soup", "garage full", "soup in the garage", "hello"]


def test_a_dict_lists_of_names_and_a_matrix_say_the_same() -> None:
    lists, matrix = [["food"], ["parking"], ["parking", "food"], []], [[1, 0], [0, 1], [1, 1], [0, 0]]
    by_dict, _ = read_examples({"food": [TEXTS[0], TEXTS[2]], "parking": TEXTS[1:3]}, none=[TEXTS[3]])
    by_lists, is_matrix = read_examples(TEXTS, lists)
    assert not is_matrix
    assert dict(by_dict.sentences) == dict(by_lists.sentences)
    as_arrays = [np.array(matrix, dtype=kind) for kind in (int, bool, object)]
    for form in (matrix, *as_arrays, csr_matrix(matrix), pa.array(matrix)):
        found, is_matrix = read_examples(TEXTS, form, names=["food", "parking"])
        assert is_matrix
        assert found == by_lists
    assert by_lists.membership.tolist() == [[True, False], [False, True], [True, True], [False, False]]


def test_columns_without_names_are_numbered_and_say_nothing() -> None:
    examples, _ = read_examples(["a", "b"], [[1, 0], [0, 1]])
    assert examples.names == ("0", "1")
    assert [examples.label_text(name) for name in examples.names] == ["", ""]
    assert (
        examples.with_aspect("room_size", [], "wide or narrow").label_text("room_size") == "room size: wide or narrow"
    )


def test_duplicates_count_once_and_are_reported() -> None:
    with pytest.warns(ExampleWarning, match=r'1 example given more than once, counted once: "Cold soup"'):
        examples, _ = read_examples({"food": ["Cold soup", "cold  SOUP ", "pizza"]})
    assert examples.texts == ("Cold soup", "pizza")
    assert examples.remarks == ('1 example given more than once, counted once: "Cold soup".',)


def test_a_sentence_under_two_aspects_of_a_dict_stands_for_both_without_a_remark() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        examples, _ = read_examples({"food": ["soup in the garage"], "parking": ["soup in the garage"]})
    assert examples.membership.tolist() == [[True, True]]


@pytest.mark.parametrize("labels", [[["food"], ["parking"]], [["food"], []], [["food"], ["food", "parking"]]])
def test_a_sentence_with_two_different_lists_is_a_contradiction_and_stands_for_all_of_them(labels: list) -> None:
    with pytest.warns(ExampleWarning, match="1 example given with different aspects, taken to stand for all of them"):
        examples, _ = read_examples(["same", "Same"], labels, names=["food", "parking"])
    assert examples.sentences["same"] == {name for row in labels for name in row}


LOOKS_THE_SAME = ["the cafe\u0301", "\ufeffthe café", "the\u200b ca\u00adfé", "the café\x00"]


@pytest.mark.parametrize("other", LOOKS_THE_SAME)
def test_examples_that_look_the_same_are_the_same(other: str) -> None:
    with pytest.warns(ExampleWarning, match="1 example given more than once, counted once"):
        assert read_examples({"food": ["the café", other, "the cafe"]})[0].texts == ("the café", "the cafe")
    with pytest.warns(ExampleWarning, match="1 example given with different aspects"):
        examples, _ = read_examples(["the café", other], [["food"], ["parking"]])
    assert examples.sentences == {"the café": {"food", "parking"}}


def test_a_sentence_that_is_an_aspects_and_none_is_a_contradiction() -> None:
    with pytest.warns(ExampleWarning, match="different aspects"):
        examples, _ = read_examples({"food": ["soup"]}, none=["soup"])
    assert examples.sentences["soup"] == {"food"}


def test_empty_examples_are_left_out_and_reported() -> None:
    with pytest.warns(ExampleWarning, match="2 examples empty, left out"):
        examples, _ = read_examples({"food": ["soup", "", " \n"]})
    assert examples.texts == ("soup",)


def test_descriptions_are_a_dict() -> None:
    with pytest.raises(DataError, match="descriptions: expected a dict of texts by aspect, found list"):
        read_examples({"food": []}, descriptions=["dishes"])  # type: ignore[arg-type]


def test_an_aspect_without_examples_stays() -> None:
    examples, _ = read_examples({"food": [], "noise": ["thin walls"]}, descriptions={"food": "dishes"})
    assert examples.names == ("food", "noise")
    assert examples.shots("food") == 0
    assert examples.descriptions == {"food": "dishes"}


def test_a_removed_aspect_takes_its_own_sentences_along_and_leaves_the_shared_ones() -> None:
    examples, _ = read_examples({"food": ["soup", "both"], "parking": ["both", "garage"]}, none=["hello"])
    left = examples.without_aspect("food")
    assert left.sentences == {"both": {"parking"}, "garage": {"parking"}, "hello": frozenset()}


def test_half_a_surrogate_pair_becomes_the_replacement_character() -> None:
    examples, _ = read_examples({"food": ["soup \ud83c"]})
    assert examples.texts == ("soup \ufffd",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"food": "soup"},), r'examples of "food": expected a list of texts, found one string, "soup"'),
        (({"food": [None]},), r'examples of "food"\[0\]: expected a text, found NoneType None'),
        (({" ": ["soup"]},), r"aspects: expected the name of an aspect, found ' '"),
        (({},), "expected at least one aspect, found none"),
        (("soup", [["food"]]), r"texts: expected a list of texts, found one string"),
        ((["a"],), "labels: expected the aspects of each text, found none"),
        ((["a"], ["food, service"]), r'labels\[0\]: expected a list of aspect names, found the string "food, service"'),
        ((["a"], [3]), r"labels\[0\]: expected a list of aspect names, found int"),
        ((["a"], [[None]]), r"labels\[0\]: expected the name of an aspect, found None"),
        ((["a", "b"], [["food"]]), "one row for each of the 2 texts, found 1"),
        ((["a", "b"], [[1, 0]]), "one row for each of the 2 texts, found 1"),
        ((["a"], [[1, 2]]), r"labels\[0, 1\]: expected 0 or 1, found 2"),
        ((["a", "b"], [[1], [1, 0]]), "all of the same length"),
        (({"food": ["a"]}, [["food"]]), "expected none beside a dict"),
        ((["a"], [[]]), "at least one aspect"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_its_place(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_examples(*arguments)


def test_a_misspelt_aspect_is_refused_with_a_guess() -> None:
    examples, _ = read_examples({"food": ["soup"], "parking": ["garage"]})
    with pytest.raises(DataError, match=r'unknown aspect "fod"\. Did you mean "food"'):
        examples.with_labelled(["pizza"], [["fod"]])
    with pytest.raises(DataError, match="is there already"):
        examples.with_aspect("food", ["pizza"], None)
    with pytest.raises(DataError, match="unknown aspect"):
        examples.without_aspect("noise")
    with pytest.raises(DataError, match="only aspect"):
        Examples(("food",), {}, {}).without_aspect("food")


def test_labels_may_come_from_generators() -> None:
    lists = [["food"], ["parking"], ["parking", "food"], []]
    assert read_examples(TEXTS, (iter(row) for row in lists))[0] == read_examples(TEXTS, lists)[0]


def test_columns_of_pyarrow_are_texts_and_labels() -> None:
    lists = [["food"], ["parking"], ["parking", "food"], []]
    expected, _ = read_examples(TEXTS, lists)
    assert read_examples(pa.array(TEXTS), pa.array(lists))[0] == expected
    assert read_examples(pa.chunked_array([TEXTS[:1], TEXTS[1:]]), pa.chunked_array([lists]))[0] == expected
    table = pa.table({"food": [1, 0, 1, 0], "parking": [0, 1, 1, 0]})
    assert read_examples(TEXTS, table)[0] == expected


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"text": ["soup"]}),
        pa.table({"text": ["soup"]}),
        np.array([["soup"]]),
        np.array("soup"),
    ],
)
def test_a_table_is_no_list_of_texts(table: Any) -> None:
    with pytest.raises(DataError, match=r"texts: expected a list of texts, found \w+ of shape \(.*one column of it"):
        read_examples(table, [["food"]])


def test_names_may_come_from_a_generator_but_not_as_one_string() -> None:
    assert read_examples(TEXTS[:2], [[1, 0], [0, 1]], names=(name for name in ("food", "parking")))[0].names == (
        "food",
        "parking",
    )
    with pytest.raises(DataError, match=r'names: expected a list of texts, found one string, "ab"'):
        read_examples(TEXTS[:2], [[1, 0], [0, 1]], names="ab")


def test_names_beside_a_dict_give_the_order_and_may_be_more() -> None:
    found, _ = read_examples({"food": ["soup"]}, names=["parking", "food"])
    assert found.names == ("parking", "food")
    with pytest.raises(DataError, match=r'unknown aspect "fod"\. Did you mean "food"'):
        read_examples({"fod": ["soup"]}, names=["parking", "food"])


class Frame:
    """What pandas and polars have in common."""

    def __init__(self, rows: list[list[int]], columns: list[Any]) -> None:
        self.rows, self.columns = rows, columns

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.rows, dtype=dtype)


def test_a_data_frame_says_by_name_which_column_is_which() -> None:
    frame = Frame([[1, 0, 0], [0, 1, 1]], ["parking", "food", "noise"])
    matrix, unknown = to_indicator_matrix(frame, ["food", "parking"], 2)
    assert matrix.tolist() == [[False, True], [True, False]]
    assert {name: column.tolist() for name, column in unknown.items()} == {"noise": [False, True]}
    with pytest.raises(DataError, match='expected one column "price", found the columns parking, food, noise'):
        to_indicator_matrix(frame, ["food", "price"], 2)
    assert read_examples(["a"], Frame([[1, 0]], [0, 1]))[0].unnamed == {"0", "1"}
    assert to_indicator_matrix(Frame([[1, 0]], [0, 1]), ["food", "parking"], 1)[0].tolist() == [[True, False]], (
        "by position"
    )
