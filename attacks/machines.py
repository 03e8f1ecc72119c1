"""Random walks through two projects of the studio, by its store and by its API, beside a model in plain Python.

`python -m attacks.machines --walks 300`. After every step both projects are as the model says, and the page's list is
that of the database; at the end of a walk all is undone and done again.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from attacks.drivers import ApiDriver, StoreDriver, stored_state
from attacks.project_model import ProjectModel, RefusedError
from attacks.record import add_record_option, record
from fewaspect import AspectDetector
from fewaspect.studio.store.database import Database

NAMES = st.sampled_from(["food", "Food", "noise", "price & value", "caf\u00e9"])
TEXTS = st.sampled_from(["cold soup", "Cold  soup", "thin walls", "the waiter was rude", "\u00fcber-teuer!"])
REVIEWS = st.sampled_from(
    ["Cold soup. Thin walls.", "cold soup", "cold  soup", "See you on Monday.", "The waiter was rude. Cold soup."]
)
THRESHOLDS = st.sampled_from([None, 0.0, 0.35, 1.0])
WHICH, PLACES, LABELS = st.integers(0, 1), st.integers(0, 99), st.booleans()
SOME = st.lists(PLACES, max_size=2)
ASKED = ["cold soup", "Thin walls and a rude waiter.", "See you on Monday."]
AT_A_TIME = 10  # walks, of one seed
steps_taken = 0
_numbers = count()


class StoreWalk(RuleBasedStateMachine):
    """By the functions of the store."""

    database: ClassVar[Database]
    driver: ClassVar[Callable[[str], Any]]

    def __init__(self) -> None:
        super().__init__()
        self.own = [(type(self).driver(f"project {next(_numbers)}"), ProjectModel()) for _ in range(2)]
        self.lost = False

    @rule(which=WHICH, name=NAMES, texts=st.lists(TEXTS, max_size=3))
    def add_aspect(self, which: int, name: str, texts: list[str]) -> None:
        self.both(which, "add_aspect", name, texts)

    @rule(which=WHICH, place=PLACES, name=NAMES)
    def rename_aspect(self, which: int, place: int, name: str) -> None:
        for own in self.aspects(which, [place]):
            self.both(which, "rename_aspect", own, name)

    @rule(which=WHICH, place=PLACES, threshold=THRESHOLDS)
    def set_aspect_threshold(self, which: int, place: int, threshold: float | None) -> None:
        for own in self.aspects(which, [place]):
            self.both(which, "set_aspect_threshold", own, threshold)

    @rule(which=WHICH, threshold=THRESHOLDS)
    def set_threshold(self, which: int, threshold: float | None) -> None:
        self.both(which, "set_threshold", threshold)

    @rule(which=WHICH, place=PLACES)
    def remove_aspect(self, which: int, place: int) -> None:
        for own in self.aspects(which, [place]):
            self.both(which, "remove_aspect", own)

    @rule(which=WHICH, text=TEXTS, places=SOME)
    def put_example(self, which: int, text: str, places: list[int]) -> None:
        self.both(which, "put_example", text, self.aspects(which, places))

    @rule(which=WHICH, change=st.sampled_from(["correct", "correct", "release", "skip", "offer"]), place=PLACES,
          places=SOME)  # fmt: skip
    def change_a_sentence(self, which: int, change: str, place: int, places: list[int]) -> None:
        if shown := len(self.own[which][1].now.sentences):
            labels = [self.aspects(which, places)] if change == "correct" else []
            self.both(which, change, place % shown, *labels)

    @rule(which=WHICH, change=st.sampled_from(["reject", "reject", "restore"]), place=PLACES, aspect=PLACES)
    def say_something_of_one_aspect(self, which: int, change: str, place: int, aspect: int) -> None:
        if shown := len(self.own[which][1].now.sentences):
            for own in self.aspects(which, [aspect]):
                self.both(which, change, place % shown, own)

    @rule(which=WHICH, texts=st.lists(REVIEWS, min_size=1, max_size=4),
          duplicates=st.sampled_from(["add", "skip", "replace"]))  # fmt: skip
    def import_reviews(self, which: int, texts: list[str], duplicates: str) -> None:
        self.both(which, "import_reviews", texts, duplicates)

    @rule(which=WHICH, place=PLACES, labels=LABELS)
    def remove_import(self, which: int, place: int, labels: bool) -> None:
        if listed := len(self.own[which][1].now.listed):
            self.both(which, "remove_import", place % listed, labels)

    @rule(which=WHICH, labels=LABELS)
    def remove_reviews(self, which: int, labels: bool) -> None:
        self.both(which, "remove_reviews", labels)

    @rule(which=WHICH, walk=st.lists(st.sampled_from(["undo", "redo"]), min_size=1, max_size=4))
    def walk_through_changes(self, which: int, walk: list[str]) -> None:
        for step in walk:
            self.both(which, step)

    def both(self, which: int, change: str, *arguments: Any) -> None:
        """Done, or refused, by both; then both projects are as they must be."""
        global steps_taken
        steps_taken, self.lost = steps_taken + 1, True
        done = [_outcome(getattr(one, change), arguments) for one in self.own[which]]
        assert done[0] == done[1], (change, arguments, done)
        for driver, model in self.own:
            assert stored_state(self.database, driver.project) == model.now.shown
        driver, model = self.own[which]
        assert driver.state() == model.now.shown
        self.lost = False

    def aspects(self, which: int, places: Sequence[int]) -> list[str]:
        own = [aspect.name for aspect in self.own[which][1].now.aspects]
        return list(dict.fromkeys(own[place % len(own)] for place in places)) if own else []

    def teardown(self) -> None:
        for which, (_, model) in enumerate(self.own):
            changes = 0 if self.lost else len(model.past) - 1
            for step in ["undo"] * changes + ["redo"] * changes:
                self.both(which, step)
        for driver, _ in self.own:
            driver.close()


class ApiWalk(StoreWalk):
    """By requests, and with the files that the studio gives and takes."""

    @rule(which=WHICH)
    def carry_to_another_project(self, which: int) -> None:
        driver, model = self.own[which]
        kept = {"aspects", "examples", "threshold", "sentences", "rejected"}  # all reviews are one import then
        carried = {name: value for name, value in driver.carried().items() if name in kept}
        assert carried == {name: value for name, value in model.now.shown.items() if name in kept}

    @rule(which=WHICH)
    def put_own_detector(self, which: int) -> None:
        if self.own[which][1].now.aspects:
            self.both(which, "put_own_detector")

    @rule(which=WHICH)
    def ask_the_downloaded_detector(self, which: int) -> None:
        driver, model = self.own[which]
        if model.now.aspects:
            with tempfile.TemporaryDirectory() as folder:
                driver.save_detector(Path(folder))
                assert AspectDetector.load(folder).predict(ASKED) == driver.detected(ASKED)


def _outcome(function: Callable[..., Any], arguments: Sequence[Any]) -> str:
    try:
        function(*arguments)
    except RefusedError:
        return "refused"
    return "done"


def walk_store(folder: Path, seed: int, walks: int, steps: int, shrink: bool = True) -> None:
    """Raises at the first walk that leads elsewhere, with its steps, as few as can be found."""
    database = Database(str(folder / "walk.db"))
    own = {"database": database, "driver": staticmethod(lambda name: StoreDriver(database, name))}
    try:
        _walk(type("StoreWalk", (StoreWalk,), own), seed, walks, steps, shrink)
    finally:
        database.close()


def walk_api(folder: Path, seed: int, walks: int, steps: int, model: Any = None) -> None:
    """As `walk_store`, through the application in this process."""
    from fastapi.testclient import TestClient

    from fewaspect.studio.limits import Limits
    from fewaspect.studio.studio import Studio
    from fewaspect.studio.web_app import make_app

    studio = Studio(str(folder / "walk.db"), Limits(burst=10**9), model and (lambda: model))
    headers = {"X-Fewaspect": "studio"}
    with TestClient(make_app(studio, sample=False), base_url="http://127.0.0.1", headers=headers) as client:
        own = {"database": studio.database, "driver": staticmethod(lambda name: ApiDriver(client.request, name))}
        _walk(type("ApiWalk", (ApiWalk,), own), seed, walks, steps)


def _walk(machine: type[StoreWalk], seed: int, walks: int, steps: int, shrink: bool = True) -> None:
    how = settings(
        max_examples=walks, stateful_step_count=steps, deadline=None, database=None, verbosity=Verbosity.normal,
        suppress_health_check=list(HealthCheck), print_blob=False,
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        report_multiple_bugs=False,
    )  # fmt: skip
    run_state_machine_as_test(seeded(seed)(machine), settings=how)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--walks", type=int, default=300, help="through the store; a fifth as many through the API")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=900, help="through each, at most; a few walks at a time")
    add_record_option(parser)
    given, failed = parser.parse_args(), 0
    for name, walk, walks in (("store", walk_store, given.walks), ("API", walk_api, max(1, given.walks // 5))):
        begun, before, broken, walked = time.time(), steps_taken, 0, 0
        while walked < walks and not broken and time.time() < begun + given.seconds:
            some = min(AT_A_TIME, walks - walked)
            with tempfile.TemporaryDirectory() as folder:
                try:
                    walk(Path(folder), given.seed + walked, some, given.steps)
                except Exception:
                    print(f"seed {given.seed + walked}")
                    traceback.print_exc()
                    broken = 1
            walked += some
        failed += broken
        record(
            f"steps of random walks through the {name}", given.record, count=steps_taken - before, broken=broken,
            seed=given.seed, seconds=time.time() - begun, walks=walked, wanted_walks=walks,
            again=f"python -m attacks.machines --walks {given.walks} --steps {given.steps} --seed {given.seed}",
        )  # fmt: skip
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
