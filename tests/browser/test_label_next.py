"""*Label next* as a person uses it: a sentence is skipped and stays so; the page says when labels change nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from fewaspect.data.sample_set import load_sample, load_showcase
from fewaspect.studio.limits import Limits
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import NewAspect, fill_definition
from fewaspect.studio.store.journal import Journal
from fewaspect.studio.store.projects import create_project
from fewaspect.studio.store.reviews import NewReview, add_reviews
from fewaspect.text.splitting import sentence_spans

pytestmark = pytest.mark.slow
ASPECTS = list(load_showcase().examples)


def open_project(page: Any, studio: Any, name: str, more: list[tuple[str, list[str]]]) -> int:
    """Six aspects of five examples and some `more`, three hundred sentences; open in *Label next*."""
    sample = load_sample()
    texts = [t for part in ("test", "validation") for t in sample[part].texts if len(sentence_spans(t)) == 1]
    labelled = [(text, [aspect]) for aspect, own in load_showcase().examples.items() for text in own]
    with closing(Database(str(studio.data))) as database, database.write() as connection:
        number = create_project(connection, name)
        fill_definition(Journal(connection), number, [NewAspect(aspect) for aspect in ASPECTS], [*labelled, *more])
        add_reviews(connection, number, [NewReview(t, None, {}, sentence_spans(t)) for t in texts], Limits())
    enter(page, studio, number)
    return number


def enter(page: Any, studio: Any, project: int) -> None:
    page.goto("about:blank")  # so that the page is loaded anew, while it writes no address of its own
    page.goto(f"{studio.address}#/projects/{project}/reviews")
    page.get_by_role("tab", name="Label next").click()
    page.locator(".queue article.sentence").first.wait_for()


def offered(page: Any) -> list[str]:
    return page.locator(".queue article.sentence").evaluate_all("cards => cards.map(c => c.getAttribute('aria-label'))")


def test_a_skipped_sentence_is_not_offered_again_until_that_is_undone(
    page: Any, studio: Any, shoot: Callable[[str], None]
) -> None:
    project = open_project(page, studio, "skipping", [])
    first, second, third, *_ = offered(page)
    page.keyboard.press("s")
    page.get_by_text("Skipped: ").first.wait_for()
    assert offered(page)[0] == second
    with page.expect_response("**/skipped"):
        page.locator("article.sentence", has_text=second).get_by_role("button", name="Skip").click()
    shoot("label-next-skipped")
    assert offered(page)[0] == third
    studio.restart()
    page.goto(studio.address)
    enter(page, studio, project)
    assert not {first, second} & {*offered(page)}
    page.keyboard.press("u")
    page.get_by_text("Undone: skip").wait_for()
    offers = page.evaluate(  # among a hundred: what comes first depends on how much was learned from the reviews by now
        "(id) => fetch(`/api/v1/projects/${id}/suggestions?n=100`).then((answer) => answer.json())", project
    )
    texts = [offer["sentence"]["text"] for offer in offers["suggestions"]]
    assert second in texts
    assert first not in texts


def test_the_page_says_when_more_labels_hardly_change_answers(
    page: Any, studio: Any, shoot: Callable[[str], None]
) -> None:
    open_project(page, studio, "growing", [])
    assert page.get_by_text("You can stop here.").count() == 0
    same = [
        (f"{text} ({number})", [name])
        for number in range(8)
        for name, own in load_showcase().examples.items()
        for text in own
    ]
    open_project(page, studio, "settled", same)
    page.get_by_text("You can stop here.").wait_for()
    shoot("label-next-settled")
