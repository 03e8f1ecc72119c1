"""Intervals and comparisons of shares, against the same formulas in loops and with scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binomtest, norm

from fewaspect.studio.engine.insights.proportions import beyond_chance, difference, p_values, wilson


def reference_difference(a: int, m: int, b: int, n: int, z: float) -> tuple[float, float]:
    """Newcombe (1998), method 10: the roots of |share - x| = z sqrt(x (1 - x) / n), combined."""

    def roots(k: int, size: int) -> tuple[float, float]:
        p, q = k / size, z * z / size
        inner = z * math.sqrt(p * (1 - p) / size + z * z / (4 * size * size))
        return (p + q / 2 - inner) / (1 + q), (p + q / 2 + inner) / (1 + q)

    (l1, u1), (l2, u2) = roots(a, m), roots(b, n)
    d = a / m - b / n
    down = math.sqrt((a / m - l1) ** 2 + (u2 - b / n) ** 2)
    up = math.sqrt((u1 - a / m) ** 2 + (b / n - l2) ** 2)
    return d - down, d + up


@st.composite
def shares(draw: st.DrawFn) -> tuple[int, int]:
    total = draw(st.integers(1, 5000))
    return draw(st.integers(0, total)), total


@given(shares())
def test_the_interval_of_a_share_is_that_of_wilson(share: tuple[int, int]) -> None:
    low, high = wilson(*share)
    expected = binomtest(*share).proportion_ci(method="wilson")
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_of_nothing_nothing_is_known() -> None:
    assert [float(end) for end in wilson(0, 0)] == [0.0, 1.0]


@given(shares(), shares(), st.floats(0.5, 4))
def test_the_interval_of_a_difference_is_that_of_newcombe(
    one: tuple[int, int], other: tuple[int, int], z: float
) -> None:
    found = difference(*one, *other, z)
    assert [float(end) for end in found] == pytest.approx(reference_difference(*one, *other, z), abs=1e-9)


def test_a_published_interval() -> None:
    """Newcombe (1998), table II, example (a): 56/70 - 48/80."""
    assert [round(float(end), 4) for end in difference(56, 70, 48, 80)] == [0.0524, 0.3339]


@given(shares(), shares())
def test_the_p_value_is_where_the_interval_touches_zero(one: tuple[int, int], other: tuple[int, int]) -> None:
    (p,) = p_values([one[0]], one[1], [other[0]], other[1])
    if one[0] * other[1] == other[0] * one[1]:
        assert p == 1
        return
    side = 0 if one[0] / one[1] > other[0] / other[1] else 1
    z = brentq(lambda z: reference_difference(*one, *other, z)[side], 0, 1e4)
    assert p == pytest.approx(2 * norm.sf(z), abs=1e-9)


@given(st.lists(st.floats(0, 1), max_size=30))
def test_of_many_comparisons_each_must_be_clearer_as_holm_says(p: list[float]) -> None:
    expected, passed = [False] * len(p), True
    for rank, n in enumerate(sorted(range(len(p)), key=lambda n: p[n])):
        passed = passed and p[n] <= 0.05 / (len(p) - rank)
        expected[n] = passed
    assert beyond_chance(np.array(p)).tolist() == expected


def test_chance_is_seldom_taken_for_a_difference() -> None:
    """Two halves of the same reviews, ten aspects: a difference in at most 5 of 100 draws."""
    draw = np.random.default_rng(0)
    wrong = 0
    for _ in range(200):
        rates = draw.uniform(0.02, 0.6, 10)
        one, other = draw.binomial(300, rates), draw.binomial(180, rates)
        wrong += bool(beyond_chance(p_values(one, 300, other, 180)).any())
    assert wrong <= 0.05 * 200 + 2 * math.sqrt(200 * 0.05 * 0.95)
