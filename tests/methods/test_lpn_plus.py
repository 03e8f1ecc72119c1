"""LPN+ against its formulas, its first attention step in torch and the rest by the detector's core."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch

from examples import Example, as_list, built, mean_vectors, softmax, unit, weights_of
from fewaspect.methods.base import Method, Representations
from fewaspect.methods.lpn_plus import positives_against_negatives, sentences_of, support_set, without_names
from lpn_plus_formulas import Formulas


def formulas(method: Method, example: Example, **settings: float) -> Formulas:
    w, s = weights_of(method), method.settings
    used = {"steps": s.attention_steps, "token_match_weight": s.token_match_weight, "ridge_weight": s.ridge_weight}
    S = len(example.support)
    return Formulas(
        [H.T for H in as_list(example.support)], example.membership.numpy(), [0.0] * S, list(range(S)),
        [unit(e) for e in mean_vectors(example.labels)], [H.T for H in as_list(example.labels)],
        math.exp(w["log_attention"]), 1 / (1 + math.exp(-w["attended_logit"])), w["label_logit"], w["label_slope"],
        ridge_strength=s.ridge_strength, **{**used, **settings},
    )  # fmt: skip


def test_logits_are_the_scores_of_the_formulas_at_the_learned_scale() -> None:
    method, example = built("lpn-plus", moved=0.1), Example()
    found, scale = example.scores(method).logits.detach().numpy(), math.exp(weights_of(method)["log_scale"])
    expected = formulas(method, example)
    for i, H in enumerate(as_list(example.queries)):
        for n in range(3):
            assert found[i, n] == pytest.approx(scale * expected.score(H.T, n), rel=1e-6)


def test_the_loss_is_taken_on_the_first_attention_step_alone() -> None:
    method, example = built("lpn-plus", moved=0.1), Example()
    found, scale = (
        method.learned_logits(example.task(method)).detach().numpy(),
        math.exp(weights_of(method)["log_scale"]),
    )
    expected = formulas(method, example, steps=1, ridge_weight=0.0, token_match_weight=0.0)
    for i, H in enumerate(as_list(example.queries)):
        for n in range(3):
            assert found[i, n] == pytest.approx(scale * expected.score(H.T, n), rel=1e-6)
    losses = example.losses(method)
    torch.testing.assert_close(
        losses["class"], positives_against_negatives(torch.from_numpy(found), example.query_labels)
    )


def test_gradients_of_the_first_step_are_those_of_finite_differences() -> None:
    method, example = built("lpn-plus", moved=0.1), Example(queries=2)
    states = example.support.values.clone().requires_grad_(True)

    def logits(values: torch.Tensor) -> torch.Tensor:
        return method.learned_logits(example.changed(support=example.support.with_values(values)).task(method))

    assert torch.autograd.gradcheck(logits, states)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_logits_are_what_the_core_computes_for_single_precision_too(steps: int) -> None:
    method, example = built("lpn-plus", attention_steps=steps).float(), Example(shots=(4, 2, 3))
    sides = {name: getattr(example, name) for name in ("support", "labels", "queries")}
    single = {name: side.with_values(side.values.float()) for name, side in sides.items()}
    example = example.changed(membership=example.membership.float(), **single)
    task, scorer = example.task(method), method.scorer
    fitted = scorer.fit(support_set(task), method.prototypes(task).detach().numpy())
    scores = scorer.combine_scores(scorer.components(fitted, sentences_of(task.queries)))
    assert scores.dtype == np.float32
    found = method.score(task)
    np.testing.assert_allclose(found.logits.detach().numpy(), math.exp(method.log_scale.item()) * scores, rtol=1e-6)
    assert torch.equal(found.shots, example.membership.sum(dim=0))


def test_the_core_is_given_the_sentences_of_the_task_and_no_others() -> None:
    example = Example()
    method = built("lpn-plus")
    everything = method.represent(example.support)
    rows = torch.tensor([5, 0, 5])
    found = sentences_of(everything.take(rows))
    apart = as_list(example.support)
    np.testing.assert_allclose(found.tokens, np.concatenate([apart[row].T for row in rows]))
    np.testing.assert_allclose(found.vectors, everything.vectors[rows].detach().numpy())


def test_equal_support_sentences_share_a_number() -> None:
    example = Example(shots=(2, 2))
    rows = torch.tensor([0, 1, 0, 3])
    method = built("lpn-plus")
    task = example.changed(support=example.support.take(rows)).task(method)
    ids = support_set(task).duplicate_ids
    assert ids[0] == ids[2]
    assert len(set(ids.tolist())) == 3


def test_label_texts_without_tokens_are_no_tokens_of_an_aspect() -> None:
    method = built("lpn-plus")
    task = Example().task(method)
    bare = dataclasses.replace(task, labels=Representations(task.labels.vectors))
    assert support_set(bare).unnamed.all()
    assert method.score(bare).logits.isfinite().all()


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
    assert float(positives_against_negatives(logits, carried)) == pytest.approx(
        first / 2
    )  # the last one carries all: 0


def test_the_gradient_of_a_query_that_carries_every_class_is_zero() -> None:
    logits = torch.randn(2, 3, requires_grad=True)
    positives_against_negatives(logits, torch.tensor([[True, True, True], [True, False, False]])).backward()
    assert logits.grad is not None
    assert logits.grad.isfinite().all()
    assert not logits.grad[0].any()


def test_with_the_contrast_of_queries_one_of_none_teaches_too() -> None:
    method, example = built("lpn-plus", moved=0.1), Example()
    logits = torch.tensor([[1.0, 2.0], [0.3, 0.1], [0.0, 5.0]], requires_grad=True)
    labels = torch.tensor([[True, False], [False, False], [False, True]])
    scores = dataclasses.replace(example.scores(method), learned_logits=logits)
    (plain,) = method.losses(example.task, scores, labels, labels).values()
    plain.backward(retain_graph=True)
    assert not logits.grad[1].any()
    method.settings = dataclasses.replace(method.settings, query_contrast=0.5)
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


def test_without_weight_tokens_are_not_compared_and_change_nothing() -> None:
    method = built("lpn-plus")
    task = Example(shots=(3, 2, 2)).task(method)
    support, prototypes, queries = (
        support_set(task),
        method.prototypes(task).detach().numpy(),
        sentences_of(task.queries),
    )
    components = method.scorer.components(method.scorer.fit(support, prototypes), queries)
    without = method.scorer.combine_scores(components._replace(token_match=None))
    method.settings = dataclasses.replace(method.settings, token_match_weight=0.0)
    fitted = method.scorer.fit(support, prototypes)
    assert fitted.token_list is None
    np.testing.assert_allclose(method.scorer.combine_scores(method.scorer.components(fitted, queries)), without)


def test_names_are_hidden_in_training_only() -> None:
    method, example = built("lpn-plus"), Example(shots=(3, 2, 2))
    task = example.task(method)
    shown, answered = method.learned_logits(task), method.score(task).logits
    method.settings = dataclasses.replace(method.settings, unnamed_rate=0.95)
    torch.testing.assert_close(method.score(task).logits, answered)
    torch.manual_seed(0)  # all three are hidden
    scores = method.train().score(task)
    assert not torch.allclose(scores.logits, shown)
    every = torch.ones(3, dtype=torch.bool)
    hidden = dataclasses.replace(task, labels=without_names(task.support, task.membership, task.labels, every))
    torch.testing.assert_close(scores.learned_logits, method.learned_logits(hidden))
    found = method.losses(task, scores, example.support_labels, example.query_labels)["class"]
    torch.testing.assert_close(found, positives_against_negatives(scores.learned_logits, example.query_labels))


def test_a_hidden_name_is_the_mean_of_the_shots_and_no_other_changes() -> None:
    task = Example(shots=(3, 2, 2)).task(built("lpn-plus"))
    labels = without_names(task.support, task.membership, task.labels, torch.tensor([True, False, False]))
    mean = task.support.vectors[:3].mean(dim=0)
    torch.testing.assert_close(labels.vectors[0], mean / mean.norm())
    assert torch.equal(labels.vectors[1:], task.labels.vectors[1:])


def test_weights_of_version_0_1_are_read() -> None:
    method, fresh = built("lpn-plus", moved=0.3), built("lpn-plus", moved=0.0)
    written = method.state_dict()
    written["seen_logit"] = written.pop("attended_logit")
    fresh.load_state_dict(written)
    assert torch.equal(fresh.attended_logit, method.attended_logit)


def test_centred_scores_are_those_of_states_without_the_mean_of_the_support() -> None:
    method, example = built("lpn-plus", moved=0.1), Example()
    method.settings = dataclasses.replace(method.settings, centred=True)
    S = len(example.support)
    mean = S / (S + 1) * example.support.values.mean(dim=0)
    moved = {name: getattr(example, name) for name in ("support", "labels", "queries")}
    moved = {name: side.with_values(side.values - mean) for name, side in moved.items()}
    found = example.scores(method).logits
    method.settings = dataclasses.replace(method.settings, centred=False)
    torch.testing.assert_close(found, example.changed(**moved).scores(method).logits)
