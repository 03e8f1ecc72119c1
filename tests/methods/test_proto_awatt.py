"""Proto-AWATT against its formulas in numpy, and its dynamic threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from sklearn.metrics import f1_score

from examples import Example, as_list, built, softmax, unit, weights_of
from fewaspect.methods.base import Scores
from fewaspect.methods.proto_awatt import ProtoAWATT


@pytest.mark.parametrize("unit_vectors", [True, False])
def test_shots_are_read_by_their_class_and_queries_by_every_class(unit_vectors: bool) -> None:
    method, example = built("proto-awatt", unit_vectors=unit_vectors), Example()
    w, found = weights_of(method), example.scores(method).logits.detach().numpy()
    scale, attention_scale, d = 1.0, 1.0, 8
    if unit_vectors:
        scale, attention_scale = math.exp(w["log_scale"]), math.exp(w["log_attention_scale"]) / d

    def states(H: np.ndarray) -> list[np.ndarray]:
        return [math.sqrt(d) * unit(h) if unit_vectors else h for h in H.T]

    support, queries = ([states(H) for H in as_list(side)] for side in (example.support, example.queries))
    for n in range(3):
        own = [support[s] for s in range(7) if example.membership[s, n] > 0]
        v = np.mean([h for H in own for h in H], axis=0)
        W_n = np.tile((w["W"] @ v)[:, None], (1, d)) + w["B"]  # W (v repeated d times) + B
        read = []
        for H in own:
            beta = softmax(np.array([attention_scale * np.tanh(h @ W_n) @ v for h in H]))
            read.append(beta @ np.array(H))
        p = np.mean(read, axis=0)
        for i, H in enumerate(queries):
            rho = softmax(np.array([attention_scale * p @ np.tanh(h) for h in H]))
            q = rho @ np.array(H)
            distance = np.linalg.norm(unit(q) - unit(p) if unit_vectors else q - p)
            assert found[i, n] == pytest.approx(-scale * distance, rel=1e-9)


def test_the_loss_is_the_squared_error_of_the_softmax() -> None:
    method, example = built("proto-awatt"), Example()
    s = torch.softmax(example.scores(method).logits, dim=1).detach().numpy()
    expected = np.mean((s - example.query_labels.numpy()) ** 2)
    assert float(example.losses(method)["class"].detach()) == pytest.approx(expected)


def two_kinds_of_queries(episodes: int, seed: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Half of the queries are clear and need a high threshold, half are vague and need a low one."""
    rng = np.random.default_rng(seed)
    scores, truth = [], []
    for _ in range(episodes):
        clear = rng.permuted(np.tile([0.60, 0.30, 0.05, 0.03, 0.02], (10, 1)) + rng.uniform(0, 0.01, (10, 5)), axis=1)
        vague = rng.permuted(np.tile([0.30, 0.25, 0.18, 0.14, 0.13], (10, 1)) + rng.uniform(0, 0.01, (10, 5)), axis=1)
        scores.append(np.concatenate([clear, vague]).astype(np.float32))
        truth.append(np.concatenate([clear >= 0.5, vague >= 0.24]))
    return scores, truth


def as_scores(probabilities: list[np.ndarray]) -> list[Scores]:
    return [Scores(torch.from_numpy(episode).log()) for episode in probabilities]


def test_the_policy_learns_thresholds_that_no_single_one_can_replace_and_is_then_used() -> None:
    torch.manual_seed(0)
    method = built("proto-awatt", moved=0.0).float()
    assert isinstance(method, ProtoAWATT)
    scores, truth = two_kinds_of_queries(40, seed=0)
    held_out, held_out_truth = two_kinds_of_queries(10, seed=1)

    def value(predicted: object) -> float:
        return f1_score(np.concatenate(held_out_truth), np.concatenate(predicted), average="macro")  # type: ignore[call-overload]

    method.tune(as_scores(held_out), held_out_truth, value)
    static = value([method.decide(scores).numpy() for scores in as_scores(held_out)])
    assert method.describe_decision()["dynamic"] is False
    method.learn_decision(scores, truth)
    method.tune(as_scores(held_out), held_out_truth, value)
    assert method.describe_decision()["dynamic"] is True
    assert value([method.decide(scores).numpy() for scores in as_scores(held_out)]) > static + 0.05
    assert not any(p.requires_grad for p in method.policy.parameters())


def test_a_policy_that_is_worse_than_the_static_threshold_is_not_used() -> None:
    method = built("proto-awatt", moved=0.0).float()
    assert isinstance(method, ProtoAWATT)
    method.policy.learned.fill_(True)
    with torch.no_grad():
        method.policy.output.bias[0] = -9.0  # a threshold that everything reaches
    scores, truth = two_kinds_of_queries(5, seed=0)
    method.tune(as_scores(scores), truth, lambda p: f1_score(np.concatenate(truth), np.concatenate(p), average="macro"))
    assert method.describe_decision()["dynamic"] is False
