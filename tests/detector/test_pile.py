"""Centring, the linear classifier and neighbours against their definitions; what a detector learns from a pile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fewaspect import AspectDetector
from fewaspect.detector import scoring
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.detector.ridge import linear_head, linear_head_left_out
from fewaspect.detector.scoring import Neighbours, Uncentred
from fewaspect.inference.encoded import unit
from scoring_examples import prototypes_of, random_sentences, some_scorer, some_support, states

EXAMPLES = {"food": ["the soup was cold", "tasty noodles"], "noise": ["thin walls", "a loud street at night"]}
PILE = [f"{what} in room {number}" for number in range(60) for what in ("Loud music", "We ate fish and rice")]


@pytest.fixture(scope="module")
def model() -> InferenceModel:
    """The shipped model with every term of the score."""
    shipped = load_model()
    settings = replace(shipped.scorer.settings, centred=True, head_weight=0.5, neighbour_weight=0.5)
    return replace(shipped, scorer=replace(shipped.scorer, settings=settings))


def test_centred_sentences_have_tokens_without_the_mean_and_the_direction_of_their_sum() -> None:
    rng = np.random.default_rng(0)
    sentences, mean = random_sentences(rng, 6), rng.normal(size=16).astype(np.float32)
    found = sentences.centred(mean)
    for vector, tokens, before in zip(found.vectors, states(found), states(sentences), strict=True):
        np.testing.assert_allclose(tokens, before - mean, atol=1e-6)
        np.testing.assert_allclose(vector, unit((before - mean).sum(axis=0)), atol=1e-5)
    assert sentences.centred(None) is sentences


@pytest.mark.parametrize("rows", [5, 12, 40])
def test_the_linear_classifier_is_ridge_regression_and_a_row_left_out_is_one_fitted_without_it(rows: int) -> None:
    rng = np.random.default_rng(rows)
    X, Y = rng.normal(size=(rows, 16)), (rng.random((rows, 3)) < 0.4).astype(float)
    y = Y - Y.mean(axis=0)

    def solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.linalg.solve(A.T @ A + 0.7 * np.eye(16), A.T @ b).T

    np.testing.assert_allclose(linear_head(X, Y, 0.7), solved(X, y), atol=1e-8)
    left = linear_head_left_out(X, Y, 0.7)
    for i in range(rows):
        others = np.arange(rows) != i
        np.testing.assert_allclose(left[i], X[i] @ solved(X[others], y[others]).T, atol=1e-8)
    np.testing.assert_allclose(linear_head_left_out(X, Y, 0.7, np.array([4, 1])), left[[4, 1]], atol=1e-12)


def test_neighbours_give_the_weighted_mean_of_their_values_and_none_is_its_own() -> None:
    rng = np.random.default_rng(3)
    scorer = some_scorer(neighbour_weight=0.5)
    known = Neighbours(unit(rng.normal(size=(120, 16))), rng.normal(size=(120, 2)))
    fitted = scorer.fit(some_support(rng, 2), rng.normal(size=(2, 16)).astype(np.float32))._replace(neighbours=known)
    found = scorer.neighbour_score(fitted, known.vectors[:4], left_out=True)
    for i in range(4):
        cosines = known.vectors @ known.vectors[i]
        cosines[i] = -1
        nearest = np.argsort(-cosines)[: scoring.NEAREST]
        weights = np.exp(scoring.NEAREST_SCALE * cosines[nearest])
        np.testing.assert_allclose(found[i], weights @ known.values[nearest] / weights.sum())


def test_with_few_sentences_the_sentence_itself_stands_in_and_words_add_up_to_the_score() -> None:
    rng = np.random.default_rng(4)
    scorer, support, texts = (
        some_scorer(head_weight=0.5, neighbour_weight=0.5),
        some_support(rng, 3),
        random_sentences(rng, 5),
    )
    fitted = scorer.fit(support, prototypes_of(scorer, support))
    assert fitted.neighbours is None
    components = scorer.components(fitted, texts)
    np.testing.assert_allclose(components.neighbour_score, texts.vectors @ scorer.sentence_directions(fitted).T)
    sums = [evidence.sum(axis=1) for evidence in scorer.token_evidence(fitted, texts)]
    np.testing.assert_allclose(np.stack(sums), scorer.combine_scores(components), atol=5e-5)


def test_uncentred_similarity_is_that_of_the_texts_as_they_are_read_and_an_example_is_left_out_of_its_own() -> None:
    rng = np.random.default_rng(6)
    scorer, read, texts = some_scorer(), some_support(rng, 3), random_sentences(rng, 5)
    mean = rng.normal(size=16).astype(np.float32)
    names = read.label_tokens.centred(mean)
    support = read._replace(
        examples=read.examples.centred(mean), labels=names.vectors, label_tokens=names,
        uncentred=Uncentred(read.examples.vectors, read.labels),
    )  # fmt: skip
    fitted = scorer.fit(support, prototypes_of(scorer, support))._replace(mean=mean)
    found, plain = scorer.components(fitted, texts), scorer.fit(read, prototypes_of(scorer, read))
    np.testing.assert_allclose(found.uncentred_similarity, texts.vectors @ plain.prototypes.T, atol=1e-6)
    np.testing.assert_allclose(found.sentence_similarity, texts.centred(mean).vectors @ fitted.prototypes.T, atol=1e-6)
    expected = scorer.leave_one_out(read, plain).sentence_similarity
    np.testing.assert_allclose(scorer.leave_one_out(support, fitted).uncentred_similarity, expected, atol=1e-6)


def test_the_pile_is_among_the_neighbours_but_for_the_examples_themselves() -> None:
    rng = np.random.default_rng(5)
    scorer, support = some_scorer(neighbour_weight=0.5), some_support(rng, 3)
    pile = np.concatenate([random_sentences(rng, 150).vectors, support.examples.vectors[:4]])
    fitted = scorer.fit(support, prototypes_of(scorer, support), pile=pile)
    assert fitted.neighbours is not None
    assert len(fitted.neighbours.vectors) == 150 + len(support.examples)


def test_a_pile_changes_answers_and_is_the_same_in_any_order(model: InferenceModel) -> None:
    texts = ["the fish was good", "so much noise", "see you on Monday"]
    plain = AspectDetector(model).fit(EXAMPLES)
    one = AspectDetector(model).fit(EXAMPLES, unlabelled=PILE)
    other = AspectDetector(model).fit(EXAMPLES).adapt(PILE[::-1])
    assert (plain.pile_size_, one.pile_size_) == (0, 120)
    assert np.abs(plain.predict_proba(texts) - one.predict_proba(texts)).max() > 1e-3
    np.testing.assert_array_equal(one.predict_proba(texts), other.predict_proba(texts))


def test_answers_do_not_depend_on_what_is_read_beside_a_text(model: InferenceModel) -> None:
    detector = AspectDetector(model).fit(EXAMPLES, unlabelled=PILE)
    texts = ["the fish was good", "so much noise", *PILE[:30]]
    alone = np.concatenate([detector.predict_proba([text]) for text in texts])
    np.testing.assert_allclose(detector.predict_proba(texts), alone, atol=2e-3)  # int8 reads a batch in one range


def test_few_texts_change_nothing_and_an_earlier_pile_stays(model: InferenceModel) -> None:
    detector = AspectDetector(model).fit(EXAMPLES, unlabelled=PILE[:20])
    assert detector.pile_size_ == 0
    assert detector.adapt(PILE).adapt([]).adapt(PILE[:5]).pile_size_ == 120
    assert detector.add_aspect("staff", ["a rude waiter"]).fit_aspects().pile_size_ == 120


def test_a_single_example_is_not_lost_by_centring(model: InferenceModel) -> None:
    detector = AspectDetector(model).fit({"food": ["the soup was cold"]})
    high, low = detector.predict_proba(["cold soup", "the bus was late"])[:, 0]
    assert high > low


def test_a_pile_is_saved_with_the_detector(tmp_path: Path) -> None:
    detector = AspectDetector().fit(EXAMPLES, unlabelled=PILE)
    again = AspectDetector.load(detector.save(tmp_path / "saved"))
    assert again.pile_size_ == detector.pile_size_ == 120
    np.testing.assert_array_equal(again.predict_proba(PILE[:5]), detector.predict_proba(PILE[:5]))
