"""LPN in its three variants and three recipes: the paper's loss, and what must hold of any method."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import f1_score

import equations
from fewaspect.encoders.packed import PackedStates
from fewaspect.encoders.transformer import TokenEncoder
from fewaspect.methods import build_method
from fewaspect.methods.base import Scores, Task
from fewaspect.methods.lpn import LPN
from fewaspect.methods.model import EpisodeTensors, FewShotModel
from fewaspect.settings import RECIPES, LPNSettings

WIDTH = 8
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


class Example:
    """An episode of random token states: support rows by class, label texts, queries; all tensors are double."""

    def __init__(self, shots: tuple[int, ...] = (3, 2, 2), queries: int = 5, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        N, S = len(shots), sum(shots)
        self.support, self.labels, self.queries = (_sentences(rng, n) for n in (S, N, queries))
        self.membership = torch.from_numpy(np.repeat(np.eye(N), shots, axis=0))
        self.support_labels = (self.membership > 0) | torch.from_numpy(rng.random((S, N)) < 0.2)
        self.query_labels = torch.from_numpy(rng.random((queries, N)) < 0.3)
        self.query_labels[torch.arange(queries), torch.arange(queries) % N] = True

    def task(self, method: LPN) -> Task:
        support, labels, queries = (method.represent(side) for side in (self.support, self.labels, self.queries))
        return Task(support, self.membership, labels, queries)

    def scores(self, method: LPN) -> Scores:
        return method.score(self.task(method))

    def losses(self, method: LPN) -> dict[str, torch.Tensor]:
        task = self.task(method)
        return method.losses(task, method.score(task), self.support_labels, self.query_labels)

    def changed(self, **values: Any) -> Example:
        other = Example.__new__(Example)
        other.__dict__.update({**self.__dict__, **values})
        return other


def counts_of(scores: Scores) -> torch.Tensor:
    assert scores.count_logits is not None
    return scores.count_logits


def total(losses: dict[str, torch.Tensor]) -> torch.Tensor:
    return torch.stack(list(losses.values())).sum()


def _sentences(rng: np.random.Generator, count: int) -> PackedStates:
    lengths = rng.integers(1, 7, count)
    return PackedStates(torch.from_numpy(rng.normal(size=(lengths.sum(), WIDTH))), torch.from_numpy(lengths))


def as_list(packed: PackedStates) -> list[np.ndarray]:
    """Each sentence's H, d x T, as the paper writes it."""
    return [part.numpy().T for part in packed.values.split(packed.lengths.tolist())]


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


@everywhere
def test_permuting_the_classes_permutes_the_scores(variant: str, recipe: str) -> None:
    method, example = build(variant, recipe), Example()
    order = torch.tensor([2, 0, 1])
    permuted = example.changed(
        membership=example.membership[:, order],
        labels=example.labels.take(order),
        support_labels=example.support_labels[:, order],
        query_labels=example.query_labels[:, order],
    )
    before, after = example.scores(method), permuted.scores(method)
    torch.testing.assert_close(after.logits, before.logits[:, order])
    torch.testing.assert_close(after.count_logits, before.count_logits)
    assert torch.equal(method.decide(after), method.decide(before)[:, order])
    torch.testing.assert_close(permuted.losses(method), example.losses(method))


@everywhere
def test_permuting_the_shots_changes_nothing(variant: str, recipe: str) -> None:
    method, example = build(variant, recipe), Example()
    order = torch.tensor([4, 2, 6, 0, 5, 1, 3])
    permuted = example.changed(
        support=example.support.take(order),
        membership=example.membership[order],
        support_labels=example.support_labels[order],
    )
    torch.testing.assert_close(permuted.scores(method).logits, example.scores(method).logits)
    torch.testing.assert_close(permuted.losses(method), example.losses(method))


@everywhere
def test_the_queries_do_not_see_each_other(variant: str, recipe: str) -> None:
    method, example = build(variant, recipe), Example()
    together = example.scores(method)
    for x in range(5):
        alone = example.changed(queries=example.queries.take(torch.tensor([x]))).scores(method)
        torch.testing.assert_close(alone.logits[0], together.logits[x])
        torch.testing.assert_close(counts_of(alone)[0], counts_of(together)[x])


@pytest.mark.parametrize("companion", [20, 70])  # longer than all others; longer than the authors' fixed length
@everywhere
def test_a_long_companion_changes_no_vector(variant: str, recipe: str, companion: int) -> None:
    method, sentences = build(variant, recipe), Example().support
    long = PackedStates(torch.randn(companion, WIDTH).double(), torch.tensor([companion]))
    alone = method.represent(sentences).vectors
    torch.testing.assert_close(method.represent(PackedStates.join([sentences, long])).vectors[:-1], alone)


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


@everywhere
def test_sentences_represented_together_score_and_lose_as_when_represented_apart(variant: str, recipe: str) -> None:
    method, example = build(variant, recipe), Example()
    mixed = torch.randperm(15, generator=torch.Generator().manual_seed(0))  # 7 shots, 3 labels and 5 queries
    together = method.represent(PackedStates.join([example.support, example.labels, example.queries]).take(mixed))
    ordered = together.take(mixed.argsort())
    places = torch.arange(15)
    support, labels, queries = (ordered.take(part) for part in (places[:7], places[7:10], places[10:]))
    task = Task(support, example.membership, labels, queries)
    scores = method.score(task)
    torch.testing.assert_close(scores.logits, example.scores(method).logits)
    found = method.losses(task, scores, example.support_labels, example.query_labels)
    torch.testing.assert_close(found, example.losses(method))
    if not method.settings.pooling_relu:
        apart = example.task(method)
        torch.testing.assert_close(method.evidence(task, scores), method.evidence(apart, method.score(apart)))


@everywhere
def test_queries_with_none_of_the_classes_alone_give_no_nan(variant: str, recipe: str) -> None:
    method, example = build(variant, recipe), Example()
    losses = example.changed(query_labels=torch.zeros(5, 3).bool()).losses(method)
    assert float(losses["class"].detach()) == 0.0
    total(losses).backward()
    assert all(value.detach().isfinite() for value in losses.values())
    assert all(p.grad is None or p.grad.isfinite().all() for p in method.parameters())


@everywhere
def test_a_class_without_support_gives_no_nan(variant: str, recipe: str) -> None:
    method, example = build(variant, recipe), Example()
    membership = example.membership.clone()
    membership[:, 1] = 0
    bare = example.changed(membership=membership)
    assert bare.scores(method).logits.isfinite().all()
    losses = bare.losses(method)
    total(losses).backward()
    assert all(value.detach().isfinite() for value in losses.values())
    assert all(p.grad.isfinite().all() for p in method.parameters() if p.grad is not None)
    untouched = [0, 2]
    torch.testing.assert_close(bare.scores(method).logits[:, untouched], example.scores(method).logits[:, untouched])


@everywhere
def test_a_sentence_may_support_several_classes(variant: str, recipe: str) -> None:
    method, example = build(variant, recipe), Example()
    both = example.membership.clone()
    both[0, 2] = 1
    row = torch.zeros(1, 3).double()
    row[0, 2] = 1
    twice = example.changed(
        support=PackedStates.join([example.support, example.support.take(torch.tensor([0]))]),
        membership=torch.cat([example.membership, row]),
    )
    found = example.changed(membership=both).scores(method).logits
    torch.testing.assert_close(found, twice.scores(method).logits)
    assert not torch.allclose(found[:, 2], example.scores(method).logits[:, 2])


@everywhere
def test_a_membership_of_two_counts_as_two_shots(variant: str, recipe: str) -> None:
    method, example = build(variant, recipe), Example()
    heavier = example.membership.clone()
    heavier[1, 0] = 2
    twice = example.changed(
        support=PackedStates.join([example.support, example.support.take(torch.tensor([1]))]),
        membership=torch.cat([example.membership, example.membership[1:2]]),
    )
    found = example.changed(membership=heavier).scores(method).logits
    torch.testing.assert_close(found, twice.scores(method).logits)
    assert not torch.allclose(found[:, 0], example.scores(method).logits[:, 0])


@pytest.mark.parametrize("shots", [(1, 4), (2, 1, 5, 3, 1, 2, 2, 1)])
@everywhere
def test_other_and_uneven_numbers_of_classes_and_shots_work(variant: str, recipe: str, shots: tuple[int, ...]) -> None:
    method, example = build(variant, recipe, way=3), Example(shots=shots, queries=9)
    scores = example.scores(method)
    decided = method.decide(scores)
    assert scores.logits.shape == decided.shape == (9, len(shots))
    assert 1 <= int(decided.sum(1).min()) <= int(decided.sum(1).max()) <= len(shots)
    assert all(value.detach().isfinite() for value in example.losses(method).values())


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


@everywhere
def test_gradients_reach_every_trainable_parameter(variant: str, recipe: str) -> None:
    method = fresh(variant, recipe)
    optimiser = torch.optim.AdamW(method.parameters(), lr=1e-2)
    example = Example()
    for _ in range(2):  # a pooling that starts at the mean lets no gradient through to F1 before F2 has left zero
        optimiser.zero_grad()
        total(example.losses(method)).backward()
        optimiser.step()
    silent = [n for n, p in method.named_parameters() if p.grad is None or float(p.grad.abs().max()) < 1e-12]
    assert silent == []


WORDS = str.split(
    "good bad great slow clean dirty cold friendly cheap room food service staff price bed pizza waiter bar"
)


@everywhere
def test_one_episode_can_be_learned_by_heart(
    variant: str, recipe: str, tiny_encoder: Callable[..., TokenEncoder]
) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, size=rng.integers(3, 9))) for _ in range(5 * 2 + 5 + 10)]
    encoder = tiny_encoder(freeze_layers=3, dropout=0.0)
    states, _ = encoder.frozen.states(texts)
    frozen = PackedStates(torch.from_numpy(np.concatenate(states)), torch.tensor([len(s) for s in states]))
    membership = torch.eye(5).repeat_interleave(2, 0)
    query_labels = torch.from_numpy(rng.random((10, 5)) < 0.2) | torch.eye(5).bool().repeat(2, 1)
    places = torch.arange(len(texts))
    episode = EpisodeTensors(places[:10], membership, membership > 0, places[10:15], places[15:], query_labels)

    torch.manual_seed(0)
    # The ranking is learned long before the count; at a weight of 1 the count takes 200 steps instead of 500.
    settings = settings_of(recipe, pooling_hidden=16, rank=8, count_weight=1.0)
    model = FewShotModel(encoder.upper, build_method(variant, encoder.width, settings, 5))
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(400):
        model.train()
        _, parts = model(frozen, episode)
        optimiser.zero_grad()
        total(parts).backward()
        optimiser.step()
        if step % 20 == 19:
            with torch.inference_mode():
                scores, _ = model.eval()(frozen, episode)
            reached = f1_score(query_labels.numpy(), model.method.decide(scores).numpy(), average="macro")
            if reached > 0.95:
                break
    assert reached > 0.95
