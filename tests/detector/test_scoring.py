"""LPN+ against its formulas."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fewaspect.core.settings import LPNPlusSettings
from fewaspect.detector import scoring as module
from fewaspect.detector.scoring import LPNPlusScorer, SupportSet, nearest_of, negative_membership, token_list
from fewaspect.inference.encoded import Sentences, unit
from lpn_plus_formulas import Formulas
from scoring_examples import WIDTH, prototypes_of, random_sentences, some_scorer, some_support, states


def formulas(scorer: LPNPlusScorer, support: SupportSet) -> Formulas:
    s = scorer.settings
    return Formulas(
        states(support.examples), support.membership.astype(float), support.negative_weights.tolist(),
        support.duplicate_ids.tolist(), [*support.labels.astype(float)], states(support.label_tokens),
        scorer.attention, scorer.attended_weight, scorer.label_logit, scorer.label_slope,
        s.attention_steps, s.ridge_weight, s.ridge_strength, s.token_match_weight,
    )  # fmt: skip


def check_against_formulas(scorer: LPNPlusScorer, support: SupportSet, queries: Sentences) -> None:
    expected = formulas(scorer, support)
    fitted = scorer.fit(support, prototypes_of(scorer, support))
    components = scorer.components(fitted, queries)
    scores = scorer.combine_scores(components)
    for n in range(len(fitted.shots)):
        for found, value in zip(fitted[:4], expected.fitted(n), strict=True):
            np.testing.assert_allclose(found[n], value, rtol=1e-4, atol=2e-5)
        for q, H in enumerate(states(queries)):
            for part, value in zip(components[:4], expected.components(H, n), strict=True):
                assert part is None or part[q, n] == pytest.approx(value, rel=1e-4, abs=2e-5)
            assert scores[q, n] == pytest.approx(expected.score(H, n), abs=5e-5)
    sums = [evidence.sum(axis=1) for evidence in scorer.token_evidence(fitted, queries)]
    np.testing.assert_allclose(np.stack(sums), scores, atol=5e-5)


@pytest.mark.parametrize("match", [0.0, 0.6])
@pytest.mark.parametrize("aspects", [1, 4, 9])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_scores_are_those_of_the_formulas_and_the_tokens_evidence_sums_to_them(
    match: float, aspects: int, steps: int
) -> None:
    rng = np.random.default_rng(aspects)
    attention, weight, logit, slope = 20 * np.exp(0.3 * rng.normal()), rng.random(), rng.normal(), 0.3 * rng.normal()
    settings = LPNPlusSettings(token_match_weight=match, attention_steps=steps)
    scorer = LPNPlusScorer(float(attention), float(weight), float(logit), float(slope), settings)
    check_against_formulas(scorer, some_support(rng, aspects), random_sentences(rng, 7))


def test_weights_duplicates_and_rows_of_none_enter_as_in_the_formulas() -> None:
    rng = np.random.default_rng(1)
    support = some_support(rng, 3, unused=2)
    support.negative_weights[-2:] = 1.0, 0.5
    support.membership[:] *= rng.integers(1, 4, (len(support.examples), 1)) / 2
    rows = np.arange(len(support.examples))
    rows[1] = 0  # the same sentence twice, for different aspects
    support = support._replace(examples=support.examples.take(rows), duplicate_ids=rows)
    assert (negative_membership(support)[0] == 0).sum() >= 2
    check_against_formulas(some_scorer(), support, random_sentences(rng, 5))


def nearest_direction(
    scorer: LPNPlusScorer, support: SupportSet, prototype: np.ndarray, n: int, max_negatives: int
) -> np.ndarray:
    """The ridge direction of aspect n after one attention step, with the negative rows nearest to its prototype."""
    expected, (S, N) = formulas(scorer, support), support.membership.shape
    positive = [*support.membership[:, n], *(float(m == n) for m in range(N))]
    negative = np.array([*(expected.against(s, n) for s in range(S)), *(float(m != n) for m in range(N))])
    similar = np.concatenate([support.examples.vectors, support.labels]) @ prototype
    negative[sorted(np.flatnonzero(negative), key=lambda row: -similar[row])[max_negatives:]] = 0.0
    z = [expected.attended(H, prototype) for H in states(support.examples)]
    return expected.ridge([*z, *support.labels], positive, [*negative])


@pytest.mark.parametrize("max_negatives", [3, 8, 128])
def test_with_a_limit_an_aspect_is_told_apart_from_the_nearest_others(
    max_negatives: int,
) -> None:
    rng = np.random.default_rng(3)
    scorer = some_scorer(attention_steps=1)
    support = some_support(rng, 5, unused=2)
    support.negative_weights[-2:] = 1.0
    prototypes = prototypes_of(scorer, support)
    found = scorer.fit(support, prototypes, max_negatives)
    assert found.prototypes is prototypes, "a limit does not move them"
    for n, prototype in enumerate(prototypes):
        expected = nearest_direction(scorer, support, prototype, n, max_negatives)
        np.testing.assert_allclose(found.ridge_directions[n], expected, atol=1e-4)


def test_a_limit_that_no_aspect_reaches_changes_nothing() -> None:
    support = some_support(np.random.default_rng(5), 4)
    scorer = some_scorer()
    prototypes = prototypes_of(scorer, support)
    at_once = scorer.fit(support, prototypes)
    one_by_one = scorer.fit(support, prototypes, max_negatives=len(support.examples) + 3)
    for found, expected in zip(one_by_one[:5], at_once[:5], strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("max_negatives", [128, 9])
def test_a_row_that_says_none_of_these_lowers_the_scores_near_it(max_negatives: int) -> None:
    scorer = some_scorer()
    support = some_support(np.random.default_rng(7), 3, unused=1)
    text = support.examples.take(np.array([len(support.examples) - 1]))

    def scores() -> np.ndarray:
        aspects = scorer.fit(support, prototypes_of(scorer, support), max_negatives)
        return scorer.combine_scores(scorer.components(aspects, text))

    before = scores()
    support.negative_weights[-1] = 1.0
    assert (scores() < before).all()


def test_without_any_example_the_names_serve() -> None:
    rng = np.random.default_rng(0)
    scorer = some_scorer()
    labels, nothing = random_sentences(rng, 3), random_sentences(rng, 0)
    empty = np.zeros(0, np.float32)
    support = SupportSet(nothing, empty, np.zeros((0, 3), np.float32), empty, labels.vectors, labels)
    found = scorer.fit(support, labels.vectors)
    np.testing.assert_allclose(found.attended_prototypes, unit(labels.vectors), atol=1e-6)
    assert scorer.components(found, random_sentences(rng, 2)).sentence_similarity.shape == (2, 3)


def attended_examples(scorer: LPNPlusScorer, queries: np.ndarray, support: SupportSet) -> np.ndarray:
    expected = formulas(scorer, support)
    return np.stack([[expected.attended(H, query) for H in states(support.examples)] for query in queries])


def test_an_example_that_is_left_out_is_compared_with_the_others() -> None:
    scorer = some_scorer(attention_steps=1)
    support = some_support(np.random.default_rng(9), 5)
    found = scorer.fit(support, prototypes_of(scorer, support))
    left_out = scorer.leave_one_out(support, found)
    views = attended_examples(scorer, found.attention_queries, support)  # (N, S, d)
    for row, n in itertools.product(np.flatnonzero(support.membership.any(axis=1)), range(5)):
        weights = support.membership[:, n].copy()
        weights[row] = 0  # one that is no example of the aspect is compared with all of them
        for part, vectors in (
            (left_out.sentence_similarity, support.examples.vectors),
            (left_out.attended_similarity, views[n]),
        ):
            others = scorer.prototype(vectors, weights, support.labels[n])
            assert part[row, n] == pytest.approx(vectors[row] @ others, abs=1e-5)


def test_what_stands_in_for_a_name_is_left_out_with_each_example_that_it_is_made_of() -> None:
    scorer = some_scorer(attention_steps=1, ridge_strength=0.3)
    support = some_support(np.random.default_rng(11), 3)
    S, own = len(support.examples), support.membership
    labels = unit((own > 0).T @ support.examples.vectors)
    nothing = Sentences(labels, np.zeros((0, WIDTH), np.float32), np.zeros(3, np.int64))
    support = support._replace(labels=labels, label_tokens=nothing)
    assert support.unnamed.all()
    found = scorer.fit(support, prototypes_of(scorer, support))
    left_out = scorer.leave_one_out(support, found)
    views = attended_examples(scorer, found.attention_queries, support)  # (N, S, d)
    others = negative_membership(support)
    for row, n in zip(*np.nonzero(own), strict=True):
        X = np.concatenate([views[n], labels])
        sides = [np.append(own[:, n], np.eye(3)[n]), np.append(others[:, n], 1 - np.eye(3)[n])]
        total = sum(side.sum() for side in sides)
        weight = sum(side * total / (2 * side.sum()) for side in sides)
        weight[[row, S + n]] = 0.0
        fitted = np.linalg.solve((X.T * weight) @ X + 0.3 * np.eye(WIDTH), (X.T * weight) @ (sides[0] > 0))
        assert left_out.ridge_score[row, n] == pytest.approx(X[row] @ fitted, abs=1e-4)
        rest = own[:, n] * (np.arange(S) != row)
        stand_in = unit((rest > 0) @ support.examples.vectors)
        assert left_out.attended_similarity[row, n] == pytest.approx(
            X[row] @ scorer.prototype(views[n], rest, stand_in), abs=1e-5
        )


def test_every_row_and_every_label_text_lists_its_tokens() -> None:
    support = some_support(np.random.default_rng(2), 3)
    support.membership[:3] = np.eye(3)
    S, own = len(support.examples), support.membership > 0
    kept = own.any(axis=1)
    found = token_list(support)
    lengths = np.concatenate([support.examples.lengths[kept], support.label_tokens.lengths])
    np.testing.assert_array_equal(np.diff([*found.starts, len(found.vectors)]), lengths)
    np.testing.assert_array_equal(found.positive, np.concatenate([own[kept], np.eye(3, dtype=bool)]))
    np.testing.assert_array_equal(found.negative, ~found.positive)
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-6)
    assert kept.sum() < S, "a row without any weight has no tokens in the list"


def test_label_texts_without_tokens_give_none() -> None:
    support = some_support(np.random.default_rng(2), 3)
    nothing = Sentences(support.labels, np.zeros((0, WIDTH), np.float32), np.zeros(3, np.int64))
    found = token_list(support._replace(label_tokens=nothing))
    assert len(found.starts) == len(found.positive) == support.membership.any(axis=1).sum()


def test_of_very_many_examples_those_nearest_to_their_mean_give_the_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TOKEN_EXAMPLES", 3)
    support = some_support(np.random.default_rng(2), 2)
    support.membership[:] = 0
    support.membership[:5, 0] = support.membership[5, 1] = 1
    found = token_list(support)
    assert found.positive[:-2].sum(axis=0).tolist() == [3, 1]
    vectors = support.examples.vectors[:5]
    near = np.sort(np.argsort(-(vectors @ vectors.sum(axis=0)))[:3])
    lengths = np.diff([*found.starts, len(found.vectors)])
    assert lengths[:4].tolist() == support.examples.lengths[[*near, 5]].tolist()


def test_an_aspect_without_tokens_has_no_token_near() -> None:
    near = np.array([[0.2], [0.9], [0.4]])  # three rows, one token
    rows = np.array([[True, False], [False, False], [True, False]])
    assert nearest_of(near, rows).tolist() == [[0.4, 0.0]]


def test_token_matches_do_not_depend_on_how_many_are_computed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    known, sentences = token_list(some_support(rng, 3)), random_sentences(rng, 9)
    at_once = some_scorer().token_matches(known, sentences)
    monkeypatch.setattr(module, "MAX_COSINES", 5 * len(known.vectors))
    np.testing.assert_allclose(some_scorer().token_matches(known, sentences), at_once, atol=1e-6)


def test_learned_numbers_of_version_0_1_are_read() -> None:
    settings = {"looks": 1, "seen_share": 0.3, "word_weight": 0.0}
    written = {"attention": 20, "seen_share": 0.5, "label_logit": -0.4, "label_slope": -0.3, "settings": settings}
    expected = some_scorer(attention_steps=1, attended_weight=0.3, token_match_weight=0.0)
    assert LPNPlusScorer.from_json(written, "runtime.json") == expected
    tensors = {"log_attention": np.log(20), "seen_logit": 0.0, "label_logit": -0.4, "label_slope": -0.3}
    arrays = {f"method.{name}": np.array(value) for name, value in tensors.items()}
    read = LPNPlusScorer.of(arrays, expected.settings)
    assert (read.attention, read.attended_weight) == (pytest.approx(20), 0.5)
