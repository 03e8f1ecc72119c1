"""What sentences think of their aspects: told, filtered, corrected, undone, exported, counted."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio_imports import import_text

API = "/api/v1"
REVIEWS = [
    ("The soup was awful.", 1, "2024-01-05"), ("The pizza was great and the garage was full.", 4, "2024-01-20"),
    ("Delicious soup!", 5, "2024-02-03"), ("See you on Monday.", 3, "2024-02-11"), ("Terrible pizza.", 2, "2024-02-12"),
]  # fmt: skip


@pytest.fixture
def rated(client: TestClient) -> str:
    """A project with two aspects and five reviews with stars and dates."""
    address = f"{API}/projects/{client.post(f'{API}/projects', json={'name': 'Rated'}).json()['id']}"
    for name, examples in (("food", ["the soup was cold", "good pizza"]), ("parking", ["no valet", "garage full"])):
        client.post(f"{address}/aspects", json={"name": name, "examples": examples}).raise_for_status()
    lines = "".join(f'"{text}",{stars},{day}\n' for text, stars, day in REVIEWS)
    import_text(client, address, f"text,stars,date\n{lines}", "reviews.csv", date_column="date")
    return address


def sentences(client: TestClient, project: str, **asked: Any) -> list[dict[str, Any]]:
    return client.get(f"{project}/sentences", params=asked).json()["sentences"]


def by_text(client: TestClient, project: str, **asked: Any) -> dict[str, dict[str, str]]:
    """The answers of each sentence, by the id of the aspect."""
    return {
        one["text"]: {number: told["polarity"] for number, told in one["sentiment"].items()}
        for one in sentences(client, project, **asked)
    }


def ids(client: TestClient, project: str) -> dict[str, int]:
    return {aspect["name"]: aspect["id"] for aspect in client.get(project).json()["aspects"]}


def test_every_aspect_of_a_sentence_has_its_sentiment(client: TestClient, rated: str) -> None:
    food = str(ids(client, rated)["food"])
    for one in sentences(client, rated):
        assert set(one["sentiment"]) == {str(number) for number in one["aspects"]}
    told = by_text(client, rated)
    assert told["The soup was awful."] == {food: "negative"}
    assert told["Delicious soup!"] == {food: "positive"}
    assert told["See you on Monday."] == {}


def test_a_new_project_tells_it_and_it_can_be_switched_off_and_undone(client: TestClient, rated: str) -> None:
    assert client.get(rated).json()["sentiment"] is True
    assert client.patch(rated, json={"sentiment": False}).json()["sentiment"] is False
    assert all(one["sentiment"] is None for one in sentences(client, rated))
    assert client.get(f"{rated}/sentiment").json()["on"] is False
    assert client.post(f"{rated}/undo").json()["project"]["sentiment"] is True


def test_sentences_are_filtered_by_what_they_think_of_an_aspect_or_of_any(client: TestClient, rated: str) -> None:
    food = ids(client, rated)["food"]
    negative = {"The soup was awful.", "Terrible pizza."}
    assert by_text(client, rated, aspect=food, sentiment="negative").keys() == negative
    assert by_text(client, rated, sentiment="negative").keys() >= negative
    assert not by_text(client, rated, aspect=food, sentiment="mixed")


def test_a_correction_is_kept_undone_and_redone(client: TestClient, rated: str) -> None:
    food, sentence = ids(client, rated)["food"], sentences(client, rated)[0]
    address = f"{rated}/sentences/{sentence['id']}/polarities/{food}"
    put = client.put(address, json={"polarity": "positive"}).json()["sentiment"][str(food)]
    assert (put["polarity"], put["own"]) == ("positive", True)
    assert put["positive"] > sentence["sentiment"][str(food)]["positive"]
    assert sentence["text"] in by_text(client, rated, aspect=food, sentiment="positive")
    assert client.get(rated).json()["can_undo"] == '"The soup was awful." is positive about "food"'
    for verb, polarity in (("undo", "negative"), ("redo", "positive")):
        client.post(f"{rated}/{verb}").raise_for_status()
        assert by_text(client, rated)[sentence["text"]] == {str(food): polarity}
    taken_back = client.delete(address).json()["sentiment"][str(food)]
    assert (taken_back["polarity"], taken_back["own"]) == ("negative", False)


def test_a_correction_leaves_scores_and_examples_as_they_are(client: TestClient, rated: str) -> None:
    food, before = ids(client, rated)["food"], sentences(client, rated)
    client.put(f"{rated}/sentences/{before[0]['id']}/polarities/{food}", json={"polarity": "mixed"}).raise_for_status()
    assert [one["scores"] for one in sentences(client, rated)] == [one["scores"] for one in before]
    assert client.get(f"{rated}/examples").json()["total"] == 4


def test_an_aspect_that_is_removed_takes_its_corrections_along_and_undo_brings_both_back(
    client: TestClient, rated: str
) -> None:
    food, sentence = ids(client, rated)["food"], sentences(client, rated)[0]
    client.put(f"{rated}/sentences/{sentence['id']}/polarities/{food}", json={"polarity": "positive"})
    client.delete(f"{rated}/aspects/{food}").raise_for_status()
    client.post(f"{rated}/undo").raise_for_status()
    (told,) = [one["sentiment"] for one in sentences(client, rated) if one["id"] == sentence["id"]]
    assert told[str(food)]["own"] is True


def test_what_is_no_polarity_or_no_aspect_is_refused(client: TestClient, rated: str) -> None:
    food, sentence = ids(client, rated)["food"], sentences(client, rated)[0]["id"]
    assert client.put(f"{rated}/sentences/{sentence}/polarities/{food}", json={"polarity": "bad"}).status_code == 422
    assert client.put(f"{rated}/sentences/{sentence}/polarities/999", json={"polarity": "mixed"}).status_code == 404
    assert client.put(f"{rated}/sentences/999/polarities/{food}", json={"polarity": "mixed"}).status_code == 404


def test_corrections_travel_with_the_project_and_with_the_detector(client: TestClient, rated: str) -> None:
    food, sentence = ids(client, rated)["food"], sentences(client, rated)[0]
    client.put(f"{rated}/sentences/{sentence['id']}/polarities/{food}", json={"polarity": "positive"})
    archive = client.get(f"{rated}/export").content
    other = client.post(f"{API}/projects/import", files={"file": ("p.zip", archive)}).json()
    found = sentences(client, f"{API}/projects/{other['id']}")[0]["sentiment"]
    assert [(told["polarity"], told["own"]) for told in found.values()] == [("positive", True)]
    detector = client.get(f"{rated}/model").content
    with zipfile.ZipFile(io.BytesIO(detector)) as saved:
        about = json.loads(saved.read("detector.json"))
    assert about["polarities"] == [{"text": sentence["text"], "aspects": {"food": "positive"}}]
    third = f"{API}/projects/{client.post(f'{API}/projects', json={'name': 'Third'}).json()['id']}"
    client.post(f"{third}/model", files={"file": ("d.zip", detector)}).raise_for_status()
    import_text(client, third, f"{sentence['text']}\n")
    (told,) = sentences(client, third)[0]["sentiment"].values()
    assert (told["polarity"], told["own"]) == ("positive", True)


def test_results_have_a_column_for_each_aspect(client: TestClient, rated: str) -> None:
    rows = list(csv.DictReader(io.StringIO(client.get(f"{rated}/results").content.decode("utf-8-sig"))))
    assert [row["sentiment_food"] for row in rows][0::2] == ["negative", "positive", "negative"]
    client.patch(rated, json={"sentiment": False})
    assert "sentiment_food" not in client.get(f"{rated}/results").text.splitlines()[0]


def test_a_review_has_one_polarity_in_results_report_and_detection(client: TestClient, rated: str) -> None:
    reviews = ["Awful soup. Delicious pizza.", "Awful soup. Great pizza. Delicious cake. Lovely fish.", "Soup was on."]
    client.delete(f"{rated}/reviews")
    import_text(client, rated, "".join(f"{text}\n" for text in reviews))
    answer = client.get(f"{rated}/results", params={"rows": "review"}).content.decode("utf-8-sig")
    results = [row["sentiment_food"] for row in csv.DictReader(io.StringIO(answer))]
    detected = client.post(f"{rated}/detect", json={"texts": reviews, "sentiment": True}).json()["results"]
    assert results == [own["sentiment"].get("food", {"polarity": ""})["polarity"] for own in detected]
    assert results[:2] == ["mixed", "positive"]
    page = client.post(f"{rated}/report", json={"title": "T"}).text
    counts = ", ".join(f"{results.count(word)} {word}" for word in ("negative", "mixed", "neutral", "positive"))
    assert f'aria-label="food: {counts}"' in page


def test_what_a_person_says_of_a_sentence_is_certain_in_its_review(client: TestClient, rated: str) -> None:
    food = ids(client, rated)["food"]
    for one in sentences(client, rated)[:1]:
        client.put(f"{rated}/sentences/{one['id']}/polarities/{food}", json={"polarity": "neutral"})
    answer = client.get(f"{rated}/results", params={"rows": "review"}).content.decode("utf-8-sig")
    assert next(csv.DictReader(io.StringIO(answer)))["sentiment_food"] == "neutral"


def test_an_example_may_carry_polarities_and_both_are_one_change(client: TestClient, rated: str) -> None:
    own, text = ids(client, rated), "The soup was awful."
    new = {"text": text, "aspects": list(own.values()), "polarities": {str(own["food"]): "positive"}}
    client.post(f"{rated}/examples", json=new).raise_for_status()
    (told,) = [one["sentiment"] for one in sentences(client, rated) if one["text"] == text]
    assert told.keys() == {str(number) for number in own.values()}
    assert (told[str(own["food"])]["polarity"], told[str(own["food"])]["own"]) == ("positive", True)
    assert not told[str(own["parking"])]["own"]
    made = client.post(f"{rated}/examples", json={**new, "polarities": {str(own["food"]): "mixed"}}).json()
    assert by_text(client, rated)[text][str(own["food"])] == "mixed"
    assert made["polarities"] == {str(own["food"]): "mixed"}
    changed = {"aspects": new["aspects"], "polarities": {str(own["parking"]): "neutral"}}
    both = client.patch(f"{rated}/examples/{made['id']}", json=changed).json()["polarities"]
    assert both == {str(own["food"]): "mixed", str(own["parking"]): "neutral"}
    (listed,) = [one for one in client.get(f"{rated}/examples").json()["examples"] if one["id"] == made["id"]]
    assert listed["polarities"] == both
    for _ in range(3):
        client.post(f"{rated}/undo").raise_for_status()
    assert by_text(client, rated)[text] == {str(own["food"]): "negative"}
    assert client.get(f"{rated}/examples").json()["total"] == 4
    for polarities, status in (({"999": "mixed"}, 404), ({"1": "bad"}, 422), ({"food": "mixed"}, 422)):
        assert client.post(f"{rated}/examples", json={**new, "polarities": polarities}).status_code == status
    assert client.get(f"{rated}/examples").json()["total"] == 4


def test_detection_tells_it_where_asked(client: TestClient, rated: str) -> None:
    text = "Awful soup."
    (found,) = client.post(f"{rated}/detect", json={"texts": [text], "sentiment": True}).json()["results"]
    assert found["sentiment"]["food"]["polarity"] == "negative"
    (plain,) = client.post(f"{rated}/detect", json={"texts": [text]}).json()["results"]
    assert "sentiment" not in plain
    assert client.post(f"{rated}/analyze", json={"text": text, "sentiment": True}).json()["sentiment"].keys() == {
        "food"
    }


def test_opinions_are_counted_in_all_over_time_and_against_the_stars(client: TestClient, rated: str) -> None:
    client.get(f"{rated}/results").raise_for_status()  # all is told
    food, found = ids(client, rated)["food"], client.get(f"{rated}/sentiment", params={"unit": "month"}).json()
    assert (found["on"], found["scored"], found["rating"]) == (True, 1, {"column": "stars", "mean": 3, "reviews": 5})
    (own,) = [aspect for aspect in found["aspects"] if aspect["id"] == food]
    assert (own["negative"], own["positive"], own["neutral"], own["mixed"]) == (2, 2, 0, 0)
    assert own["ratings"] == {"negative": {"mean": 1.5, "reviews": 2}, "positive": {"mean": 4.5, "reviews": 2}}
    assert {one["text"] for one in own["typical"]["negative"]} <= {text for text, _, _ in REVIEWS}
    assert [(p["label"], p["counts"][str(food)]) for p in found["periods"]] == [
        ("2024-01", [1, 0, 1, 0]),
        ("2024-02", [1, 0, 1, 0]),
    ]
    some = client.get(f"{rated}/sentiment", params={"where": "stars>=4"}).json()["aspects"]
    assert [aspect["negative"] for aspect in some if aspect["id"] == food] == [0]


def test_a_correction_teaches_the_model(client: TestClient, project: str) -> None:
    food = ids(client, project)["food"]
    import_text(client, project, "".join(f"The {dish} was cold.\n" for dish in ("soup", "salad", "sushi", "stew")))
    rows = [one for one in sentences(client, project) if one["text"].endswith("was cold.")]
    *said, asked = [one for one in rows if str(food) in one["sentiment"]]
    for one in said:
        client.put(f"{project}/sentences/{one['id']}/polarities/{food}", json={"polarity": "positive"})
    (after,) = [one for one in sentences(client, project) if one["id"] == asked["id"]]
    told, before = after["sentiment"][str(food)], asked["sentiment"][str(food)]
    assert not told["own"]
    assert told["positive"] > before["positive"] + 0.1
