"""LPN in its three variants and three recipes: the paper's loss, and what is its own."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
import torch

import authors_formulas
import equations
from examples import WIDTH, Example, as_list, total, weights_of
from fewaspect.core.settings import RECIPES, LPNSettings, build_settings
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


def paper_loss(method: LPN, example: Example) -> dict[str, float]:
    """The parts of the loss from token states on, by the paper's equations."""
    w = weights_of(method)
    N = example.membership.shape[1]

    def vector(H: np.ndarray) -> np.ndarray:
        return equations.pooled(H, *(w[f"pooling.F{i}.weight"] for i in (1, 2, 3)))

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

    carried = [*example.support_labels.numpy(), *y]
    if "label_attention.Wa.weight" in w:
        Wa, ba = w["label_attention.Wa.weight"], w["label_attention.Wa.bias"]
        z, classes = [], []
        for H, labels in zip([*H_support, *H_queries], carried, strict=True):
            for i in np.flatnonzero(labels).tolist():
                z.append(equations.label_specific(H, p[i], e[i], Wa, ba))
                classes.append(i)
        parts["contrastive"] = 0.01 * equations.contrastive_loss(z, classes, 0.1)

    counts = [int(sum(labels)) for labels in carried]
    Wl, bl = w["count_head.Wl.weight"], w["count_head.Wl.bias"]
    parts["count"] = 0.1 * equations.count_loss([*o_support, *o_queries], counts, Wl, bl)
    return parts


def losses_of(method: LPN, example: Example) -> dict[str, float]:
    return {name: float(value.detach()) for name, value in example.losses(method).items()}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_loss_of_an_episode_is_the_papers_from_token_states_on(variant: str) -> None:
    method, example = build(variant, "paper"), Example()
    found = losses_of(method, example)
    assert found == pytest.approx(paper_loss(method, example), rel=1e-9)
    assert set(found) == ({"class", "contrastive", "count"} if variant == "lpn" else {"class", "count"})


def authors_episode(method: LPN, example: Example) -> authors_formulas.AuthorsEpisode:
    sides = (as_list(side) for side in (example.support, example.queries, example.labels))
    carried = [*example.support_labels.tolist(), *example.query_labels.tolist()]
    return authors_formulas.episode(*sides, example.membership.argmax(dim=1).tolist(), carried, weights_of(method))


@pytest.mark.parametrize("variant", VARIANTS)
def test_scores_counts_and_losses_of_the_recipe_authors_are_those_of_their_code(variant: str) -> None:
    method, example = build(variant, "authors"), Example()
    expected, scores = authors_episode(method, example), example.scores(method)
    np.testing.assert_allclose(method.probabilities(scores).detach().numpy(), expected.probabilities, rtol=1e-9)
    counts = torch.softmax(counts_of(scores), dim=-1).detach().numpy()
    np.testing.assert_allclose(counts, expected.counts[len(example.support) :], rtol=1e-9)
    assert losses_of(method, example) == pytest.approx(expected.losses, rel=1e-9)
    assert set(expected.losses) == ({"class", "contrastive", "count"} if variant == "lpn" else {"class", "count"})


def test_in_single_precision_the_scores_of_the_recipe_authors_are_within_a_millionth() -> None:
    method, example = build("lpn", "authors"), Example()
    expected = authors_episode(method, example).probabilities
    sides = (example.support, example.labels, example.queries)
    support, labels, queries = (side.with_values(side.values.float()) for side in sides)
    single = example.changed(
        support=support, labels=labels, queries=queries, membership=example.membership.float()
    ).scores(method.float())
    np.testing.assert_allclose(method.probabilities(single).detach().numpy(), expected, atol=1e-6)


@pytest.mark.parametrize("layer", ["pooling.F1", "pooling.F3", "bilinear.U", "bilinear.V"])
def test_only_the_recipe_authors_has_biases_and_all_but_that_of_u_change_the_scores(layer: str) -> None:
    """A bias in U adds the same to all shots of a class, and the softmax over them takes it out again."""
    name = f"{layer}.bias"
    assert not any(name in weights_of(build("lpn", recipe)) for recipe in ("paper", "recommended"))
    method, example = build("lpn", "authors"), Example()
    before = example.scores(method).logits
    bias = method.get_parameter(name)
    with torch.no_grad():
        bias.add_(torch.linspace(-2, 2, len(bias)))
    change = float((example.scores(method).logits - before).abs().max())
    assert change < 1e-12 if layer == "bilinear.U" else change > 1e-3


def test_weights_of_the_recipe_authors_from_before_it_had_biases_still_load_to_the_same_scores() -> None:
    old = settings_of("authors", layer_biases=False, pooling_start="random")
    saved = {name: value for name, value in dataclasses.asdict(old).items() if name != "layer_biases"}
    method = build_method("lpn", WIDTH, build_settings(LPNSettings, saved), 3)
    before = build("lpn", "authors", layer_biases=False)
    method.double().eval().load_state_dict(before.state_dict())
    torch.testing.assert_close(Example().scores(method).logits, Example().scores(before).logits, rtol=0, atol=0)


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
