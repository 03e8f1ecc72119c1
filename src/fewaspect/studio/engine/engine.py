"""A detector for each project, as its definition is now, and what it says of every imported sentence."""

from __future__ import annotations

import logging
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from fewaspect.detector.detector import AspectDetector
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.detector.support import ExampleWarning
from fewaspect.inference.encoding_cache import CachingEncoder
from fewaspect.inference.threads import ONE_THREAD
from fewaspect.studio.engine.presenters import describe
from fewaspect.studio.engine.state import Rows, State
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import Definition, read_definition
from fewaspect.studio.store.projects import project_row
from fewaspect.studio.store.reviews import read_sentences

CHUNK = 256  # sentences that are scored before anything else gets its turn
RENEWED_AT_ONCE = 64  # sentences that are described before anyone else may describe some
AT_ONCE = 512  # so few are scored while a request waits: then all it shows is of the present revision
KEPT = 16  # projects in memory
_log = logging.getLogger(__name__)


class Engine:
    """Answers from the newest state of a project; what is not scored yet is scored by a worker, chunk by chunk."""

    def __init__(self, database: Database, load: Callable[[], InferenceModel] | None = None) -> None:
        self.database, self._load = database, load or caching_model
        self._states: OrderedDict[int, State] = OrderedDict()  # used last, last
        self._scorer: InferenceModel | None = None
        self._loading, self._learning, self._lock = threading.Lock(), threading.Lock(), threading.Lock()
        self._work = threading.Condition()
        self._waiting = 0  # requests that want the processor now
        self._stopped = False
        self._worker = threading.Thread(target=self._score_the_rest, name="scoring", daemon=True)
        self._worker.start()

    @property
    def scorer(self) -> InferenceModel:
        """Loaded when first needed, once."""
        with self._loading:
            if self._scorer is None:
                self._scorer = self._load()
            return self._scorer

    @property
    def loaded(self) -> bool:
        return self._scorer is not None

    def state(self, project: int) -> State:
        """As the store has it now. Only what changed is read and learned anew."""
        with self.database.read() as connection:
            row = project_row(connection, project)
            before = self._states.get(project)
            new_definition = before is None or before.definition.revision != row.revision
            new_rows = before is None or before.imported != row.imported
            if before is not None and not new_definition and not new_rows:
                self._keep(project, before)
                return before
            definition = read_definition(connection, project) if before is None or new_definition else before.definition
            rows = Rows.of(read_sentences(connection, project)) if before is None or new_rows else before.rows
        with self._learning:
            before = self._states.get(project)
            if before and before.definition.revision >= row.revision and before.imported >= row.imported:
                return before  # another request was faster
            detector = self._detector(definition, before)
            state = State.after(before, definition, detector, rows, row.imported)
            self._keep(project, state)
        with self._work:
            self._work.notify_all()
        return state

    def forget(self, project: int) -> None:
        with self._lock:
            self._states.pop(project, None)

    def fresh(self, project: int) -> State:
        """With every sentence scored at the present revision, however long it takes."""
        with self.first():
            state = self.state(project)
            while len(stale := state.stale()):
                state.score(stale[: 4 * CHUNK])
                state = self.state(project)
            return state

    @contextmanager
    def first(self) -> Iterator[None]:
        """While someone is inside, the worker scores nothing: what is looked at goes before what is not."""
        with self._work:
            self._waiting += 1
        try:
            with ONE_THREAD:
                yield
        finally:
            with self._work:
                self._waiting -= 1
                self._work.notify_all()

    def stop(self) -> None:
        with self._work:
            self._stopped = True
            self._work.notify_all()
        self._worker.join(timeout=10)

    def _keep(self, project: int, state: State) -> None:
        with self._lock:
            self._states[project] = state
            self._states.move_to_end(project)
            while len(self._states) > KEPT:
                self._states.popitem(last=False)

    def _detector(self, definition: Definition, before: State | None) -> AspectDetector | None:
        """None while there is no aspect."""
        if not definition.aspects:
            return None
        known = before.detector if before else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExampleWarning)  # an example without a word stays in the list
            return AspectDetector.from_examples(self.scorer, definition.as_examples(), definition.thresholds(), known)

    def _score_the_rest(self) -> None:
        while True:
            with self._work:
                self._work.wait_for(
                    lambda: self._stopped or self._superseding() or (not self._waiting and self._unfinished())
                )
                if self._stopped:
                    return
            if state := self._superseding() or self._unfinished():
                try:
                    self._renew(state) if state.before else state.score(state.stale()[:CHUNK])
                except Exception:  # the worker must live on; the project is read anew when it is next asked for
                    _log.exception("scoring failed")
                    self._drop(state)

    def _renew(self, state: State) -> None:
        """Some of what the state before showed; when there is nothing left, its time is over."""
        if rows := state.shown_before()[-RENEWED_AT_ONCE:]:
            describe(state, rows)
        else:
            state.before = None

    def _drop(self, state: State) -> None:
        with self._lock:
            for project in [number for number, own in self._states.items() if own is state]:
                self._states.pop(project)

    def _superseding(self) -> State | None:
        """The state used last for which the one before still answers."""
        with self._lock:
            return next((state for state in reversed(self._states.values()) if state.before), None)

    def _unfinished(self) -> State | None:
        """The state used last that has sentences to score."""
        with self._lock:
            return next((state for state in reversed(self._states.values()) if state.unfinished), None)


def caching_model() -> InferenceModel:
    """The shipped weights on an encoder that remembers: a change of the examples costs no encoding."""
    scorer = load_model(None)
    encoder = CachingEncoder(scorer.encoder)
    return replace(scorer, encoder=encoder)
