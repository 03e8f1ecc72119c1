"""Snapshots of the projects, kept up to date with the database; a worker scores in the background."""

from __future__ import annotations

import logging
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from fewaspect.detector.detector import AspectDetector
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.detector.support import ExampleWarning
from fewaspect.inference.encoder import ONE_THREAD
from fewaspect.inference.encoding_cache import CachingEncoder
from fewaspect.studio.engine.presenters import present
from fewaspect.studio.engine.sentiment.sentence_sentiment import read_sentiment, unread_rows
from fewaspect.studio.engine.snapshot import ImportedSentences, Snapshot
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import Definition, read_definition
from fewaspect.studio.store.projects import project_row
from fewaspect.studio.store.reviews import read_reviews, read_sentences

CHUNK = 256  # sentences scored by the worker before it looks for requests again
TOLD_AT_ONCE = 64  # sentences whose sentiment is read before the worker looks for requests again
RENEWED_AT_ONCE = 64  # sentences presented by the worker before a request may present others
GRACE = 2.0  # seconds for which the previous snapshot may answer
CAPACITY = 16  # projects in memory
_log = logging.getLogger(__name__)


@dataclass
class _Project:
    """The newest snapshot, and the previous one until all that it showed is presented anew."""

    newest: Snapshot
    previous: Snapshot | None = None
    replaced: float = 0.0  # time at which `previous` was no longer the newest

    @classmethod
    def after(cls, before: _Project | None, newest: Snapshot) -> _Project:
        """Without aspects, or of other sentences, there is nothing to present anew."""
        if before is None or newest.detector is None or newest.sentences.version != before.newest.sentences.version:
            return cls(newest)
        if before.previous is not None:  # several changes in a row: the last that was presented
            return cls(newest, before.previous, before.replaced)
        return cls(newest, before.newest, time.monotonic()) if len(before.newest.shown) else cls(newest)

    def accepting(self, revision: int | None) -> Snapshot:
        """For someone who accepts this revision and later ones; None: only the newest."""
        previous = self.previous
        if revision is None or previous is None or previous.revision < revision:
            return self.newest
        return previous if time.monotonic() - self.replaced <= GRACE else self.newest


class _OutdatedError(Exception):
    """What is being worked out is not wanted any more."""


class Engine:
    """Hands out snapshots; what is stale in them is scored by a worker, chunk by chunk, while no request runs.

    So does a detector learn from the imported sentences, before they are scored.
    """

    def __init__(self, database: Database, load: Callable[[], InferenceModel] | None = None) -> None:
        self.database, self._load = database, load or caching_model
        self._model: InferenceModel | None = None
        self._named: dict[str, InferenceModel] = {}
        self._fitting = threading.RLock()  # the model is loaded and each revision fitted once, others wait for it
        self._learning = threading.Lock()  # taken before `_fitting`: one thread encodes what is learned from
        self._promising = threading.Lock()  # one request tunes a snapshot's detector to a precision, others wait
        self._changed = threading.Condition()  # guards the fields below and wakes the worker
        self._fitted_now: set[int] = set()  # projects whose next snapshot is fitted, of the same sentences
        self._projects: OrderedDict[int, _Project] = OrderedDict()  # most recently used last
        self._requests = 0  # that want the processor now
        self._stopped = False
        self._worker = threading.Thread(target=self._work, name="scoring", daemon=True)
        self._worker.start()

    @property
    def model(self) -> InferenceModel:
        """Loaded on first use."""
        with self._fitting:
            if self._model is None:
                self._model = self._load()
            return self._model

    def model_named(self, name: str | None) -> InferenceModel:
        """The one that a project chose, loaded on first use; None: `model`."""
        if name is None:
            return self.model
        with self._fitting:
            if name not in self._named:
                self._named[name] = caching_model(name)
            return self._named[name]

    def model_of(self, project: int) -> InferenceModel:
        with self.database.read() as connection:
            return self.model_named(project_row(connection, project).model)

    @property
    def backend(self) -> str | None:
        """None until the model is loaded."""
        return f"onnx-{self._model.identity['precision']}" if self._model else None

    def snapshot(self, project: int, revision: int | None = None) -> Snapshot:
        """The newest; while the next one is fitted, and for GRACE seconds after a change, the one before it, if it is
        not older than `revision`."""
        if revision is not None and project in self._fitted_now:
            held = self._use(project)
            if held is not None and held.newest.revision >= revision:
                return held.newest
        return self._up_to_date(project).accepting(revision)

    def scored_snapshot(self, project: int) -> Snapshot:
        """The newest, once no sentence is stale."""
        with self.foreground():
            snapshot = self.learned_snapshot(project)
            while len(stale := snapshot.scores.stale()):
                snapshot.score(stale[: 4 * CHUNK])
                snapshot = self.learned_snapshot(project)
            self._promise(snapshot)
            return snapshot

    def told_snapshot(self, project: int) -> Snapshot:
        """The newest, once no sentence is stale and all are read."""
        with self.foreground():
            while (snapshot := self.scored_snapshot(project)).must_tell:
                _tell(snapshot)
            return snapshot

    def learned_snapshot(self, project: int) -> Snapshot:
        """The newest, once its detector has learned from the sentences."""
        while (snapshot := self.snapshot(project)).must_learn:
            self._learn(project, snapshot)
        return snapshot

    def promised_snapshot(self, project: int) -> Snapshot:
        """The newest, once its detector has learned and has been tuned to the precision that is asked for."""
        snapshot = self.learned_snapshot(project)
        self._promise(snapshot)
        return snapshot

    def fit(self, definition: Definition, before: AspectDetector | None = None) -> AspectDetector | None:
        """A fitted detector of its own; examples that `before` has are not encoded again. None without aspects."""
        if not definition.aspects:
            return None
        with self._fitting, warnings.catch_warnings():
            warnings.simplefilter("ignore", ExampleWarning)  # an example without a word stays in the list
            model = self.model_named(definition.model)
            detector = AspectDetector.from_examples(model, definition.as_examples(), definition.thresholds(), before)
            return detector.fit_aspects()  # here, and once: else by each request that comes before one has done it

    def forget(self, project: int) -> None:
        with self._changed:
            self._projects.pop(project, None)

    @contextmanager
    def foreground(self) -> Iterator[None]:
        """While a request is inside, the worker scores nothing."""
        with self._changed:
            self._requests += 1
        try:
            with ONE_THREAD:
                yield
        finally:
            with self._changed:
                self._requests -= 1
                self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._worker.join(timeout=10)

    def _up_to_date(self, project: int) -> _Project:
        """As the database has it now; sentences are read only after an import, and only new examples encoded."""
        with self.database.read() as connection:
            row = project_row(connection, project)
            if (held := self._use(project)) and not held.newest.precedes(row):
                return held
            definition = read_definition(connection, project)
            if held and held.newest.sentences.version == row.imported:
                sentences = held.newest.sentences
            else:
                fields = partial(self._read_fields, project)
                sentences = ImportedSentences.of(read_sentences(connection, project), row.imported, fields)
        with self._fitting:
            if (held := self._use(project)) and not held.newest.precedes(row):
                return held  # another request was faster
            before = held.newest if held and held.newest.definition.model == definition.model else None
            if before is not None and before.sentences is sentences:
                self._fitted_now.add(project)
            try:
                detector = self.fit(definition, before.detector if before else None)
                return self._replace(project, Snapshot.after(before, definition, detector, sentences))
            finally:
                self._fitted_now.discard(project)

    def _read_fields(self, project: int) -> dict[int, dict[str, Any]]:
        with self.database.read() as connection:
            return {review.id: review.fields for review in read_reviews(connection, project)}

    def _learn(self, project: int, snapshot: Snapshot) -> None:
        """Encode some of what is learned from; with the last of it, a snapshot that has learned is the newest."""
        sentences = snapshot.sentences
        with self._learning:
            if not sentences.pile.encode(self.model_named(snapshot.definition.model), CHUNK):
                return
            with self._fitting:
                held = self._use(project)
                if held is None or held.newest.sentences is not sentences or not held.newest.must_learn:
                    return  # removed, changed, or another thread was faster
                before = held.newest.detector
                if before is not None and before.pile_size_:
                    before = None  # fitted anew: what it learned from other sentences is gone
                if (detector := self.fit(held.newest.definition, before)) is not None:
                    self._replace(project, held.newest.after_learning(detector.adapt(sentences.pile.texts)))

    def _promise(self, snapshot: Snapshot) -> None:
        with self._promising:
            if snapshot.must_promise:
                snapshot.promise.work_out(snapshot, lambda share: None)

    def _promise_meanwhile(self, project: int, snapshot: Snapshot) -> None:
        """By the worker: it waits while requests run, and gives up once the snapshot is not the newest or a request
        was faster. Without the lock, for which a request might wait."""

        def pause(share: float) -> None:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or not self._requests)
                held = self._projects.get(project)
            if self._stopped or held is None or held.newest is not snapshot or not snapshot.must_promise:
                raise _OutdatedError

        with suppress(_OutdatedError):
            snapshot.promise.work_out(snapshot, pause)

    def _use(self, project: int) -> _Project | None:
        with self._changed:
            if project in self._projects:
                self._projects.move_to_end(project)
            return self._projects.get(project)

    def _replace(self, project: int, snapshot: Snapshot) -> _Project:
        with self._changed:
            held = self._projects[project] = _Project.after(self._projects.pop(project, None), snapshot)
            while len(self._projects) > CAPACITY:
                self._projects.popitem(last=False)
            self._changed.notify_all()
        return held

    def _work(self) -> None:
        while not self._stopped:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or self._pending())
                task = self._pending()  # None if a request has scored the rest meanwhile
            if task and not self._stopped:
                project, work = task
                try:
                    work()
                except Exception:  # the worker lives on; the project is read anew when it is next asked for
                    _log.exception("scoring failed")
                    self.forget(project)

    def _pending(self) -> tuple[int, Callable[[], None]] | None:
        """What was shown before a change is presented anew at once, all else scored while no request runs."""
        projects = [*reversed(self._projects.items())]
        for project, held in projects:
            if held.previous:
                return project, partial(_renew, held)
        for project, held in projects if not self._requests else ():
            if held.newest.must_learn:
                return project, partial(self._learn, project, held.newest)
            if len(stale := held.newest.scores.stale()):
                return project, partial(held.newest.score, stale[:CHUNK])
            if held.newest.must_promise:
                return project, partial(self._promise_meanwhile, project, held.newest)
            if held.newest.must_tell:
                return project, partial(_tell, held.newest)
        return None


def _tell(snapshot: Snapshot) -> None:
    """Read what some sentences think of their aspects; with the last of them, nothing is left to tell."""
    by = snapshot.decided_by
    rows = unread_rows(snapshot)
    read_sentiment(snapshot, rows[:TOLD_AT_ONCE])
    if len(rows) <= TOLD_AT_ONCE and not len(snapshot.scores.stale()) and snapshot.sentiment is not None:
        snapshot.sentiment.finished = by


def _renew(project: _Project) -> None:
    """Present some of what the previous snapshot showed; when there is nothing left, it answers no more."""
    rows = project.previous.shown.to_renew(project.newest.shown) if project.previous else []
    if rows:
        present(project.newest, rows[-RENEWED_AT_ONCE:])
    else:
        project.previous = None


def caching_model(name: str | None = None) -> InferenceModel:
    """A shipped model on an encoder with a cache: a change of the examples costs no encoding."""
    model = load_model(name)
    return replace(model, encoder=CachingEncoder(model.encoder))
