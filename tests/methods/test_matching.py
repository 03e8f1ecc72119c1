"""The Matching Network against its formula in numpy, with and without full context embeddings."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from examples import Example, built, mean_vectors, softmax, unit, weights_of


@pytest.mark.parametrize("unit_vectors", [True, False])
def test_the_score_of_a_class_is_the_attention_on_its_shots(unit_vectors: bool) -> None:
    method, example = built("matching", unit_vectors=unit_vectors), Example()
    found = method.probabilities(example.scores(method)).detach().numpy()
    x, scale = mean_vectors(example.support), math.exp(weights_of(method)["log_scale"])
    for i, q in enumerate(mean_vectors(example.queries)):
        attention = softmax(np.array([scale * unit(q) @ unit(v) for v in x]))
        for n in range(3):
            expected = sum(attention[s] for s in range(7) if example.membership[s, n] > 0)
            assert found[i, n] == pytest.approx(expected, rel=1e-9)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def lstm_step(w: dict[str, np.ndarray], suffix: str, x: np.ndarray, h: np.ndarray, c: np.ndarray) -> tuple:
    gates = w[f"weight_ih{suffix}"] @ x + w[f"bias_ih{suffix}"] + w[f"weight_hh{suffix}"] @ h + w[f"bias_hh{suffix}"]
    i, f, g, o = np.split(gates, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def read(w: dict[str, np.ndarray], suffix: str, sequence: list[np.ndarray]) -> list[np.ndarray]:
    h = c = np.zeros(len(sequence[0]))
    states = []
    for x in sequence:
        h, c = lstm_step(w, suffix, x, h, c)
        states.append(h)
    return states


def test_full_context_reads_the_support_both_ways_and_lets_each_query_attend_to_it() -> None:
    method, example = built("matching", full_context=True, context_steps=3), Example()
    w = weights_of(method)
    parts = {
        side: {k.removeprefix(f"context.{side}."): v for k, v in w.items()} for side in ("support_lstm", "query_lstm")
    }
    x = [unit(v) for v in mean_vectors(example.support)]
    forwards = read(parts["support_lstm"], "_l0", x)
    backwards = read(parts["support_lstm"], "_l0_reverse", x[::-1])[::-1]
    gates = w["context.gates"]
    g = [v + gates[0] * (a + b) for v, a, b in zip(x, forwards, backwards, strict=True)]
    found = method.probabilities(example.scores(method)).detach().numpy()
    for i, q in enumerate(unit(v) for v in mean_vectors(example.queries)):
        h = c = np.zeros_like(q)
        for _ in range(3):
            seen = softmax(np.array([h @ v for v in g])) @ np.array(g)
            state, c = lstm_step(parts["query_lstm"], "", np.concatenate([q, seen]), h, c)
            h = q + state
        f = q + gates[1] * state
        attention = softmax(np.array([math.exp(w["log_scale"]) * unit(f) @ unit(v) for v in g]))
        expected = [sum(attention[s] for s in range(7) if example.membership[s, n] > 0) for n in range(3)]
        assert found[i] == pytest.approx(expected, rel=1e-9)


def test_full_context_starts_as_the_plain_method_with_the_given_scale() -> None:
    plain, full = built("matching", moved=0.0), built("matching", moved=0.0, full_context=True)
    torch.testing.assert_close(Example().scores(full).logits, Example().scores(plain).logits)
    assert math.exp(weights_of(plain)["log_scale"]) == pytest.approx(10.0)
