"""LPN+ against its formulas in numpy."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch

from examples import Example, as_list, built, mean_vectors, softmax, unit, weights_of
from fewaspect.methods.lpn_plus import carried_against_others


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def test_a_score_is_the_blend_of_the_whole_sentence_and_the_sentence_as_the_class_sees_it() -> None:
    method, example = built("lpn-plus", moved=0.1), Example()
    found, w = example.scores(method).logits.detach().numpy(), weights_of(method)
    o, e, q = (mean_vectors(side) for side in (example.support, example.labels, example.queries))
    attention, scale = math.exp(w["log_attention"]), math.exp(w["log_scale"])
    share = sigmoid(w["seen_logit"])

    def seen(H: np.ndarray, P: np.ndarray) -> np.ndarray:
        return unit(H @ softmax(np.array([attention * float(P @ unit(h)) for h in H.T])))

    for n in range(3):
        shots = [s for s in range(7) if example.membership[s, n] > 0]
        text = sigmoid(w["label_logit"] + w["label_slope"] * math.log(len(shots)))

        def blend(mean: np.ndarray, text: float = text, n: int = n) -> np.ndarray:
            return unit((1 - text) * unit(mean) + text * unit(e[n]))

        P = looking = blend(np.mean([unit(o[s]) for s in shots], axis=0))
        for _ in range(2):
            words = looking
            z = [seen(H, words) for H in as_list(example.support)]
            Z = blend(np.mean([z[s] for s in shots], axis=0))
            direction = ridge(np.stack([*z, *map(unit, e)]), [*shots, 7 + n], strength=0.5)
            looking = unit(Z + unit(direction))
        for i, H in enumerate(as_list(example.queries)):
            zq = seen(H, words)
            expected = (1 - share) * float(unit(q[i]) @ P) + share * float(zq @ Z) + 1.2 * float(zq @ direction)
            expected += 0.6 * own_word(H, example, shots, n)
            assert found[i, n] == pytest.approx(scale * expected, rel=1e-6)


def own_word(H: np.ndarray, example: Example, shots: list[int], n: int) -> float:
    """The word that is most nearer to a word of the class, shots and label text, than to any word of the others."""
    texts = [*as_list(example.support), *as_list(example.labels)]
    own = [unit(u) for s in [*shots, 7 + n] for u in texts[s].T]
    others = [unit(u) for s in range(10) if s not in (*shots, 7 + n) for u in texts[s].T]
    nearest = [[max(0.0, *(float(unit(h) @ u) for u in words)) for words in (own, others)] for h in H.T]
    return max(mine - theirs for mine, theirs in nearest)


def ridge(X: np.ndarray, own: list[int], strength: float) -> np.ndarray:
    """The minimum of sum_m c_m (w x_m - y_m)^2 + strength |w|^2, by its normal equations."""
    y = np.isin(np.arange(len(X)), own).astype(float)
    c = np.where(y > 0, len(X) / (2 * y.sum()), len(X) / (2 * (1 - y).sum()))
    return np.linalg.solve((X.T * c) @ X + strength * np.eye(X.shape[1]), X.T @ (c * y))


def test_the_label_text_counts_for_less_the_more_shots_there_are() -> None:
    method, example = built("lpn-plus", moved=0.0), Example(shots=(1, 5, 2))
    prototypes = example.scores(method).prototypes.detach().numpy()
    texts = [unit(e) for e in mean_vectors(example.labels)]
    o = np.stack([unit(v) for v in mean_vectors(example.support)])
    means = [unit(o[example.membership[:, n].numpy() > 0].mean(axis=0)) for n in range(3)]
    for n, share in ((0, 0.4), (1, 0.27)):
        assert prototypes[n] == pytest.approx(unit((1 - share) * means[n] + share * texts[n]), abs=1e-6)


def test_a_class_without_shots_is_its_label_text() -> None:
    method, example = built("lpn-plus"), Example(shots=(3, 2, 0))
    scores = example.scores(method)
    assert scores.prototypes[2].detach().numpy() == pytest.approx(unit(mean_vectors(example.labels)[2]), abs=1e-6)
    assert scores.logits.isfinite().all()


def test_a_carried_class_is_compared_only_with_those_the_query_does_not_carry() -> None:
    logits = torch.tensor([[1.0, 2.0, 0.5], [0.3, 0.1, 0.2], [0.0, 5.0, 1.0]])
    carried = torch.tensor([[True, True, False], [False, False, False], [True, True, True]])
    first = -math.log(math.e / (math.e + math.exp(0.5))) - math.log(math.exp(2) / (math.exp(2) + math.exp(0.5)))
    assert float(carried_against_others(logits, carried)) == pytest.approx(first / 2)  # the last one carries all: 0


def test_the_gradient_of_a_query_that_carries_every_class_is_nought() -> None:
    logits = torch.randn(2, 3, requires_grad=True)
    carried_against_others(logits, torch.tensor([[True, True, True], [True, False, False]])).backward()
    assert logits.grad is not None
    assert logits.grad.isfinite().all()
    assert not logits.grad[0].any()


def test_across_an_episode_a_query_of_none_teaches_too() -> None:
    method, example = built("lpn-plus", moved=0.1), Example()
    logits = torch.tensor([[1.0, 2.0], [0.3, 0.1], [0.0, 5.0]], requires_grad=True)
    labels = torch.tensor([[True, False], [False, False], [False, True]])
    scores = dataclasses.replace(example.scores(method), learned_logits=logits)
    (plain,) = method.losses(example.task, scores, labels, labels).values()
    plain.backward(retain_graph=True)
    assert not logits.grad[1].any()
    method.settings = dataclasses.replace(method.settings, across=0.5)
    losses = method.losses(example.task, scores, labels, labels)
    first = -math.log(math.e / (math.e + math.exp(0.3) + 1))
    second = -math.log(math.exp(5) / (math.exp(5) + math.exp(0.1) + math.exp(2)))
    assert losses["query"].item() == pytest.approx(0.5 * (first + second) / 2)
    assert losses["class"].item() == plain.item()
    losses["query"].backward()
    assert logits.grad[1].all()


def test_it_may_answer_nothing() -> None:
    method, example = built("lpn-plus", moved=0.0), Example()
    with torch.no_grad():
        method.count.base[0] = -9.0
    assert not method.decide(example.scores(method)).any()


def test_a_class_is_answered_where_so_many_are_likely_enough() -> None:
    method, example = built("lpn-plus", moved=0.1), Example()
    scores = example.scores(method)
    at_least = method.count(scores.logits / method.log_scale.exp(), scores.shots)
    method.threshold.fill_(float(at_least.flatten().median()))
    counts = (at_least >= method.threshold).sum(dim=1)
    assert len(counts.unique()) > 1
    decided = method.decide(scores)
    assert torch.equal(decided.sum(dim=1), counts)
    for logits, chosen in zip(scores.logits, decided, strict=True):
        assert not chosen.any() or chosen.all() or logits[chosen].min() > logits[~chosen].max()


def test_a_probability_is_the_geometric_mean_of_share_and_count() -> None:
    method, example = built("lpn-plus", moved=0.1), Example()
    scores = example.scores(method)
    p, logits = method.probabilities(scores).detach().numpy(), scores.logits.detach().numpy()
    at_least = method.count(scores.logits / method.log_scale.exp(), scores.shots).detach().numpy()
    for x in range(len(p)):
        for n in range(3):
            rank = sum(logits[x] > logits[x, n])
            assert p[x, n] == pytest.approx(math.sqrt(softmax(logits[x])[n] * at_least[x, rank]))


def test_tuning_fits_the_count_to_the_episodes_and_leaves_the_ranking_alone() -> None:
    method, example = built("lpn-plus", moved=0.1), Example()
    scores = example.scores(method)
    two = torch.zeros_like(scores.logits, dtype=torch.bool).scatter(1, scores.logits.topk(2).indices, True).numpy()
    before = {name: value.clone() for name, value in method.state_dict().items()}
    method.tune([scores], [two], lambda predicted: float((predicted[0] == two).mean()))
    assert (method.decide(scores).numpy() == two).all()
    moved = {name for name, value in method.state_dict().items() if not torch.equal(value, before[name])}
    assert moved
    assert all(name.startswith(("count.", "threshold")) for name in moved)


def test_words_without_weight_are_not_looked_up_and_change_nothing() -> None:
    example = Example(shots=(3, 2, 2))
    method = built("lpn-plus")
    task = example.task(method)
    parts = method.parts(method.learn(task.support, task.membership, task.labels), task.queries)
    without = method.together(parts._replace(word=torch.zeros_like(parts.word)))
    method.settings = dataclasses.replace(method.settings, word_weight=0.0)
    aspects = method.learn(task.support, task.membership, task.labels)
    assert len(aspects.words) == len(aspects.lengths) == 0
    torch.testing.assert_close(method.together(method.parts(aspects, task.queries)), without)


def test_names_are_hidden_in_training_only() -> None:
    method, example = built("lpn-plus"), Example(shots=(3, 2, 2))
    method.settings = dataclasses.replace(method.settings, nameless=0.95)
    task = example.task(method)
    shown = method.eval().score(task).logits
    torch.testing.assert_close(method.score(task).logits, shown)
    torch.manual_seed(0)  # all three are hidden
    assert not torch.allclose(method.train().score(task).logits, shown)
