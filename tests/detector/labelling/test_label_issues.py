"""Examples that the others contradict, and whether more examples would help."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.core.errors import NotFittedError
from fewaspect.detector.labelling.growth import measure_growth
from fewaspect.detector.labelling.label_issues import contradictions, find_label_issues, issue_strengths
from fewaspect.detector.labelling.left_out import even_halves, halved_logits, left_out_logits
from fewaspect.detector.support import read_examples

FOOD = ["the soup was cold", "good pizza", "tasty fish", "the salad was fresh", "we loved the steak", "stale bread",
        "the dessert was delicious", "overcooked pasta"]  # fmt: skip
NOISE = ["thin walls", "noisy neighbours", "music until three in the night", "traffic noise", "we could hear the lift",
         "a loud party next door", "the street was loud", "barking dogs kept us awake"]  # fmt: skip


def detector(food: list[str], noise: list[str], none: list[str] | None = None) -> AspectDetector:
    return AspectDetector().fit({"food": food, "noise": noise}, none=none or [])


@pytest.mark.parametrize(
    ("food", "noise", "none", "text", "given", "suggested"),
    [
        ([*FOOD, "loud street noise"], NOISE, [], "loud street noise", ("food",), ("noise",)),
        (FOOD, NOISE, ["see you on Monday", "the soup was delicious"], "the soup was delicious", (), ("food",)),
        ([*FOOD, "very loud"], [*NOISE, "very loud"], [], "very loud", ("food", "noise"), ("noise",)),
    ],
)  # fmt: skip
def test_a_wrong_label_leads_the_list_with_what_it_should_be(
    food: list[str], noise: list[str], none: list[str], text: str, given: tuple[str, ...], suggested: tuple[str, ...]
) -> None:
    fitted = detector(food, noise, none)
    first = fitted.label_issues(least=1)[0]
    assert (first.text, first.given, first.suggested) == (text, given, suggested)
    assert "by the other examples its probability is" in first.why
    assert any("label_issues" in remark and text[:20] in remark for remark in fitted.remarks_)


def test_the_remark_is_made_once_and_goes_with_the_issue() -> None:
    fitted = detector([*FOOD, "loud street noise"], NOISE)
    assert [issue.text for issue in fitted.label_issues()] == [issue.text for issue in fitted.label_issues()]
    assert sum("label_issues" in remark for remark in fitted.remarks_) == 1
    assert fitted.predict(["the soup was cold"]) == [["food"]]


def test_issues_are_sorted_and_each_contradicts_what_is_given(fitted: Callable[..., AspectDetector]) -> None:
    issues = detector([*FOOD, "loud street noise"], [*NOISE, "tasty cheese"]).label_issues()
    assert [issue.strength for issue in issues] == sorted((issue.strength for issue in issues), reverse=True)
    assert all(issue.given != issue.suggested for issue in issues)
    assert fitted().label_issues() == fitted().label_issues()


@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 99))
def test_what_is_said_louder_against_a_label_moves_an_example_up(S: int, N: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    logits, own = rng.normal(0, 3, (S, N)), rng.random((S, N)) < 0.5
    against = contradictions(logits, own)
    louder = against.copy()
    louder[0, 0] += 3
    before, after = issue_strengths(against), issue_strengths(louder)
    assert after[0] >= before[0]
    assert after[1:] == pytest.approx(before[1:])


def test_at_most_one_missing_aspect_is_suggested() -> None:
    examples, _ = read_examples({"a": ["one", "two"], "b": ["three", "four"], "c": ["five", "six"]}, none=["nothing"])
    logits = np.full((7, 3), -3.0)
    logits[6] = (2.0, 4.0, 3.0)
    logits[examples.membership] = 3.0
    (issue,) = find_label_issues(examples, logits)
    assert (issue.text, issue.given, issue.suggested) == ("nothing", (), ("b",))


def test_left_out_examples_are_less_probable_than_given_ones() -> None:
    fitted = detector(FOOD, NOISE)
    state, model = fitted._fitted(), fitted.model_
    own = state.examples.membership
    given = fitted.predict_proba(list(state.examples.texts))
    for logits in (left_out_logits(model, state), halved_logits(model, state, 2)[1]):
        assert logits.shape == own.shape
        left = 1 / (1 + np.exp(-logits))
        assert left[own].mean() < given[own].mean()
        assert left[own].mean() > left[~own].mean()


@given(st.integers(2, 30), st.integers(1, 4), st.integers(0, 99))
def test_halves_are_even_for_every_aspect(S: int, N: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    aspect = rng.integers(0, N + 1, S)
    membership = aspect[:, None] == np.arange(N)
    half = even_halves(membership, rng)
    for own in (*membership.T, np.ones(S, dtype=bool)):
        assert abs(int((own & half).sum()) - int((own & ~half).sum())) <= N + 1
    for own in membership.T:
        assert abs(int((own & half).sum()) - int((own & ~half).sum())) <= 1


def test_growth_says_level_contradictory_or_too_few() -> None:
    fine = detector(FOOD, NOISE[:3]).growth()
    assert fine["food"].signal in ("level", "growing")
    assert fine["noise"].signal == "too few"
    assert fine["food"].half is not None
    mixed = detector([*FOOD[:4], *NOISE[:4]], [*FOOD[4:], *NOISE[4:]]).growth()
    assert {mixed["food"].signal, mixed["noise"].signal} == {"contradictory"}
    assert "check them" in mixed["food"].why


def test_growth_of_a_detector_without_aspects_says_so() -> None:
    with pytest.raises(NotFittedError, match="Call fit or add_aspect first"):
        AspectDetector().growth()


def test_growth_needs_no_examples() -> None:
    fitted = AspectDetector().fit({"food": [], "noise": []})
    assert {row.signal for row in measure_growth(fitted.model_, fitted._fitted()).values()} == {"too few"}
    assert fitted.label_issues() == []
    assert {row.signal for row in fitted.fit({n: list(t) for n, t in EXAMPLES.items()}).growth().values()} == {
        "too few"
    }
