"""The report of a project over the API: one file that needs nothing from outside, with the person's choices."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from studio_imports import import_text


@pytest.fixture
def segmented(client: TestClient, project: str) -> str:
    client.delete(f"{project}/reviews")
    rows = [
        f"{country},2024-0{1 + n % 6}-03,{text} number {n}"
        for n in range(30)
        for country, text in (("Spain", "Cold soup again at the table"), ("France", "See you here on Monday"))
    ]
    import_text(client, project, "\n".join(["country,day,text", *rows]) + "\n", "r.csv", date_column="day")
    return project


def report(client: TestClient, project: str, **choices: object) -> str:
    answer = client.post(f"{project}/report", json=choices)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/html")
    assert "attachment" in answer.headers["content-disposition"]
    return answer.text


def test_the_report_is_one_file_that_needs_nothing_from_outside(client: TestClient, segmented: str) -> None:
    page = report(client, segmented)
    assert not re.search(r"<script|<link|src=|url\(|@import|https?://", page)
    assert "<h2>How often each aspect is mentioned</h2>" in page
    assert "<p>Hotel</p>" in page
    assert "@page" in page
    assert "Over time, by month" in page or "Over time, by week" in page


def test_what_a_person_chose_and_wrote_stands_in_it(client: TestClient, segmented: str) -> None:
    page = report(
        client, segmented, title="Spring <b>2024</b>", notes="First line.\nSecond & last.", by="country",
        one=["country=Spain"], other=["country=France"], unit="quarter",
    )  # fmt: skip
    assert "Spring &lt;b&gt;2024&lt;/b&gt;" in page
    assert "First line.\nSecond &amp; last." in page
    assert "<h2>By country</h2>" in page
    assert "Side by side: country: Spain and country: France" in page
    assert "✓ more than chance" in page
    assert "100 points more" in page
    assert "2024 Q1" in page
    assert "Over time, by quarter" in page


def test_only_the_chosen_aspects_charts_and_reviews_are_in_it(client: TestClient, segmented: str) -> None:
    page = report(client, segmented, aspects=[2], charts=["often"], where=["country=France"])
    assert "Of the reviews with country: France." in page
    assert '<div class="number card"><b>30</b><span>reviews</span></div>' in page
    assert "parking" in page
    assert "food" not in page
    for left_out in ("reviewers&#39; words", "In the reviewers", "Over time", "Without any of these"):
        assert left_out not in page


def test_it_counts_as_the_dashboard_does_and_a_persons_word_counts(client: TestClient, segmented: str) -> None:
    first = client.get(f"{segmented}/sentences?where=country=Spain&limit=1").json()["sentences"][0]
    client.put(f"{segmented}/sentences/{first['id']}/aspects", json={"aspects": [2]})
    page = report(client, segmented)
    client.get(f"{segmented}/sentences")
    counts = {a["id"]: a["reviews"] for a in client.get(f"{segmented}/dashboard").json()["aspects"]}
    shown = dict(re.findall(r'<span class="name">(\w+)</span>.*?<span class="count">(\d+) ', page))
    assert shown == {"food": str(counts[1]), "parking": str(counts[2])}
    assert counts[2] >= 1


def test_a_project_without_aspects_or_reviews_still_has_a_page(client: TestClient) -> None:
    number = client.post("/api/v1/projects", json={"name": "Empty"}).json()["id"]
    assert "What the reviews speak of" in report(client, f"/api/v1/projects/{number}", by="nothing", one=["a=b"])


def test_what_is_no_choice_is_refused(client: TestClient, segmented: str) -> None:
    for wrong in ({"charts": ["pie"]}, {"one": ["country"]}, {"sentences": 0}, {"title": "x" * 201}):
        assert client.post(f"{segmented}/report", json=wrong).status_code == 422


def test_an_aspect_has_the_colour_that_it_has_on_the_page(client: TestClient, segmented: str) -> None:
    client.patch(f"{segmented}/aspects/1", json={"colour": 14}).raise_for_status()
    page = report(client, segmented, by="country")
    colours = set(re.findall(r'<tr style="--h: (\d+)"><th scope="row">food</th>', page))
    assert colours == {str((215 + 30 * 8 + 15) % 360)}, "the third of twelve angles, of the second tone"
