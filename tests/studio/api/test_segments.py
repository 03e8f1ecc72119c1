"""The columns of reviews over the API: as filters, as segments, over time, two compared; counted again in loops."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio_imports import import_text

ROWS = [
    # country, rating, price, day, text
    ("Spain", "5", "10.5", "2024-01-03", "Cold soup again. The pizza was fine."),
    ("Spain", "4", "20", "2024-01-09", "See you on Monday."),
    ("France", "1", "30", "2024-02-03", "Nobody could park. Cold soup."),
    ("", "1", "40", "2024-02-04", "No valet today."),
    ("France", "5", "50", "2024-03-05", "Good pizza."),
]


@pytest.fixture
def segmented(client: TestClient, project: str) -> str:
    """A project with the rows alone."""
    client.delete(f"{project}/reviews")
    lines = ["country,rating,price,day,text", *(",".join((*row[:4], f'"{row[4]}"')) for row in ROWS)]
    import_text(client, project, "\n".join(lines) + "\n", "r.csv", date_column="day")
    client.get(f"{project}/sentences")
    return project


def column(client: TestClient, project: str, name: str) -> dict[str, Any]:
    return next(c for c in client.get(f"{project}/columns").json()["columns"] if c["name"] == name)


def texts(client: TestClient, project: str, **query: Any) -> list[str]:
    return [s["text"] for s in client.get(f"{project}/sentences", params=query).json()["sentences"]]


def test_the_columns_of_a_file_are_offered_by_their_kind(client: TestClient, segmented: str) -> None:
    found = {c["name"]: c["kind"] for c in client.get(f"{segmented}/columns").json()["columns"]}
    assert found == {"country": "label", "rating": "number", "price": "number", "day": "date"}
    country = column(client, segmented, "country")["segments"]
    assert [(s["label"], s["reviews"]) for s in country] == [("Spain", 2), ("France", 2), ("not given", 1)]
    rating = column(client, segmented, "rating")
    assert [(s["label"], s["reviews"]) for s in rating["segments"]] == [("1", 2), ("4", 1), ("5", 2)]
    day = column(client, segmented, "day")
    assert (day["least"], day["greatest"]) == ("2024-01-03", "2024-03-05")
    assert [(s["label"], s["reviews"]) for s in day["segments"]] == [("2024-01", 2), ("2024-02", 2), ("2024-03", 1)]


def test_numbers_with_decimal_commas_are_numbers(client: TestClient, project: str) -> None:
    client.delete(f"{project}/reviews")
    ratings, visitors = ("4,5", "10", "3,0", "", "4,5"), ("1,234", "2,345", "3,456", "4,567", "5,678")
    lines = [f'"{one}","{other}",Cold soup {n}.' for n, (one, other) in enumerate(zip(ratings, visitors, strict=True))]
    content = "\n".join(["rating,visitors,text", *lines]) + "\n"
    seen = client.post(f"{project}/imports/preview", files={"file": ("r.csv", content.encode())}).json()
    assert {c["name"]: c["kind"] for c in seen["columns"]} == {"rating": "number", "visitors": "label", "text": "label"}
    import_text(client, project, content, "r.csv", text_column="text")
    rating = column(client, project, "rating")
    assert (rating["kind"], rating["least"], rating["greatest"]) == ("number", "3", "10")
    assert [s["label"] for s in rating["segments"]] == ["3,0", "4,5", "10", "not given"]
    assert len(texts(client, project, where="rating>=4.5")) == 3
    assert len(texts(client, project, where="rating=4,5")) == 2
    assert column(client, project, "visitors")["kind"] == "label", "a comma that may be that of thousands"


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        (["country=Spain"], [0, 1]),
        (["country!=Spain"], [2, 3, 4]),
        (["country="], [3]),
        (["rating>=4"], [0, 1, 4]),
        (["rating>=2", "rating<=4"], [1]),
        (["day>=2024-01-09", "day<=2024-02-03"], [1, 2]),
        (["country=France", "rating=5"], [4]),
        (["country>=4"], []),
        (["nothing=1"], []),
    ],
)
def test_the_list_is_filtered_by_the_columns(
    client: TestClient, segmented: str, where: list[str], rows: list[int]
) -> None:
    expected = " ".join(ROWS[row][4] for row in rows)
    assert " ".join(texts(client, segmented, where=where)) == expected


def test_filters_of_every_kind_hold_together(client: TestClient, segmented: str) -> None:
    assert texts(client, segmented, where="country=France", aspect=1) == ["Cold soup.", "Good pizza."]
    assert texts(client, segmented, where="country=France", period="2024-01-01..2024-02-29", aspect=1) == ["Cold soup."]
    assert texts(client, segmented, period="2024-02-04..2024-03-05") == ["No valet today.", "Good pizza."]


def test_what_is_no_condition_is_refused(client: TestClient, segmented: str) -> None:
    for wrong in ("country", "=Spain", "rating>=high", "rating>4"):
        assert client.get(f"{segmented}/sentences", params={"where": wrong}).status_code == 422
    assert client.get(f"{segmented}/segments", params={"column": "nothing"}).status_code == 404


def test_reviews_are_counted_once_however_many_of_their_sentences_have_the_aspect(
    client: TestClient, segmented: str
) -> None:
    found = client.get(f"{segmented}/segments", params={"column": "country"}).json()["segments"]
    counted = {s["label"]: (s["reviews"], s["sentences"], s["none"]) for s in found}
    assert counted == {"Spain": (2, 3, 1), "France": (2, 3, 0), "not given": (1, 1, 0)}
    spain = found[0]["aspects"][0]
    assert (spain["reviews"], spain["share"]) == (1, 0.5)
    assert (spain["low"], spain["high"]) == pytest.approx((0.0945, 0.9055), abs=1e-4)  # Wilson, 1 of 2
    narrowed = client.get(f"{segmented}/segments", params={"column": "country", "where": "rating>=5"}).json()
    assert [s["reviews"] for s in narrowed["segments"]] == [1, 1, 0]


def test_reviews_that_complain_are_counted_by_segment_as_their_sentences_say(
    client: TestClient, segmented: str
) -> None:
    client.patch(segmented, json={"sentiment": True}).raise_for_status()
    client.get(f"{segmented}/results").raise_for_status()  # waits until all are read
    found = client.get(f"{segmented}/segments", params={"column": "country"}).json()
    assert found["told"] == 1
    for segment in found["segments"]:
        for aspect in segment["aspects"]:
            query = {"where": segment["where"], "aspect": aspect["id"], "sentiment": "negative"}
            said = client.get(f"{segmented}/sentences", params=query).json()["sentences"]
            assert aspect["negative"] == len({sentence["review_id"] for sentence in said}) <= aspect["reviews"]
    months = client.get(f"{segmented}/periods", params={"unit": "month"}).json()
    assert months["told"] == 1
    for period in months["periods"]:
        for aspect in period["aspects"]:
            query = {"period": period["period"], "aspect": aspect["id"], "sentiment": "negative"}
            said = client.get(f"{segmented}/sentences", params=query).json()["sentences"]
            assert aspect["negative"] == len({sentence["review_id"] for sentence in said}) <= aspect["reviews"]
    client.patch(segmented, json={"sentiment": False}).raise_for_status()
    off = client.get(f"{segmented}/segments", params={"column": "country"}).json()
    assert {aspect["negative"] for segment in off["segments"] for aspect in segment["aspects"]} == {None}


def test_the_dashboard_can_be_narrowed_to_a_segment(client: TestClient, segmented: str) -> None:
    found = client.get(f"{segmented}/dashboard", params={"where": "country=Spain"}).json()
    assert (found["reviews"], found["sentences"], found["reviews_none"]) == (2, 3, 1)
    assert [(a["count"], a["reviews"]) for a in found["aspects"]] == [(2, 1), (0, 0)]


def test_periods_are_as_asked_or_as_the_span_suggests(client: TestClient, segmented: str) -> None:
    found = client.get(f"{segmented}/periods").json()
    assert (found["unit"], len(found["periods"])) == ("week", 10)
    months = client.get(f"{segmented}/periods", params={"unit": "month", "where": "rating>=2"}).json()["periods"]
    assert [(p["label"], p["reviews"]) for p in months] == [("2024-01", 2), ("2024-02", 0), ("2024-03", 1)]
    again = texts(client, segmented, period=months[0]["period"])
    assert " ".join(again) == ROWS[0][4] + " " + ROWS[1][4]


def test_two_segments_stand_side_by_side(client: TestClient, segmented: str) -> None:
    found = client.get(f"{segmented}/comparison", params={"one": "country=Spain", "other": "country=France"}).json()
    assert (found["one"]["reviews"], found["other"]["reviews"], found["compared"]) == (2, 2, 2)
    food = found["aspects"][0]
    assert food["difference"] == -0.5
    assert (food["verdict"], food["clear_alone"]) == ("could be chance", False)
    rest = client.get(f"{segmented}/comparison", params={"one": "country=Spain"}).json()
    assert rest["other"]["reviews"] == 3
    narrowed = client.get(f"{segmented}/comparison", params={"one": "country=Spain", "where": "rating>=4"}).json()
    assert (narrowed["one"]["reviews"], narrowed["other"]["reviews"]) == (2, 1)
    nothing = client.get(f"{segmented}/comparison", params={"one": "country=Peru"}).json()
    assert {a["verdict"] for a in nothing["aspects"]} == {"no reviews"}
    same = client.get(f"{segmented}/comparison", params={"one": "country=Spain", "other": "rating>=4"})
    assert (same.status_code, "in both" in same.json()["detail"]) == (422, True)


def test_a_clear_difference_is_called_so(client: TestClient, project: str) -> None:
    client.delete(f"{project}/reviews")
    rows = [f"{country},{text} {n}" for n in range(60) for country, text in (("A", "Cold soup"), ("B", "See you"))]
    import_text(client, project, "\n".join(["country,text", *rows]) + "\n", "r.csv")
    found = client.get(f"{project}/comparison", params={"one": "country=A", "other": "country=B"}).json()
    assert [a["verdict"] for a in found["aspects"]] == ["more than chance", "could be chance"]
    assert found["aspects"][0]["low"] > 0.5


def test_of_the_reviews_that_mention_an_aspect_two_segments_are_compared_by_how_many_complain(
    client: TestClient, project: str
) -> None:
    client.delete(f"{project}/reviews")
    client.patch(project, json={"sentiment": True}).raise_for_status()
    said = (("A", "Horrible cold soup, we hated the food"), ("B", "Wonderful pizza, we loved the food"))
    rows = [f'{country},"{text}"' for _ in range(30) for country, text in said]
    import_text(client, project, "\n".join(["country,text", *rows, 'C,"See you."']) + "\n", "r.csv")
    client.get(f"{project}/results").raise_for_status()  # waits until all are read
    found = client.get(f"{project}/comparison", params={"one": "country=A", "other": "country=B"}).json()
    assert found["told"] == 1
    food, parking = found["aspects"]
    assert (food["verdict"], food["complaints"]["verdict"]) == ("could be chance", "more than chance")
    negative = [
        found[side]["aspects"][0]["negative"] / found[side]["aspects"][0]["reviews"] for side in ("one", "other")
    ]
    assert food["complaints"]["difference"] == pytest.approx(negative[0] - negative[1])
    assert food["complaints"]["low"] > 0.5
    assert parking["complaints"]["verdict"] == "no reviews", "none mentions it"
    client.patch(project, json={"sentiment": False}).raise_for_status()
    off = client.get(f"{project}/comparison", params={"one": "country=A", "other": "country=B"}).json()
    assert {aspect["complaints"] for aspect in off["aspects"]} == {None}


def test_of_many_values_the_rest_is_one_segment_that_can_be_read(client: TestClient, project: str) -> None:
    client.delete(f"{project}/reviews")
    rows = [f"{'ABCDEFGHIJKLMNOPQRST'[n % 20]},{n % 200 / 4},id{n},Cold soup {n}" for n in range(400)]
    import_text(client, project, "\n".join(["product,price,id,text", *rows]) + "\n", "r.csv")
    product = column(client, project, "product")
    assert [s["label"] for s in product["segments"]] == [*"ABCDEFGHIJKL", "others (8)"]
    rest = product["segments"][-1]
    assert rest["reviews"] == 160
    assert client.get(f"{project}/sentences", params={"where": rest["where"]}).json()["total"] == 160
    price = column(client, project, "price")
    assert [s["label"] for s in price["segments"]] == ["0 to 12.25", "12.5 to 24.75", "25 to 37.25", "37.5 to 49.75"]
    assert sum(s["reviews"] for s in price["segments"]) == 400
    assert "id" not in {c["name"] for c in client.get(f"{project}/columns").json()["columns"]}


def test_odd_names_and_values_of_columns_lead_to_their_sentences(client: TestClient, project: str) -> None:
    client.delete(f"{project}/reviews")
    rows = ['"a=b",Cold soup.', '"<i>&?#%25",See you.', '"a=b",Good pizza.']
    import_text(client, project, "\n".join(['"x=y>!%z",text', *rows]) + "\n", "r.csv")
    for segment in column(client, project, "x=y>!%z")["segments"]:
        found = client.get(f"{project}/sentences", params={"where": segment["where"]}).json()["total"]
        assert found == segment["reviews"] > 0


@pytest.mark.slow
def test_seven_thousand_sentences_with_fifty_columns_are_counted_at_once(
    make_client: Callable[..., TestClient], project: str
) -> None:
    client, draw = make_client(), random.Random(0)
    client.delete(f"{project}/reviews")
    names = [f"c{n}" for n in range(50)]
    rows, expected = [], defaultdict(int)
    for n in range(7000):
        values = [str(draw.randrange(3 + 2 * k)) for k in range(49)] + [f"2024-{1 + n % 12:02}-{1 + n % 28:02}"]
        expected[values[4]] += 1
        rows.append(",".join([*values, f"Cold soup {n % 90}"]))
    import_text(client, project, "\n".join([",".join([*names, "text"]), *rows]) + "\n", "r.csv", date_column="c49")
    seconds = {}
    for path in ("columns", "columns", "segments?column=c4", "periods", "comparison?one=c4=1&other=c4=2", "dashboard"):
        began = time.perf_counter()
        answer = client.get(f"{project}/{path}")
        seconds[path] = time.perf_counter() - began
        assert answer.status_code == 200
    assert max(seconds.values()) < 2, seconds  # on a busy machine; 0.2 alone
    found = client.get(f"{project}/segments?column=c4").json()["segments"]
    assert {s["label"]: s["reviews"] for s in found} == dict(expected)
