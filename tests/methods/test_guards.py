"""What must hold of every method, whatever it computes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import f1_score

from examples import WIDTH, Example, built, total
from fewaspect.core.errors import ConfigError
from fewaspect.core.settings import RECIPES
from fewaspect.encoders.packed import PackedStates
from fewaspect.encoders.transformer import TokenEncoder
from fewaspect.methods import METHODS
from fewaspect.methods.base import Method, Task
from fewaspect.methods.few_shot_model import EpisodeTensors, FewShotModel

SMALL = {"pooling_hidden": 6, "rank": 5, "graph_width": 8}


@dataclass(frozen=True)
class Case:
    """A method under a recipe; `reads_in_order` if the order of the shots is part of what it reads."""

    name: str
    recipe: str
    changes: dict[str, Any] = field(default_factory=dict)
    reads_in_order: bool = False

    def __str__(self) -> str:
        return "-".join([self.name, self.recipe, *self.changes])

    def fresh(self, way: int = 3, shot: int = 2, moved: float = 0.0, width: int = WIDTH, **changes: Any) -> Method:
        """A method as training starts with it."""
        names = {item.name for item in dataclasses.fields(METHODS[self.name].settings)}  # type: ignore[arg-type]
        values = {**RECIPES[self.recipe], **SMALL, **self.changes, **changes}
        values = {name: value for name, value in values.items() if name in names}
        return built(self.name, way, shot, width=width, moved=moved, **values)

    def build(self, way: int = 3, shot: int = 2) -> Method:
        """A method that has left the places where its weights start."""
        return self.fresh(way, shot, moved=0.3)


LPN = ("lpn", "lpn-wo", "lpn-oo")
CASES = [
    *(Case(name, recipe) for name in LPN for recipe in RECIPES),
    *(Case(name, recipe) for name in METHODS if name not in LPN for recipe in ("recommended", "paper")),
    Case("matching", "recommended", {"full_context": True}, reads_in_order=True),
    Case("relation", "recommended", {"relation_start": "random"}),
]
everywhere = pytest.mark.parametrize("case", CASES, ids=str)
unordered = pytest.mark.parametrize("case", [case for case in CASES if not case.reads_in_order], ids=str)


def example_for(method: Method, **changes: Any) -> Example:
    """Uneven shots where the method takes them."""
    return Example(shots=(2, 2, 2) if "shot" in method.fixed_sizes else (3, 2, 2), **changes)


@everywhere
def test_permuting_the_classes_permutes_the_scores(case: Case) -> None:
    method = case.build()
    example = example_for(method)
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
    torch.testing.assert_close(method.probabilities(after), method.probabilities(before)[:, order])
    assert torch.equal(method.decide(after), method.decide(before)[:, order])
    torch.testing.assert_close(permuted.losses(method), example.losses(method))


def test_full_context_sees_the_order_of_the_shots_and_nothing_else_does() -> None:
    assert [str(case) for case in CASES if case.reads_in_order] == ["matching-recommended-full_context"]
    (case,) = (case for case in CASES if case.reads_in_order)
    method = case.build()
    example = example_for(method)
    assert not torch.allclose(with_shots_permuted(example).scores(method).logits, example.scores(method).logits)


@unordered
def test_permuting_the_shots_changes_nothing(case: Case) -> None:
    method = case.build()
    example = example_for(method)
    permuted = with_shots_permuted(example)
    torch.testing.assert_close(permuted.scores(method).logits, example.scores(method).logits)
    torch.testing.assert_close(permuted.losses(method), example.losses(method))


def with_shots_permuted(example: Example) -> Example:
    order = torch.randperm(len(example.support), generator=torch.Generator().manual_seed(1))
    return example.changed(
        support=example.support.take(order),
        membership=example.membership[order],
        support_labels=example.support_labels[order],
    )


@everywhere
def test_the_queries_do_not_see_each_other(case: Case) -> None:
    method = case.build()
    example = example_for(method)
    together = example.scores(method)
    for x in range(5):
        alone = example.changed(queries=example.queries.take(torch.tensor([x]))).scores(method)
        torch.testing.assert_close(alone.logits[0], together.logits[x])
        if alone.count_logits is not None and together.count_logits is not None:
            torch.testing.assert_close(alone.count_logits[0], together.count_logits[x])


@pytest.mark.parametrize("companion", [20, 70])  # longer than all others; longer than the authors' fixed length
@everywhere
def test_a_long_companion_changes_no_vector_and_no_score(case: Case, companion: int) -> None:
    method = case.build()
    example = example_for(method)
    long = PackedStates(torch.randn(companion, WIDTH).double(), torch.tensor([companion]))
    alone = method.represent(example.support).vectors
    torch.testing.assert_close(method.represent(PackedStates.join([example.support, long])).vectors[:-1], alone)
    longer = example.changed(queries=PackedStates.join([example.queries, long]))
    torch.testing.assert_close(longer.scores(method).logits[:-1], example.scores(method).logits)


@everywhere
def test_sentences_represented_together_score_and_lose_as_when_represented_apart(case: Case) -> None:
    method = case.build()
    example = example_for(method)
    S = len(example.support)
    everything = PackedStates.join([example.support, example.labels, example.queries])
    mixed = torch.randperm(len(everything), generator=torch.Generator().manual_seed(0))
    ordered = method.represent(everything.take(mixed)).take(mixed.argsort())
    places = torch.arange(len(everything))
    support, labels, queries = (ordered.take(part) for part in (places[:S], places[S : S + 3], places[S + 3 :]))
    task = Task(support, example.membership, labels, queries)
    scores = method.score(task)
    torch.testing.assert_close(scores.logits, example.scores(method).logits)
    found = method.losses(task, scores, example.support_labels, example.query_labels)
    torch.testing.assert_close(found, example.losses(method))


@everywhere
def test_queries_with_none_of_the_classes_alone_give_no_nan(case: Case) -> None:
    method = case.build()
    losses = example_for(method).changed(query_labels=torch.zeros(5, 3).bool()).losses(method)
    if any(parameter.requires_grad for parameter in method.parameters()):
        total(losses).backward()
    assert all(value.detach().isfinite() for value in losses.values())
    assert all(p.grad is None or p.grad.isfinite().all() for p in method.parameters())


@everywhere
def test_a_class_without_support_gives_no_nan(case: Case) -> None:
    method = case.build()
    example = example_for(method)
    membership = example.membership.clone()
    membership[:, 1] = 0
    bare = example.changed(membership=membership)
    if "shot" in method.fixed_sizes:
        with pytest.raises(ConfigError, match="K = 0"):
            bare.scores(method)
        return
    assert bare.scores(method).logits.isfinite().all()
    losses = bare.losses(method)
    if any(parameter.requires_grad for parameter in method.parameters()):
        total(losses).backward()
    assert all(value.detach().isfinite() for value in losses.values())
    assert all(p.grad.isfinite().all() for p in method.parameters() if p.grad is not None)
    if case.name not in ("graph", "imp", "lpn-plus"):  # where each class has a say in the scores of the others
        kept = [0, 2]
        torch.testing.assert_close(bare.scores(method).logits[:, kept], example.scores(method).logits[:, kept])


@unordered
def test_a_sentence_may_support_several_classes(case: Case) -> None:
    method = case.build()
    example = example_for(method)
    both = example.membership.clone()
    both[-1, 2], both[0, 2] = 0, 1  # the first sentence instead of the last one
    rows = torch.arange(len(both))
    rows[-1] = 0
    found = example.changed(membership=both).scores(method).logits
    torch.testing.assert_close(found, example.changed(support=example.support.take(rows)).scores(method).logits)
    assert not torch.allclose(found[:, 2], example.scores(method).logits[:, 2])


@unordered
def test_a_membership_of_two_counts_as_two_shots(case: Case) -> None:
    method = case.build()
    example = example_for(method)
    heavier = example.membership.clone()
    heavier[0, 0], heavier[1, 0] = 0, 2
    rows = torch.arange(len(heavier))
    rows[0] = 1
    found = example.changed(membership=heavier).scores(method).logits
    torch.testing.assert_close(found, example.changed(support=example.support.take(rows)).scores(method).logits)
    assert not torch.allclose(found[:, 0], example.scores(method).logits[:, 0])


@pytest.mark.parametrize("shots", [(1, 4), (2, 1, 5, 3, 1, 2, 2, 1)])
@everywhere
def test_other_numbers_of_classes_and_shots_work_or_are_refused(case: Case, shots: tuple[int, ...]) -> None:
    method, example = case.build(way=3, shot=6), Example(shots=shots, queries=9)
    if method.fixed_sizes:
        letter, size = ("N", 3) if "way" in method.fixed_sizes else ("K", 6)
        with pytest.raises(ConfigError, match=f"was built for {letter} = {size}, found {letter} = "):
            example.scores(method)
        return
    scores = example.scores(method)
    decided = method.decide(scores)
    assert scores.logits.shape == decided.shape == (9, len(shots))
    assert 1 <= int(decided.sum(1).min()) <= int(decided.sum(1).max()) <= len(shots)
    assert all(value.detach().isfinite() for value in example.losses(method).values())


@pytest.mark.parametrize(("way", "shot"), [(2, 1), (2, 2), (4, 3), (3, 4)])
@everywhere
def test_a_method_can_be_built_for_any_number_of_classes_and_shots(case: Case, way: int, shot: int) -> None:
    method, example = case.build(way, shot), Example(shots=(shot,) * way)
    method.check_size(way, shot)
    assert example.scores(method).logits.shape == (5, way)
    for name, other in (("way", (way + 1, shot)), ("shot", (way, shot + 1))):
        if name in method.fixed_sizes:
            with pytest.raises(ConfigError, match=f"--{name}"):
                method.check_size(*other)
        else:
            method.check_size(*other)


@everywhere
def test_probabilities_lie_between_0_and_1_and_rank_as_the_logits(case: Case) -> None:
    method = case.build()
    scores = example_for(method).scores(method)
    found = method.probabilities(scores)
    assert ((found >= 0) & (found <= 1)).all()
    assert torch.equal(found.argmax(dim=1), scores.logits.argmax(dim=1))


WITHOUT_EFFECT = {"bilinear.U.bias"}  # the same for all shots of a class, whose softmax takes it out (authors' code)


@everywhere
def test_gradients_reach_every_trainable_parameter(case: Case) -> None:
    method = case.fresh()
    trainable = {name: p for name, p in method.named_parameters() if p.requires_grad}
    example = example_for(method)
    states = example.support.values.clone().requires_grad_(True)
    example = example.changed(support=example.support.with_values(states))
    optimiser = torch.optim.AdamW([states, *trainable.values()], lr=1e-2)
    for _ in range(2):  # what starts at zero lets no gradient through to what is below it before the second step
        optimiser.zero_grad()
        total(example.losses(method)).backward()
        optimiser.step()
        example = example.changed(support=example.support.with_values(states))
    reached = {"token states": states, **trainable}
    unreached = [n for n, p in reached.items() if p.grad is None or float(p.grad.abs().max()) < 1e-12]
    assert [name for name in unreached if name not in WITHOUT_EFFECT] == []


WORDS = str.split(
    "good bad great slow clean dirty cold friendly cheap room food service staff price bed pizza waiter bar"
)


@everywhere
def test_one_episode_can_be_learned_by_heart(case: Case, tiny_encoder: Callable[..., TokenEncoder]) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, size=rng.integers(3, 9))) for _ in range(5 * 2 + 5 + 10)]
    encoder = tiny_encoder(freeze_layers=2, dropout=0.0)
    states, _ = encoder.frozen.states(texts)
    frozen = PackedStates(torch.from_numpy(np.concatenate(states)), torch.tensor([len(s) for s in states]))
    membership = torch.eye(5).repeat_interleave(2, 0)
    query_labels = torch.from_numpy(rng.random((10, 5)) < 0.2) | torch.eye(5).bool().repeat(2, 1)
    places = torch.arange(len(texts))
    episode = EpisodeTensors(places[:10], membership, membership > 0, places[10:15], places[15:], query_labels)

    # The ranking is learned long before the count; at a weight of 1 the count takes 200 steps instead of 500.
    eased = {"pooling_hidden": 16, "rank": 8, "count_weight": 1.0, "graph_width": 16, "token_match_weight": 0.0}
    squared_error = case.name in ("relation", "proto-awatt")
    if case.name == "relation":
        # Sentences of a random encoder are all alike: at the usual scale every sigmoid would start at 1 and stay there.
        eased["scale"] = 1.0
    method = case.fresh(5, 2, width=encoder.width, **eased).float()
    model = FewShotModel(encoder.upper, method)
    optimiser = torch.optim.AdamW(
        [p for p in model.parameters() if p.requires_grad], lr=5e-4 if squared_error else 2e-3
    )
    truth = query_labels.numpy()

    def value(predicted: Sequence[np.ndarray]) -> float:
        return f1_score(truth, predicted[0], average="macro")

    for step in range(400):
        model.train()
        _, parts = model(frozen, episode)
        optimiser.zero_grad()
        total(parts).backward()
        optimiser.step()
        if step % 20 == 19:
            with torch.inference_mode():
                scores, _ = model.eval()(frozen, episode)
                method.tune([scores], [truth], value)
            reached = value([method.decide(scores).numpy()])
            if reached > 0.95:
                break
    assert reached > 0.95
