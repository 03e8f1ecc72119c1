"""The same changes as those of `ProjectModel`, done by the store and by the API of the studio."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attacks.project_model import RefusedError
from fewaspect.studio.problems import NameTakenError, NothingToUndoError
from fewaspect.studio.store import definition, import_records, journal, rejections, skipping
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.projects import create_project, remove_project
from fewaspect.studio.store.reviews import NewReview, read_sentences
from fewaspect.text.splitting import sentence_spans

API = "/api/v1"


def stored_state(database: Database, project: int) -> dict[str, Any]:
    """What the database has of a project, as `State.shown` tells it."""
    with database.read() as connection:
        own = definition.read_definition(connection, project)
        names = {aspect.id: aspect.name for aspect in own.aspects}
        return {
            "aspects": [(aspect.name, aspect.threshold) for aspect in own.aspects],
            "examples": [(one.text, sorted(names[a] for a in one.aspects)) for one in own.examples],
            "threshold": own.threshold,
            "sentences": [row.text for row in read_sentences(connection, project)],
            "rejected": [_rejected(own, names, row.text) for row in read_sentences(connection, project)],
            "imports": [one["reviews"] for one in import_records.list_imports(connection, project)],
        }


def _rejected(own: definition.Definition, names: dict[int, str], text: str) -> list[str]:
    key = definition.identity_of(text)
    if any(one.identity == key for one in own.examples):
        return []
    return sorted(names[one.aspect] for one in own.rejections if definition.identity_of(one.text) == key)


class StoreDriver:
    """One project, changed by the functions of the store."""

    def __init__(self, database: Database, name: str) -> None:
        self.database = database
        with database.write() as connection:
            self.project = create_project(connection, name)

    def state(self) -> dict[str, Any]:
        return stored_state(self.database, self.project)

    def add_aspect(self, name: str, texts: Sequence[str]) -> None:
        self._change(definition.add_aspect, definition.NewAspect(name), texts)

    def rename_aspect(self, name: str, new: str) -> None:
        self._change(definition.change_aspect, self._aspect(name), {"name": new})

    def set_aspect_threshold(self, name: str, threshold: float | None) -> None:
        self._change(definition.change_aspect, self._aspect(name), {"threshold": threshold})

    def set_threshold(self, threshold: float | None) -> None:
        self._change(definition.set_threshold, threshold)

    def remove_aspect(self, name: str) -> None:
        self._change(definition.remove_aspect, self._aspect(name))

    def put_example(self, text: str, aspects: Sequence[str]) -> None:
        self._change(definition.put_example, text, [self._aspect(name) for name in aspects])

    def correct(self, sentence: int, aspects: Sequence[str]) -> None:
        row, own = self._sentence(sentence), [self._aspect(name) for name in aspects]
        self._change(definition.put_example, row.text, own, row.id)

    def release(self, sentence: int) -> None:
        with self.database.read() as connection:
            found = definition.example_of(connection, self.project, self._sentence(sentence).text)
        if found is not None:
            self._change(definition.remove_example, found.id)

    def reject(self, sentence: int, aspect: str) -> None:
        self._change(rejections.reject_aspect, self._sentence(sentence).text, self._aspect(aspect))

    def restore(self, sentence: int, aspect: str) -> None:
        self._change(rejections.restore_aspect, self._sentence(sentence).text, self._aspect(aspect))

    def skip(self, sentence: int) -> None:
        self._change(skipping.skip_sentence, self._sentence(sentence).text)

    def offer(self, sentence: int) -> None:
        self._change(skipping.offer_sentence, self._sentence(sentence).text)

    def import_reviews(self, texts: Sequence[str], duplicates: str) -> None:
        new = [NewReview(text, None, {}, sentence_spans(text)) for text in texts]
        self._change(import_records.add_import, new, import_records.ImportedFile("r.csv", ""), duplicates)

    def remove_import(self, place: int, labels: bool) -> None:
        with self.database.read() as connection:
            number = import_records.list_imports(connection, self.project)[place]["id"]
        with self.database.write() as connection:
            import_records.remove_import(connection, self.project, number, labels=labels)

    def remove_reviews(self, labels: bool) -> None:
        with self.database.write() as connection:
            import_records.remove_reviews(connection, self.project, labels=labels)

    def undo(self) -> None:
        self._change(journal.undo)

    def redo(self) -> None:
        self._change(journal.redo)

    def close(self) -> None:
        with self.database.write() as connection:
            remove_project(connection, self.project)

    def _change(self, function: Callable[..., Any], *arguments: Any) -> None:
        try:
            with self.database.write() as connection:
                function(connection, self.project, *arguments)
        except (NameTakenError, NothingToUndoError) as error:
            raise RefusedError(str(error)) from error

    def _aspect(self, name: str) -> int:
        with self.database.read() as connection:
            own = definition.read_definition(connection, self.project).aspects
        return next(aspect.id for aspect in own if aspect.name == name)

    def _sentence(self, place: int) -> Any:
        with self.database.read() as connection:
            return read_sentences(connection, self.project)[place]


class ApiDriver:
    """One project, changed by requests; `ask` is the `request` of a client, which gives answers of httpx."""

    def __init__(self, ask: Callable[..., Any], name: str = "", project: int = 0) -> None:
        """A new project of that name, or one that there is."""
        self.ask = ask
        project = project or self._post(f"{API}/projects", json={"name": name}).json()["id"]
        self.address = f"{API}/projects/{project}"

    @property
    def project(self) -> int:
        return int(self.address.rpartition("/")[2])

    def state(self, address: str | None = None) -> dict[str, Any]:
        """As the page reads it."""
        address = address or self.address
        about = self._get(address)
        names = {aspect["id"]: aspect["name"] for aspect in about["aspects"]}
        examples = self._get(f"{address}/examples?limit=1000")["examples"]
        sentences = self._get(f"{address}/sentences?limit=200")["sentences"]
        return {
            "aspects": [(aspect["name"], aspect["threshold"]) for aspect in about["aspects"]],
            "examples": [(one["text"], sorted(names[a] for a in one["aspects"])) for one in examples],
            "threshold": about["threshold_set"],
            "sentences": [one["text"] for one in sentences],
            "rejected": [sorted(names[number] for number in one["rejected"]) for one in sentences],
            "imports": [one["reviews"] for one in self._get(f"{address}/imports")["imports"]],
        }

    def add_aspect(self, name: str, texts: Sequence[str]) -> None:
        self._post(f"{self.address}/aspects", json={"name": name, "examples": list(texts)})

    def rename_aspect(self, name: str, new: str) -> None:
        self._send("PATCH", self._aspect_address(name), json={"name": new})

    def set_aspect_threshold(self, name: str, threshold: float | None) -> None:
        self._send("PATCH", self._aspect_address(name), json={"threshold": threshold})

    def set_threshold(self, threshold: float | None) -> None:
        self._send("PATCH", self.address, json={"threshold": threshold})

    def remove_aspect(self, name: str) -> None:
        self._send("DELETE", self._aspect_address(name))

    def put_example(self, text: str, aspects: Sequence[str]) -> None:
        own = [self._aspects()[name] for name in aspects]
        self._post(f"{self.address}/examples", json={"text": text, "aspects": own})

    def correct(self, sentence: int, aspects: Sequence[str]) -> None:
        own = [self._aspects()[name] for name in aspects]
        self._send("PUT", f"{self._sentence_address(sentence)}/aspects", json={"aspects": own})

    def release(self, sentence: int) -> None:
        self._send("DELETE", f"{self._sentence_address(sentence)}/aspects")

    def reject(self, sentence: int, aspect: str) -> None:
        self._send("PUT", f"{self._sentence_address(sentence)}/rejected/{self._aspects()[aspect]}")

    def restore(self, sentence: int, aspect: str) -> None:
        self._send("DELETE", f"{self._sentence_address(sentence)}/rejected/{self._aspects()[aspect]}")

    def skip(self, sentence: int) -> None:
        self._send("PUT", f"{self._sentence_address(sentence)}/skipped")

    def offer(self, sentence: int) -> None:
        self._send("DELETE", f"{self._sentence_address(sentence)}/skipped")

    def import_reviews(self, texts: Sequence[str], duplicates: str) -> None:
        file = {"file": ("r.txt", "\n".join(texts).encode())}
        started = self._post(f"{self.address}/imports", files=file, data={"duplicates": duplicates})
        events = self._send("GET", f"{self.address}/jobs/{started.json()['job']}/events").text
        assert "event: done" in events, events

    def remove_import(self, place: int, labels: bool) -> None:
        number = self._get(f"{self.address}/imports")["imports"][place]["id"]
        self._send("DELETE", f"{self.address}/imports/{number}?labels={'remove' if labels else 'keep'}")

    def remove_reviews(self, labels: bool) -> None:
        self._send("DELETE", f"{self.address}/reviews?labels={'remove' if labels else 'keep'}")

    def put_own_detector(self) -> None:
        content = self._send("GET", f"{self.address}/model").content
        self._post(f"{self.address}/model", files={"file": ("d.zip", content)})

    def undo(self) -> None:
        self._post(f"{self.address}/undo")

    def redo(self) -> None:
        self._post(f"{self.address}/redo")

    def close(self) -> None:
        self._send("DELETE", self.address)

    def carried(self) -> dict[str, Any]:
        """The state of a copy that is made by export and import."""
        content = self._send("GET", f"{self.address}/export").content
        made = self._post(f"{API}/projects/import", files={"file": ("p.zip", content)}).json()["id"]
        state = self.state(f"{API}/projects/{made}")
        self._send("DELETE", f"{API}/projects/{made}")
        return state

    def detected(self, texts: Sequence[str]) -> list[list[str]]:
        found = self._post(f"{self.address}/detect", json={"texts": list(texts)}).json()["results"]
        return [one["aspects"] for one in found]

    def save_detector(self, folder: Path) -> None:
        content = self._send("GET", f"{self.address}/model").content
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            archive.extractall(folder)

    def _send(self, method: str, address: str, **options: Any) -> Any:
        answer = self.ask(method, address, **options)
        if answer.status_code == 409:
            raise RefusedError(answer.text)
        assert answer.status_code < 300, (method, address, answer.status_code, answer.text)
        return answer

    def _post(self, address: str, **options: Any) -> Any:
        return self._send("POST", address, **options)

    def _get(self, address: str) -> Any:
        return self._send("GET", address).json()

    def _aspects(self) -> dict[str, int]:
        return {aspect["name"]: aspect["id"] for aspect in self._get(self.address)["aspects"]}

    def _aspect_address(self, name: str) -> str:
        return f"{self.address}/aspects/{self._aspects()[name]}"

    def _sentence_address(self, place: int) -> str:
        found = self._get(f"{self.address}/sentences?offset={place}&limit=1")["sentences"]
        return f"{self.address}/sentences/{found[0]['id']}"
