"""LPN+ in numpy is LPN+ in torch."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from fewaspect.core.settings import LPNPlusSettings
from fewaspect.detector import scoring as module
from fewaspect.detector.scoring import LPNPlusScorer, SupportSet, ridge_directions
from fewaspect.encoders.packed import PackedStates
from fewaspect.inference.encoded import Sentences, unit
from fewaspect.methods.base import Representations
from fewaspect.methods.lpn_plus import LPNPlus

WIDTH = 16


def random_sentences(rng: np.random.Generator, count: int) -> Sentences:
    """Token states of one to nine tokens, with a common direction, as encoders have it."""
    return Sentences.of(
        [rng.normal(0.3, 1, (rng.integers(1, 10), WIDTH)).astype(np.float32) for _ in range(count)], WIDTH
    )


def in_torch(sentences: Sentences) -> Representations:
    tokens = PackedStates(torch.from_numpy(sentences.tokens), torch.from_numpy(sentences.lengths))
    return Representations(torch.from_numpy(sentences.vectors), tokens)


def some_known(rng: np.random.Generator, aspects: int, unused: int = 0) -> SupportSet:
    """Uneven examples, one of two aspects; an aspect without any if there are a few; `unused` rows count for none."""
    examples, labels = random_sentences(rng, 4 * aspects + unused), random_sentences(rng, aspects)
    membership = np.zeros((len(examples), aspects), dtype=np.float32)
    membership[np.arange(4 * aspects), np.arange(4 * aspects) % aspects] = 1
    membership[0, -1] = 1
    membership[(rng.random(membership.shape) < 0.2) & (np.arange(len(examples)) >= aspects)[:, None]] = 0
    membership[:, 0] *= aspects != 4
    return SupportSet(
        examples, np.arange(len(examples)), membership, np.zeros(len(examples), np.float32), labels.vectors, labels
    )


def prototypes_of(looking: LPNPlusScorer, known: SupportSet) -> np.ndarray:
    columns = zip(known.membership.T, known.labels, strict=True)
    return np.stack([looking.prototype(known.examples.vectors, own, label) for own, label in columns])


@pytest.mark.parametrize("words", [0.0, 0.6])
@pytest.mark.parametrize("aspects", [1, 4, 9])
@pytest.mark.parametrize("looks", [1, 2, 3])
def test_numpy_and_torch_agree(words: float, aspects: int, looks: int) -> None:
    rng = np.random.default_rng(aspects)
    torch.manual_seed(aspects)
    settings = LPNPlusSettings(word_weight=words, looks=looks)
    method = LPNPlus(WIDTH, settings, way=5).eval()
    with torch.no_grad():
        for parameter in (method.log_attention, method.seen_logit, method.label_logit, method.label_slope):
            parameter.add_(0.3 * torch.randn(()))
    looking = LPNPlusScorer.of(
        {f"method.{name}": value.numpy() for name, value in method.state_dict().items()}, settings
    )
    known, queries = some_known(rng, aspects), random_sentences(rng, 7)
    found, _ = looking.learn(known, prototypes_of(looking, known))
    with torch.inference_mode():
        given = torch.from_numpy(known.membership)
        expected = method.learn(in_torch(known.examples), given, in_torch(known.label_words))
        parts = method.parts(expected, in_torch(queries))
        scores = method.together(parts)
    for name in ("prototypes", "looking", "seen", "directions", "shots"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name).numpy(), rtol=1e-4, atol=2e-5, err_msg=name
        )
    mine = looking.parts(found, queries)
    for name in ("whole", "seen", "apart"):
        np.testing.assert_allclose(
            getattr(mine, name), getattr(parts, name).numpy(), rtol=1e-4, atol=2e-5, err_msg=name
        )
    np.testing.assert_allclose(looking.together(mine), scores.numpy(), atol=5e-5)
    sums = [shares.sum(axis=1) for shares in looking.evidence(found, queries)]
    np.testing.assert_allclose(np.stack(sums), scores.numpy(), atol=5e-5)


def plain_direction(
    looking: LPNPlusScorer, known: SupportSet, prototype: np.ndarray, n: int, most_others: int
) -> np.ndarray:
    """What sets aspect n apart in one look, written out row by row, solved in the space of features."""
    S, N = known.membership.shape
    rows = [*known.examples.vectors, *known.labels]
    weight = [*known.membership[:, n], *(float(m == n) for m in range(N))]
    counts = [*(known.membership.sum(axis=1) + known.none), *np.ones(N)]
    others = [row for row in range(S + N) if not weight[row] and counts[row]]
    near = sorted(others, key=lambda row: -float(rows[row] @ prototype))[:most_others]
    own = [row for row in range(S + N) if weight[row]]
    total = sum(weight[row] for row in own) + sum(counts[row] for row in near)
    A, y = looking.settings.ridge_strength * np.eye(WIDTH), np.zeros(WIDTH)
    for side, weights in ((own, weight), (near, counts)):
        for row in side:
            if row < S:
                start = int(known.examples.lengths[:row].sum())
                tokens = known.examples.tokens[start : start + known.examples.lengths[row]]
                attention = np.exp(looking.attention * (unit(tokens) @ prototype))
                view = unit(attention / attention.sum() @ tokens)
            else:
                view = rows[row]
            share = weights[row] * total / (2 * sum(weights[r] for r in side))
            A += share * np.outer(view, view)
            y += share * view * (side is own)
    return np.linalg.solve(A, y)


@pytest.mark.parametrize("most_others", [3, 8, 128])
def test_with_a_bound_an_aspect_is_told_apart_from_the_nearest_others(
    most_others: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ASPECTS_AT_ONCE", 2)
    rng = np.random.default_rng(3)
    looking = LPNPlusScorer(20.0, 0.5, -0.4, -0.3, LPNPlusSettings(looks=1))
    known = some_known(rng, 5, unused=2)
    known.none[-2:] = 1.0
    prototypes = prototypes_of(looking, known)
    found, _ = looking.learn(known, prototypes, most_others)
    assert found.prototypes is prototypes, "a bound and others do not move them"
    for n, prototype in enumerate(prototypes):
        expected = plain_direction(looking, known, prototype, n, most_others)
        np.testing.assert_allclose(found.directions[n], expected, atol=1e-4)


def test_aspects_learned_a_few_at_a_time_are_those_learned_together(monkeypatch: pytest.MonkeyPatch) -> None:
    known = some_known(np.random.default_rng(5), 4)
    looking = LPNPlusScorer(20.0, 0.5, -0.4, -0.3, LPNPlusSettings())
    prototypes = prototypes_of(looking, known)
    together, _ = looking.learn(known, prototypes)
    monkeypatch.setattr(module, "ASPECTS_AT_ONCE", 3)
    few, _ = looking.learn(known, prototypes, most_others=len(known.examples) + 3)  # which no aspect has so many of
    for found, expected in zip(few[:5], together[:5], strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("most_others", [128, 9])
def test_a_row_that_says_none_of_these_lowers_the_scores_near_it(most_others: int) -> None:
    looking = LPNPlusScorer(20.0, 0.5, -0.4, -0.3, LPNPlusSettings())
    known = some_known(np.random.default_rng(7), 3, unused=1)
    text = known.examples.take(np.array([len(known.examples) - 1]))

    def scores() -> np.ndarray:
        aspects, _ = looking.learn(known, prototypes_of(looking, known), most_others)
        return looking.together(looking.parts(aspects, text))

    before = scores()
    known.none[-1] = 1.0
    assert (scores() < before).all()


def test_without_any_example_the_names_serve() -> None:
    rng = np.random.default_rng(0)
    looking = LPNPlusScorer(20.0, 0.5, -0.4, -0.3, LPNPlusSettings())
    labels, nothing = random_sentences(rng, 3), random_sentences(rng, 0)
    empty = np.zeros(0, np.float32)
    known = SupportSet(nothing, empty, np.zeros((0, 3), np.float32), empty, labels.vectors, labels)
    found, _ = looking.learn(known, labels.vectors)
    np.testing.assert_allclose(found.seen, unit(labels.vectors), atol=1e-6)
    assert looking.parts(found, random_sentences(rng, 2)).whole.shape == (2, 3)


@pytest.mark.parametrize("rows", [5, 30])
def test_what_is_answered_without_a_row_is_what_is_fitted_without_it(rows: int) -> None:
    rng = np.random.default_rng(rows)
    X = rng.normal(size=(2, rows, WIDTH))
    own = (rng.random((2, rows)) < 0.4) * rng.random((2, rows))
    own[:, 0], own[:, 1], own[:, 3] = 0.7, 0.0, 0.6
    others = np.where(own > 0, 0.0, 1.0)
    own[1, 2] = others[1, 2] = 0.0
    found, without = ridge_directions(X, own, others, 0.3)
    _, without_both = ridge_directions(X, own, others, 0.3, np.array([-1, 3]))
    np.testing.assert_array_equal(without_both[0], without[0])
    assert np.isnan(without[1, 2]), "it plays no part"
    for n in range(2):
        total = own[n].sum() + others[n].sum()
        weight = own[n] * total / (2 * own[n].sum()) + others[n] * total / (2 * others[n].sum())

        def fitted(left: list[int], n: int = n, weight: np.ndarray = weight) -> np.ndarray:
            A, y = X[n, left], (own[n, left] > 0).astype(float)
            return np.linalg.solve((A.T * weight[left]) @ A + 0.3 * np.eye(WIDTH), (A.T * weight[left]) @ y)

        every = list(range(rows))
        np.testing.assert_allclose(found[n], fitted(every), atol=1e-9)
        for row in every:
            if weight[row]:
                left = [other for other in every if other != row]
                assert without[n, row] == pytest.approx(X[n, row] @ fitted(left), abs=1e-8)
                together = [other for other in left if other != 3] if own[n, row] and n == 1 else left
                if row != 3:
                    assert without_both[n, row] == pytest.approx(X[n, row] @ fitted(together), abs=1e-8)


def test_an_example_that_is_left_out_is_compared_with_the_others() -> None:
    looking = LPNPlusScorer(20.0, 0.5, -0.4, -0.3, LPNPlusSettings(looks=1))
    known = some_known(np.random.default_rng(9), 5)
    found, left_out = looking.learn(known, prototypes_of(looking, known))
    views = looking._views(found.looking, known.examples)  # (N, S, d)
    for row, n in itertools.product(np.flatnonzero(known.membership.any(axis=1)), range(5)):
        weights = known.membership[:, n].copy()
        weights[row] = 0  # one that is no example of the aspect is compared with all of them
        for part, vectors in ((left_out.whole, known.examples.vectors), (left_out.seen, views[n])):
            others = looking.prototype(vectors, weights, known.labels[n])
            assert part[row, n] == pytest.approx(vectors[row] @ others, abs=1e-5)


def test_what_stands_in_for_a_name_is_left_out_with_each_example_that_it_is_made_of() -> None:
    looking = LPNPlusScorer(20.0, 0.5, -0.4, -0.3, LPNPlusSettings(looks=1, ridge_strength=0.3))
    known = some_known(np.random.default_rng(11), 3)
    S, own = len(known.examples), known.membership
    labels = unit((own > 0).T @ known.examples.vectors)
    nothing = Sentences(labels, np.zeros((0, WIDTH), np.float32), np.zeros(3, np.int64))
    known = known._replace(labels=labels, label_words=nothing)
    assert known.nameless.all()
    found, left_out = looking.learn(known, prototypes_of(looking, known))
    views = looking._views(found.looking, known.examples)  # (N, S, d)
    others = module.against(known.same, own, known.none)
    for row, n in zip(*np.nonzero(own), strict=True):
        X = np.concatenate([views[n], labels])
        sides = [np.append(own[:, n], np.eye(3)[n]), np.append(others[:, n], 1 - np.eye(3)[n])]
        total = sum(side.sum() for side in sides)
        weight = sum(side * total / (2 * side.sum()) for side in sides)
        weight[[row, S + n]] = 0.0
        fitted = np.linalg.solve((X.T * weight) @ X + 0.3 * np.eye(WIDTH), (X.T * weight) @ (sides[0] > 0))
        assert left_out.apart[row, n] == pytest.approx(X[row] @ fitted, abs=1e-4)
        rest = own[:, n] * (np.arange(S) != row)
        stand_in = unit((rest > 0) @ known.examples.vectors)
        assert left_out.seen[row, n] == pytest.approx(X[row] @ looking.prototype(views[n], rest, stand_in), abs=1e-5)
