"""What a sentence is not about is said of one aspect alone: nothing is confirmed, and nothing becomes an example."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio_imports import import_text

API = "/api/v1"
BOTH = "The pizza was cold and the garage was full."
ONLY = "The soup was good."


@pytest.fixture
def hotel(client: TestClient) -> str:
    """Two aspects, a sentence about both, one about food, one about neither."""
    address = f"{API}/projects/{client.post(f'{API}/projects', json={'name': 'Hotel'}).json()['id']}"
    for name, examples in (("food", ["the soup was cold", "good pizza"]), ("parking", ["no valet", "garage full"])):
        client.post(f"{address}/aspects", json={"name": name, "examples": examples}).raise_for_status()
    import_text(client, address, f"{BOTH}\n{ONLY}\nSee you on Monday.\n")
    return address


def ids(client: TestClient, project: str) -> tuple[int, int]:
    """Of food and parking."""
    found = {aspect["name"]: aspect["id"] for aspect in client.get(project).json()["aspects"]}
    return found["food"], found["parking"]


def shown(client: TestClient, project: str, text: str) -> dict[str, Any]:
    (found,) = [one for one in client.get(f"{project}/sentences").json()["sentences"] if one["text"] == text]
    return found


def address(client: TestClient, project: str, text: str, aspect: int) -> str:
    return f"{project}/sentences/{shown(client, project, text)['id']}/rejected/{aspect}"


def answers(sentence: dict[str, Any]) -> tuple[set[int], list[int], bool]:
    return set(sentence["aspects"]), sentence["rejected"], sentence["confirmed"]


def quoted(client: TestClient, project: str) -> str:
    """The report, which quotes sentences of each aspect."""
    page = client.post(f"{project}/report", json={"title": "Hotel", "charts": ["often", "words"]}).text
    return re.sub("<[^>]+>", "", page)


def examples(client: TestClient, project: str) -> int:
    return client.get(f"{project}/examples").json()["total"]


def test_the_other_aspects_stay_as_they_are_found_and_unconfirmed(client: TestClient, hotel: str) -> None:
    food, parking = ids(client, hotel)
    before = shown(client, hotel, BOTH)
    assert answers(before) == ({food, parking}, [], False)
    after = client.put(address(client, hotel, BOTH, food)).json()
    assert answers(after) == ({parking}, [food], False)
    assert after["scores"] == before["scores"]
    assert {word["aspect"] for word in after["words"]} == {parking}
    assert set(after["sentiment"]) == {str(parking)}
    assert after["reason"].startswith("parking")
    assert examples(client, hotel) == 4
    assert shown(client, hotel, BOTH) == after


def test_without_its_only_aspect_a_sentence_is_no_example_of_none(client: TestClient, hotel: str) -> None:
    food, _ = ids(client, hotel)
    after = client.put(address(client, hotel, ONLY, food)).json()
    assert answers(after) == (set(), [food], False)
    assert after["reason"] == "you rejected food"
    assert examples(client, hotel) == 4
    assert client.get(f"{hotel}/examples?aspect=none").json()["total"] == 0


def test_counts_filters_results_and_report_leave_it_out(client: TestClient, hotel: str) -> None:
    food, _ = ids(client, hotel)
    assert ONLY in quoted(client, hotel)
    client.put(address(client, hotel, ONLY, food)).raise_for_status()
    rows = csv.DictReader(io.StringIO(client.get(f"{hotel}/results").content.decode("utf-8-sig")))
    found = {row["text"]: row["aspects"] for row in rows}
    assert found[ONLY] == ""
    assert "food" in found[BOTH]
    listed = client.get(f"{hotel}/sentences", params={"aspect": food}).json()["sentences"]
    assert [one["text"] for one in listed] == [BOTH]
    none = client.get(f"{hotel}/sentences", params={"show": "none"}).json()["sentences"]
    assert ONLY in [one["text"] for one in none]
    counts = {one["id"]: one["count"] for one in client.get(f"{hotel}/dashboard").json()["aspects"]}
    assert counts[food] == 1
    opinions = {one["id"]: one for one in client.get(f"{hotel}/sentiment").json()["aspects"]}
    assert sum(opinions[food][word] for word in ("negative", "neutral", "positive", "mixed")) == 1
    assert ONLY not in quoted(client, hotel)
    (aspect,) = [one for one in client.get(hotel).json()["aspects"] if one["id"] == food]
    assert (aspect["found"], aspect["examples"]) == (1, 2)


def test_what_is_rejected_is_not_uncertain_any_more(client: TestClient, hotel: str) -> None:
    food, _ = ids(client, hotel)
    threshold = shown(client, hotel, ONLY)["scores"][str(food)]
    client.patch(f"{hotel}/aspects/{food}", json={"threshold": threshold}).raise_for_status()
    for expected in (True, False):
        listed = client.get(f"{hotel}/sentences", params={"show": "uncertain"}).json()["sentences"]
        assert (ONLY in [one["text"] for one in listed]) == expected
        client.put(address(client, hotel, ONLY, food)).raise_for_status()


def test_it_is_undone_done_again_and_taken_back(client: TestClient, hotel: str) -> None:
    food, parking = ids(client, hotel)
    path = address(client, hotel, BOTH, food)
    client.put(path).raise_for_status()
    revision = client.get(hotel).json()["revision"]
    client.put(path).raise_for_status()
    assert client.get(hotel).json()["revision"] == revision, "said twice is said once"
    assert client.get(hotel).json()["can_undo"].endswith('" is not about "food"')
    client.post(f"{hotel}/undo").raise_for_status()
    assert answers(shown(client, hotel, BOTH)) == ({food, parking}, [], False)
    client.post(f"{hotel}/redo").raise_for_status()
    assert answers(shown(client, hotel, BOTH)) == ({parking}, [food], False)
    assert answers(client.delete(path).json()) == ({food, parking}, [], False)
    assert client.get(hotel).json()["can_undo"].endswith('" may be about "food"')


def test_a_label_is_taken_away_alone_and_the_last_one_leaves_no_example(client: TestClient, hotel: str) -> None:
    food, parking = ids(client, hotel)
    labels = f"{hotel}/sentences/{shown(client, hotel, BOTH)['id']}/aspects"
    client.put(labels, json={"aspects": [food, parking]}).raise_for_status()
    one = client.put(address(client, hotel, BOTH, food), json={"seen": [food, parking]}).json()
    assert answers(one) == ({parking}, [], True)
    none = client.put(address(client, hotel, BOTH, parking), json={"seen": [parking]}).json()
    assert answers(none) == (set(), [food, parking], False)
    assert examples(client, hotel) == 4
    for _ in range(2):
        client.post(f"{hotel}/undo").raise_for_status()
    assert answers(shown(client, hotel, BOTH)) == ({food, parking}, [], True)


def test_a_label_of_the_aspect_takes_the_rejection_back_and_one_of_others_keeps_it(
    client: TestClient, hotel: str
) -> None:
    food, parking = ids(client, hotel)
    labels = f"{hotel}/sentences/{shown(client, hotel, BOTH)['id']}/aspects"
    client.put(address(client, hotel, BOTH, food)).raise_for_status()
    assert answers(client.put(labels, json={"aspects": [parking]}).json()) == ({parking}, [], True)
    assert answers(client.delete(labels).json())[1] == [food]
    client.put(labels, json={"aspects": [food]}).raise_for_status()
    assert answers(client.delete(labels).json())[1] == []


def test_what_someone_else_said_meanwhile_is_not_overwritten(client: TestClient, hotel: str) -> None:
    food, parking = ids(client, hotel)
    path, labels = address(client, hotel, BOTH, food), f"{hotel}/sentences/{shown(client, hotel, BOTH)['id']}/aspects"
    client.put(labels, json={"aspects": [food]}).raise_for_status()
    refused = client.put(path, json={"seen": None})
    assert refused.status_code == 409
    assert "food" in refused.json()["detail"]
    client.delete(labels).raise_for_status()
    client.put(path, json={"seen": None}).raise_for_status()
    client.put(address(client, hotel, BOTH, parking), json={"seen": None}).raise_for_status()
    assert answers(shown(client, hotel, BOTH)) == (set(), [food, parking], False)
    client.put(path, json={"seen": [food]}).raise_for_status()  # sent again, since no answer came: as it is wanted


def test_it_travels_with_the_project(client: TestClient, hotel: str) -> None:
    food, _ = ids(client, hotel)
    client.put(address(client, hotel, BOTH, food)).raise_for_status()
    content = client.get(f"{hotel}/export").content
    made = client.post(f"{API}/projects/import", files={"file": ("p.zip", content)}).json()["id"]
    other = f"{API}/projects/{made}"
    food, parking = ids(client, other)
    assert answers(shown(client, other, BOTH)) == ({parking}, [food], False)
    assert client.get(f"{other}/export").content


def test_what_is_no_aspect_or_no_sentence_is_refused(client: TestClient, hotel: str) -> None:
    food, _ = ids(client, hotel)
    assert client.put(address(client, hotel, BOTH, 999)).status_code == 404
    assert client.put(f"{hotel}/sentences/999/rejected/{food}").status_code == 404
    assert client.delete(f"{hotel}/sentences/999/rejected/{food}").status_code == 404
    assert client.put(address(client, hotel, BOTH, food), json={"seen": "all"}).status_code == 422
