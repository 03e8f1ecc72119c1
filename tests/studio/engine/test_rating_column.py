"""The column of ratings is found by its name, and where that alone does not say it, by its numbers too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fewaspect.studio.engine.insights.review_columns import ReviewColumns
from fewaspect.studio.engine.sentiment.sentiment_counts import rating_column

FIVE = [1, 5, 4, 3, 5, 2, 4, 5, 1, 4]


def found(**columns: list[Any]) -> str | None:
    rows = {n: dict(zip(columns, values, strict=True)) for n, values in enumerate(zip(*columns.values(), strict=True))}
    column = rating_column(ReviewColumns.of(np.arange(len(rows)), rows).columns)
    return None if column is None else column.name


@pytest.mark.parametrize(
    "name",
    ["Rating", "stars", "star_rating", "reviews.rating", "Rating (1-5)", "overallRating", "Sterne", "Note", "my score",
     "Average Score", "user_ratings", "OVERALL", "Bewertung 1 bis 5"],
)  # fmt: skip
def test_a_column_with_a_name_of_ratings_is_one(name: str) -> None:
    assert found(**{"year": [2020 + n for n in range(10)], name: FIVE}) == name


@pytest.mark.parametrize("name", ["operating", "notebook", "starting price", "visits", "helpful"])
def test_a_word_within_another_is_no_name_of_ratings(name: str) -> None:
    assert found(**{name: FIVE}) is None


def test_numbers_that_are_no_ratings_are_none_unless_the_name_alone_says_it() -> None:
    assert found(**{"number of ratings": [100 * n for n in FIVE]}) is None
    assert found(**{"confidence score": [n / 10 for n in FIVE]}) is None
    assert found(rating=[20 * n for n in FIVE]) == "rating"
    assert found(**{"Rating (1-10)": [2 * n for n in FIVE]}) == "Rating (1-10)"
    assert found(**{"Rating (1-5)": [*FIVE[:9], 0]}) == "Rating (1-5)"  # nearly all
    assert found(**{"Rating (1-5)": ["good"] * 5 + ["bad"] * 5}) is None


def test_the_name_that_says_most_wins() -> None:
    assert found(**{"score of service": FIVE, "Stars (1-5)": FIVE, "rating": FIVE}) == "rating"
    assert found(**{"score of service": FIVE, "Stars (1-5)": FIVE}) == "Stars (1-5)"
    assert found(**{"Rating food": FIVE, "Rating room": FIVE}) == "Rating food"
