"""LPN in its three variants and three recipes: the paper's loss, and what is its own."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
import torch

import equations
from examples import WIDTH, Example, as_list, total
from fewaspect.core.settings import RECIPES, LPNSettings
from fewaspect.encoders.packed import PackedStates
from fewaspect.methods import build_method
from fewaspect.methods.base import Scores, Task
from fewaspect.methods.lpn import LPN

VARIANTS = ("lpn", "lpn-wo", "lpn-oo")
everywhere = pytest.mark.parametrize(("variant", "recipe"), [(v, r) for v in VARIANTS for r in RECIPES])


def settings_of(recipe: str, **changes: Any) -> LPNSettings:
    names = {field.name for field in dataclasses.fields(LPNSettings)}
    values = {name: value for name, value in RECIPES[recipe].items() if name in names}
    return LPNSettings(**{**values, "pooling_hidden": 6, "rank": 5, **changes})


def fresh(variant: str, recipe: str, way: int = 3, **changes: Any) -> LPN:
    """A method as training starts with it, but in double precision and without dropout."""
    torch.manual_seed(0)
    method = build_method(variant, WIDTH, settings_of(recipe, **changes), way)
    assert isinstance(method, LPN)
    return method.double().eval()


def build(variant: str, recipe: str, way: int = 3, **changes: Any) -> LPN:
    """A method that has left the places where its weights start."""
    method = fresh(variant, recipe, way, **changes)
    with torch.no_grad():
        for parameter in method.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return method


def counts_of(scores: Scores) -> torch.Tensor:
    assert scores.count_logits is not None
    return scores.count_logits


def paper_loss(method: LPN, example: Example, *, authors: bool = False) -> dict[str, float]:
    """The parts of the loss from token states on, by the paper's equations or by the authors' code."""
    w = {name: parameter.detach().numpy() for name, parameter in method.named_parameters()}
    N = example.membership.shape[1]

    def read(H: np.ndarray) -> np.ndarray:
        return np.pad(H, ((0, 0), (0, 50 - H.shape[1]))) if authors else H

    def vector(H: np.ndarray) -> np.ndarray:
        F1, F2, F3 = (w[f"pooling.F{i}.weight"] for i in (1, 2, 3))
        if not authors:
            return equations.pooled(H, F1, F2, F3)
        d, R = len(H), len(F2)
        return F3 @ np.maximum(equations.pooled(read(H), F1, F2, np.eye(d * R)), 0.0)

    H_support, H_queries = as_list(example.support), as_list(example.queries)
    o_support, o_queries = [vector(H) for H in H_support], [vector(H) for H in H_queries]
    e = [vector(H) for H in as_list(example.labels)]

    p = []
    for i in range(N):
        shots = [j for j in range(len(o_support)) if example.membership[j, i] > 0]
        alphas = [0.0] * len(shots)
        if "bilinear.U.weight" in w:
            U, V = w["bilinear.U.weight"].T, w["bilinear.V.weight"].T
            alphas = [equations.importance(o_support[j], U, V, e[i]) for j in shots]
        p.append(equations.prototype([o_support[j] for j in shots], alphas))

    y = example.query_labels.numpy()
    parts = {"class": equations.class_loss([equations.class_probabilities(o, p) for o in o_queries], y)}
    if authors:
        parts["class"] /= N

    carried = [*example.support_labels.numpy(), *y]
    if "label_attention.Wa.weight" in w:
        Wa, ba = w["label_attention.Wa.weight"], w["label_attention.Wa.bias"]
        z, classes = [], []
        for H, labels in zip([*H_support, *H_queries], carried, strict=True):
            for i in np.flatnonzero(labels).tolist():
                root = math.sqrt(len(H)) if authors else 1.0
                embedding = equations.label_specific(read(H), p[i], e[i], Wa / root, ba / root)
                z.append(embedding / np.linalg.norm(embedding) if authors else embedding)
                classes.append(i)
        parts["contrastive"] = 0.01 * _contrastive(z, classes, authors)

    counts = [int(sum(labels)) for labels in carried]
    Wl, bl = w["count_head.Wl.weight"], w["count_head.Wl.bias"]
    parts["count"] = 0.1 * equations.count_loss([*o_support, *o_queries], counts, Wl, bl)
    return parts


def _contrastive(z: list[np.ndarray], classes: list[int], authors: bool) -> float:
    if not authors:
        return equations.contrastive_loss(z, classes, 0.1)
    total = 0.0
    for j in range(len(z)):  # as the paper, but for the number that the sum over the positives is divided by
        others = [k for k in range(len(z)) if k != j]
        positives = [k for k in others if classes[k] == classes[j]]
        log_sum = np.logaddexp.reduce([z[j] @ z[k] / 0.1 for k in others])
        total -= sum(z[j] @ z[k] / 0.1 - log_sum for k in positives) / (len(positives) + 1)
    return total / len(z)


@pytest.mark.parametrize("recipe", ["paper", "authors"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_loss_of_an_episode_is_the_papers_from_token_states_on(variant: str, recipe: str) -> None:
    method, example = build(variant, recipe), Example()
    expected = paper_loss(method, example, authors=recipe == "authors")
    found = {name: float(value.detach()) for name, value in example.losses(method).items()}
    assert found == pytest.approx(expected, rel=1e-9)
    assert set(found) == ({"class", "contrastive", "count"} if variant == "lpn" else {"class", "count"})


@pytest.mark.parametrize("variant", VARIANTS)
def test_gradients_of_the_papers_loss_are_right(variant: str) -> None:
    method, example = build(variant, "paper"), Example(shots=(2, 2), queries=2)

    def loss(*values: torch.Tensor) -> torch.Tensor:
        sides = (example.support, example.labels, example.queries)
        support, labels, queries = (side.with_values(v) for side, v in zip(sides, values, strict=True))
        return total(example.changed(support=support, labels=labels, queries=queries).losses(method))

    states = [side.values.clone().requires_grad_(True) for side in (example.support, example.labels, example.queries)]
    assert torch.autograd.gradcheck(loss, states, fast_mode=True)


def test_the_recommended_score_compares_unit_vectors_with_a_blend_of_shots_and_label() -> None:
    method, example = build("lpn", "recommended"), Example()
    task = example.task(method)

    def unit(v: np.ndarray) -> np.ndarray:
        return v / np.linalg.norm(v)

    o, e, q = ([unit(v) for v in r.vectors.detach().numpy()] for r in (task.support, task.labels, task.queries))
    U, V = method.bilinear.U.weight.detach().numpy().T, method.bilinear.V.weight.detach().numpy().T
    share = 1 / (1 + math.exp(-float(method.label_logit.detach())))
    found = method.score(task).logits.detach().numpy()
    for i in range(3):
        shots = [j for j in range(7) if task.membership[j, i] > 0]
        p = equations.prototype([o[j] for j in shots], [equations.importance(o[j], U, V, e[i]) for j in shots])
        p = unit((1 - share) * p + share * e[i])
        for x in range(5):
            expected = -math.exp(float(method.log_scale.detach())) * np.linalg.norm(q[x] - p) ** 2
            assert found[x, i] == pytest.approx(expected, rel=1e-9)


def test_the_recommended_recipe_starts_at_the_mean_of_the_tokens_and_its_given_scale_and_share() -> None:
    method = fresh("lpn", "recommended")
    sentences = Example().support
    means = torch.stack([part.mean(0) for part in sentences.values.split(sentences.lengths.tolist())])
    torch.testing.assert_close(method.represent(sentences).vectors, means)
    assert float(method.log_scale.exp().detach()) == pytest.approx(10.0)
    assert float(torch.sigmoid(method.label_logit).detach()) == pytest.approx(0.27)


@pytest.mark.parametrize("companion", [20, 70])
@everywhere
def test_a_long_query_with_none_of_the_classes_changes_no_loss(variant: str, recipe: str, companion: int) -> None:
    method, example = build(variant, recipe), Example()
    long = PackedStates(torch.randn(companion, WIDTH).double(), torch.tensor([companion]))
    longer = example.changed(
        queries=PackedStates.join([example.queries, long]),
        query_labels=torch.cat([example.query_labels, torch.zeros(1, 3).bool()]),
    )
    torch.testing.assert_close(longer.losses(method), example.losses(method))


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_count_head_has_an_output_per_class_of_training_or_the_authors_five(recipe: str) -> None:
    method = build("lpn", recipe, way=7)
    assert counts_of(Example().scores(method)).shape == (5, 5 if recipe == "authors" else 7)
    assert counts_of(Example().scores(build("lpn", recipe, count_outputs=2))).shape == (5, 2)


def test_the_decision_is_the_counted_number_of_best_classes() -> None:
    method = build("lpn", "paper")
    logits = torch.tensor([[0.1, 0.9, 0.5], [3.0, 2.0, 1.0]])
    counts = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    assert method.decide(Scores(logits, counts)).tolist() == [[False, True, True], [True, False, False]]
    assert method.decide(Scores(logits)).tolist() == [[False, True, False], [True, False, False]]


def test_the_evidence_is_the_same_for_sentences_represented_together_or_apart() -> None:
    method, example = build("lpn", "recommended"), Example()
    together = method.represent(PackedStates.join([example.support, example.labels, example.queries]))
    places = torch.arange(15)  # 7 shots, 3 labels and 5 queries
    support, labels, queries = (together.take(part) for part in (places[:7], places[7:10], places[10:]))
    task, apart = Task(support, example.membership, labels, queries), example.task(method)
    expected = method.evidence(apart, method.score(apart))
    torch.testing.assert_close(method.evidence(task, method.score(task)), expected)
