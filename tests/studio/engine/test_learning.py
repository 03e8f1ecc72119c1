"""The detector of a project learns from its imported sentences in the background, and takes that along."""

from __future__ import annotations

import csv
import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.inference.encoding_cache import CachingEncoder
from fewaspect.studio.engine.engine import Engine
from fewaspect.studio.engine.presenters import present
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import NewAspect, add_aspect, put_example, remove_aspect
from fewaspect.studio.store.import_records import remove_reviews
from fewaspect.studio.store.projects import create_project
from fewaspect.studio.store.reviews import NewReview, add_reviews
from in_process import fewaspect
from pile import REVIEWS, adaptive_model
from studio_imports import import_text

SENTENCES = [text for text in REVIEWS if "." not in text[:-1]] + [
    f"{sentence.rstrip('.')}." for text in REVIEWS if "." in text[:-1] for sentence in text.split(". ")
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return adaptive_model(tmp_path_factory.mktemp("adapt") / "model")


@pytest.fixture(scope="module")
def scorer(folder: Path) -> InferenceModel:
    model = load_model(folder)
    return replace(model, encoder=CachingEncoder(model.encoder))


@pytest.fixture
def engine(tmp_path: Path, scorer: InferenceModel) -> Iterator[Engine]:
    """With two projects of the same aspects, and no sentences yet."""
    database = Database(str(tmp_path / "studio.db"))
    with database.write() as connection:
        for project in (1, 2):
            create_project(connection, str(project))
            for name, texts in EXAMPLES.items():
                add_aspect(connection, project, NewAspect(name), texts)
    engine = Engine(database, lambda: scorer)
    yield engine
    engine.stop()
    database.close()


def add(engine: Engine, texts: list[str], project: int = 1) -> None:
    with engine.database.write() as connection:
        add_reviews(connection, project, [NewReview(text, None, {}, [(0, len(text))]) for text in texts])


def found(engine: Engine, project: int = 1) -> dict[str, np.ndarray]:
    """The probabilities of each sentence, once all are scored."""
    snapshot = engine.scored_snapshot(project)
    return dict(zip(snapshot.sentences.texts, snapshot.scores.probabilities, strict=True))


def expected(model: InferenceModel, pile: list[str], texts: list[str]) -> np.ndarray:
    return AspectDetector(model).fit(EXAMPLES).adapt(pile).predict_proba(texts)


def wait_until(there: Callable[[], bool]) -> None:
    for _ in range(1000):
        if there():
            return
        time.sleep(0.02)
    raise AssertionError("it does not happen")


def test_a_project_learns_from_its_sentences(engine: Engine, scorer: InferenceModel) -> None:
    add(engine, SENTENCES)
    probabilities = np.array([found(engine)[text] for text in SENTENCES])
    np.testing.assert_allclose(probabilities, expected(scorer, SENTENCES, SENTENCES), atol=1e-5)
    assert abs(probabilities - expected(scorer, [], SENTENCES)).max() > 0.05


def test_the_worker_learns_before_it_scores(engine: Engine, scorer: InferenceModel) -> None:
    add(engine, SENTENCES)
    first = engine.snapshot(1)
    assert first.must_learn or first.detector.pile_size_
    wait_until(lambda: engine.snapshot(1).scored == 1.0)
    snapshot = engine.snapshot(1)
    assert snapshot.detector is not None
    assert snapshot.detector.pile_size_ > 100
    assert snapshot.revision == first.revision
    np.testing.assert_allclose(snapshot.scores.probabilities, expected(scorer, SENTENCES, SENTENCES), atol=1e-5)


def test_while_a_request_runs_nothing_is_learned(engine: Engine) -> None:
    with engine.foreground():
        add(engine, SENTENCES)
        snapshot = engine.snapshot(1)
        present(snapshot, range(len(SENTENCES)))
        assert snapshot.scores.scored == 1.0
        assert snapshot.scored < 1.0, "these scores will not stay"
        time.sleep(0.1)
        assert engine.snapshot(1).must_learn
    wait_until(lambda: engine.snapshot(1).scored == 1.0)
    assert not engine.snapshot(1).must_learn


def test_the_same_sentences_teach_the_same_however_they_came(engine: Engine) -> None:
    add(engine, SENTENCES)
    add(engine, SENTENCES[100:], 2)
    engine.scored_snapshot(2)
    add(engine, SENTENCES[:100][::-1], 2)
    one, other = found(engine, 1), found(engine, 2)
    assert set(one) == set(other)
    for text in one:
        np.testing.assert_allclose(one[text], other[text], atol=1e-5)


def test_what_was_removed_is_no_longer_known(engine: Engine, scorer: InferenceModel) -> None:
    add(engine, SENTENCES)
    engine.scored_snapshot(1)
    with engine.database.write() as connection:
        remove_reviews(connection, 1)
    add(engine, SENTENCES[:5])
    probabilities = np.array([found(engine)[text] for text in SENTENCES[:5]])
    np.testing.assert_allclose(probabilities, expected(scorer, [], SENTENCES[:5]), atol=1e-5)


def test_from_few_sentences_nothing_is_learned(engine: Engine) -> None:
    add(engine, SENTENCES[:99])
    snapshot = engine.scored_snapshot(1)
    assert not snapshot.must_learn
    assert snapshot.detector is not None
    assert snapshot.detector.pile_size_ == 0
    add(engine, SENTENCES[:1] * 60)
    again = engine.scored_snapshot(1)
    assert again.scored == 1.0, "many, but not different ones"
    assert again.detector is not None
    assert again.detector.pile_size_ == 0


def test_a_change_of_the_examples_keeps_what_was_learned(
    engine: Engine, scorer: InferenceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(engine, SENTENCES)
    size = engine.scored_snapshot(1).detector.pile_size_
    asked = []
    inner = scorer.encoder.encoder
    name = "states_and_lower"  # of the shipped model, whose lower layer is read, too
    real = getattr(inner, name)
    monkeypatch.setattr(inner, name, lambda ids: asked.append(len(ids)) or real(ids))
    with engine.database.write() as connection:
        put_example(connection, 1, "an example that nobody wrote before 4712", [1])
    snapshot = engine.snapshot(1)
    assert not snapshot.must_learn
    assert snapshot.detector.pile_size_ == size
    engine.scored_snapshot(1)
    assert sum(asked) == 1


def test_aspects_that_come_back_learn_again(engine: Engine) -> None:
    add(engine, SENTENCES)
    engine.scored_snapshot(1)
    with engine.database.write() as connection:
        for aspect in (1, 2, 3):
            remove_aspect(connection, 1, aspect)
    assert engine.scored_snapshot(1).detector is None
    with engine.database.write() as connection:
        add_aspect(connection, 1, NewAspect("food"), EXAMPLES["food"])
    assert engine.scored_snapshot(1).detector.pile_size_ > 100


def test_a_downloaded_detector_answers_as_the_page_does(make_client: Callable[..., TestClient], tmp_path: Path) -> None:
    client = make_client()
    project = f"/api/v1/projects/{client.post('/api/v1/projects', json={'name': 'Hotel'}).json()['id']}"
    for name, examples in EXAMPLES.items():
        client.post(f"{project}/aspects", json={"name": name, "examples": examples}).raise_for_status()
    import_text(client, project, "".join(f"{text}\n" for text in REVIEWS))
    assert client.get(project).json()["scored"] == 1.0
    with zipfile.ZipFile(io.BytesIO(client.get(f"{project}/model").content)) as archive:
        archive.extractall(tmp_path / "saved")
    rows = list(csv.DictReader(io.StringIO(client.get(f"{project}/results").content.decode("utf-8-sig"))))
    (tmp_path / "sentences.txt").write_text("".join(f"{row['text']}\n" for row in rows))
    out = tmp_path / "found.jsonl"
    done = fewaspect("detect", tmp_path / "sentences.txt", "--model", tmp_path / "saved", "-o", out)
    assert done.returncode == 0, done.stderr
    assert "saved with the detector" in done.stderr
    for row, line in zip(rows, out.read_text().splitlines(), strict=True):
        answer = json.loads(line)
        assert "; ".join(answer["aspects"]) == row["aspects"]
        for name, probability in answer["probabilities"].items():
            assert float(row[f"p_{name}"]) == pytest.approx(probability, abs=3e-3)  # half precision
