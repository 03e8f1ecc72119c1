"""Corrections typed fast, on a near and on a slow studio: the database has what was typed, all of it."""

from __future__ import annotations

import random
import sqlite3
import time
from contextlib import closing
from pathlib import Path
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

SLOW = (str(Path(__file__).with_name("slow_studio.py")),)
near_and_slow = pytest.mark.parametrize("studio", [(), SLOW], ids=["near", "slow"], indirect=True, scope="module")
slow = pytest.mark.parametrize("studio", [SLOW], ids=["slow"], indirect=True, scope="module")
sentences_at_each_pace = pytest.mark.parametrize("sentences", [5, pytest.param(50, marks=pytest.mark.extended)])

ASPECTS = list(load_showcase().examples)
PACES = [60, 120, 200, 350]  # milliseconds between keys
IN_QUEUE = 10  # sentences
AT_HAND = """(done) => {
    const card = document.querySelector("article[aria-current=true]");
    if (!card || done.includes(card.getAttribute("aria-label"))) return null;
    const chips = [...card.querySelectorAll(".chip[aria-pressed] .clipped")].map((name) => name.textContent);
    return [card.getAttribute("aria-label"), chips];
}"""


@pytest.fixture
def project(page: Any, studio: Any, request: pytest.FixtureRequest) -> int:
    """Six aspects of five examples, some three hundred sentences; open on the page."""
    sample = load_sample()
    texts = [t for part in ("test", "validation") for t in sample[part].texts if len(sentence_spans(t)) == 1]
    labelled = [(text, [name]) for name, own in load_showcase().examples.items() for text in own]
    with closing(Database(str(studio.data))) as database, database.write() as connection:
        number = create_project(connection, request.node.name)
        fill_definition(Journal(connection), number, [NewAspect(name) for name in ASPECTS], labelled)
        add_reviews(connection, number, [NewReview(t, None, {}, sentence_spans(t)) for t in texts], Limits())
    page.goto("about:blank")  # so that the page is loaded anew, while it writes no address of its own
    page.goto(f"{studio.address}#/projects/{number}/reviews")
    page.locator("article.sentence", has_text=texts[0]).locator(".chip").first.wait_for()
    return number


class Typist:
    """Looks at the sentence at hand, then presses keys; remembers what should be saved."""

    def __init__(self, page: Any) -> None:
        self.page, self.pace = page, PACES[0]
        self.wanted: dict[str, set[str]] = {}
        self.paces: dict[str, int] = {}
        self.chance = random.Random(0)

    def label(self, *then: str) -> None:
        """In every other sentence a chip is replaced, if there is one; the others get two keys, whatever they have."""
        text, chips = self.look()
        keys = self.chance.sample(ASPECTS, 2)
        if chips and len(self.wanted) % 2:
            keys = [chips[0], self.chance.choice([name for name in ASPECTS if name not in chips])]
        self.wanted[text], self.paces[text] = set(chips).symmetric_difference(keys), self.pace
        self.press(*map(key_of, keys), *then)

    def look(self) -> tuple[str, list[str]]:
        """The next sentence and its chips."""
        text, chips = self.page.wait_for_function(AT_HAND, arg=list(self.wanted)).json_value()
        return text, chips

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.wait_for_timeout(self.pace)
            self.page.keyboard.press(key)

    def lost(self, found: dict[str, set[str]]) -> dict[int, list[str]]:
        """At each pace, what is not saved as it was typed."""
        wrong = [text for text in self.wanted if found.get(text) != self.wanted[text]]
        return {pace: own for pace in PACES if (own := [text for text in wrong if self.paces[text] == pace])}


def key_of(aspect: str) -> str:
    return str(1 + ASPECTS.index(aspect))


def chips_of(card: Any) -> set[str]:
    return {chip.split("\n")[0].strip() for chip in card.locator(".chip[aria-pressed]").all_inner_texts()}


def saved(studio: Any, project: int) -> dict[str, set[str]]:
    """The aspects of each sentence that is an example, as they are on the disk."""
    query = """SELECT e.text, a.name FROM examples e LEFT JOIN example_aspects l ON l.example_id = e.id
               LEFT JOIN aspects a ON a.id = l.aspect_id WHERE e.project_id = ? AND e.sentence_id IS NOT NULL"""
    found: dict[str, set[str]] = {}
    with closing(sqlite3.connect(studio.data)) as connection:
        for text, name in connection.execute(query, (project,)):
            found.setdefault(text, set()).update([name] if name else [])
    return found


def comes_to_be_saved(page: Any, studio: Any, project: int, wanted: dict[str, set[str]]) -> dict[str, set[str]]:
    """What is saved when it is as wanted, or when nothing has changed for a while."""
    found, end = saved(studio, project), time.monotonic() + 20
    while found != wanted and time.monotonic() < end:
        page.wait_for_timeout(100)
        before, found = found, saved(studio, project)
        end = end if found == before else time.monotonic() + 20
    return found


def is_all_saved(typist: Typist, studio: Any, project: int) -> None:
    found = comes_to_be_saved(typist.page, studio, project, typist.wanted)
    lost = typist.lost(found)
    assert not lost, f"lost at each pace: { {pace: len(texts) for pace, texts in lost.items()} }"
    assert found == typist.wanted
    last = typist.page.locator("article.sentence", has_text=list(typist.wanted)[-1])
    assert chips_of(last) == list(typist.wanted.values())[-1]
    assert typist.page.locator(".toast.problem").all_inner_texts() == []


@near_and_slow
@sentences_at_each_pace
def test_what_is_typed_in_label_next_is_saved(page: Any, studio: Any, project: int, sentences: int) -> None:
    page.get_by_role("tab", name="Label next").click()
    typist = Typist(page)
    for typist.pace in PACES:
        for _ in range(sentences):
            if typist.wanted and len(typist.wanted) % IN_QUEUE == 0:
                page.get_by_role("button", name=f"Next {IN_QUEUE}").click()
            typist.label("Enter")
    is_all_saved(typist, studio, project)


@near_and_slow
@sentences_at_each_pace
def test_what_is_typed_in_reviews_is_saved(page: Any, studio: Any, project: int, sentences: int) -> None:
    typist = Typist(page)
    for typist.pace in PACES:
        for _ in range(sentences):
            typist.label("Enter")
    is_all_saved(typist, studio, project)


@slow
def test_undo_takes_back_what_was_typed_last_and_it_stays_away(page: Any, studio: Any, project: int) -> None:
    typist = Typist(page)
    text, chips = typist.look()
    one, two = [name for name in ASPECTS if name not in chips][:2]
    typist.press(key_of(one), key_of(two), "u")
    wanted = {text: {*chips, one}}
    page.get_by_text("Undone: ").wait_for()
    assert comes_to_be_saved(page, studio, project, wanted) == wanted
    card = page.locator("article.sentence", has_text=text)
    card.locator(".chip", has_text=two).wait_for(state="hidden")
    page.wait_for_timeout(2000)  # whatever was read before has arrived by now
    assert chips_of(card) == {*chips, one}


@slow
def test_a_sentence_stays_at_hand_when_the_first_key_takes_it_out_of_the_list(
    page: Any, studio: Any, project: int
) -> None:
    page.get_by_role("button", name="None of these", exact=True).click()
    page.locator(".filter-line", has_text="none of these").wait_for()
    page.locator("[aria-busy=false]").wait_for()
    typist = Typist(page)
    text, _ = typist.look()
    typist.press(key_of(ASPECTS[0]))
    page.locator("article[aria-current=true]", has_text=text).get_by_text("confirmed").wait_for()
    page.wait_for_timeout(2000)  # by now the list was read again
    typist.press(key_of(ASPECTS[1]), "j")
    typist.wanted[text] = set(ASPECTS[:2])
    typist.label()
    assert comes_to_be_saved(page, studio, project, typist.wanted) == typist.wanted


@slow
def test_what_is_not_saved_is_not_shown_as_saved(page: Any, studio: Any, project: int) -> None:
    typist = Typist(page)
    text, chips = typist.look()
    page.route("**/aspects", lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    typist.press(*map(key_of, ASPECTS[:2]))
    card = page.locator("article.sentence", has_text=text)
    card.get_by_text("not saved yet").wait_for()
    card.get_by_text("confirmed").wait_for(state="hidden")
    assert saved(studio, project) == {}
    page.unroute("**/aspects")
    wanted = {text: set(chips).symmetric_difference(ASPECTS[:2])}
    assert comes_to_be_saved(page, studio, project, wanted) == wanted
