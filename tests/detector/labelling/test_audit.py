"""Which sentences are drawn to be checked, and what the checked ones say of all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.core.errors import CheckpointError, ConfigError, DataError
from fewaspect.detector.labelling.audit import Audit, draw_audit, draw_sizes, inclusion, texts_after
from fewaspect.detector.labelling.audit_result import Checked
from fewaspect.detector.labelling.recalibration import Population, posterior_curves, to_logits

NAMES = ("food", "staff", "noise")


def pile(seed: int, size: int = 400, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """(size, 3) probabilities and what is true: as often as the probabilities say, `shift` added to their logits."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(-2.5, 2, (size, len(NAMES)))
    truth = rng.random(logits.shape) < 1 / (1 + np.exp(-(logits + shift)))
    return 1 / (1 + np.exp(-logits)), truth


def drawn(probabilities: np.ndarray, n: int, seed: int = 0, after: Audit | None = None) -> Audit:
    texts = [f"sentence {i}" for i in range(len(probabilities))]
    first = texts_after(after, NAMES, texts)
    return draw_audit(NAMES, texts, probabilities, np.full(len(NAMES), 0.4), n, seed, first=first)


def labels_of(audit: Audit, truth: np.ndarray) -> list[list[str]]:
    return [[name for name, has in zip(NAMES, truth[s.index], strict=True) if has] for s in audit.sentences]


def true_f1(probabilities: np.ndarray, truth: np.ndarray) -> np.ndarray:
    answered = probabilities >= 0.4
    return np.asarray(2 * (answered & truth).sum(axis=0) / (answered.sum(axis=0) + truth.sum(axis=0)))


@given(n=st.integers(0, 60), more=st.integers(0, 60), seed=st.integers(0, 5))
def test_drawing_more_goes_on_in_the_same_order(n: int, more: int, seed: int) -> None:
    probabilities, _ = pile(1, size=100)
    first, second = drawn(probabilities, n, seed), drawn(probabilities, n + more, seed)
    indices = [s.index for s in second.sentences]
    assert indices[: len(first.sentences)] == [s.index for s in first.sentences]
    assert len(set(indices)) == len(indices) == min(n + more, 100)
    assert [s.index for s in drawn(probabilities, more, seed, first).sentences] == indices


def test_what_was_checked_stays_when_the_probabilities_have_changed() -> None:
    probabilities, _ = pile(1)
    first = drawn(probabilities, 20)
    second = drawn(np.clip(1.3 * probabilities, 0, 1), 10, after=first)
    assert [s.index for s in second.sentences[:20]] == [s.index for s in first.sentences]
    assert len(second.sentences) == 30


def test_the_draw_depends_on_words_alone_and_equal_texts_count_once() -> None:
    probabilities, _ = pile(2, size=60)
    texts, thresholds = [f"sentence {i}" for i in range(60)], np.full(3, 0.4)
    found = draw_audit(NAMES, texts, probabilities, thresholds, 15, 0)
    twice = draw_audit(
        NAMES, [*texts[::-1], *texts, ""], np.concatenate([probabilities[::-1], probabilities, np.zeros((1, 3))]),
        thresholds, 15, 0,
    )  # fmt: skip
    assert [s.text for s in found.sentences] == [s.text for s in twice.sentences]
    assert found.size == twice.size == 60


def test_answers_of_a_rare_aspect_are_drawn_as_often_as_those_of_a_frequent_one() -> None:
    probabilities = np.full((1000, 2), 0.01)
    probabilities[:400, 0], probabilities[400:410, 1] = 0.9, 0.9
    sizes = draw_sizes(probabilities, probabilities > 0.4)
    assert sizes.sum() == pytest.approx(1)
    assert sizes[400:410].sum() > 0.2
    assert sizes[:400].sum() < 0.6


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=40), st.integers(0, 40))
def test_inclusion_adds_up_to_the_number_drawn(sizes: list[float], n: int) -> None:
    n = min(n, len(sizes))
    chances = inclusion(np.array(sizes), n)
    assert chances.max() <= 1
    assert chances.sum() == pytest.approx(n, abs=1e-6)


def test_weights_are_about_the_inverse_of_how_often_a_sentence_is_drawn() -> None:
    probabilities, _ = pile(3, size=50)
    counts = np.zeros(50)
    for seed in range(400):
        counts[[s.index for s in drawn(probabilities, 10, seed).sentences]] += 1 / 400
    expected = inclusion(draw_sizes(probabilities, probabilities >= 0.4), 10)
    assert np.abs(counts - expected).max() < 0.12
    assert np.corrcoef(counts, expected)[0, 1] > 0.95


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held: list[bool] = []
    for seed in range(40):
        probabilities, truth = pile(seed, shift=(-0.8, 0.0, 0.8)[seed % 3])
        audit = drawn(probabilities, 50, seed)
        outcomes = Checked.of(audit, labels_of(audit, truth)).outcomes(audit)
        low, high = np.quantile(outcomes.f1, (0.05, 0.95), axis=1)
        f1 = true_f1(probabilities, truth)
        held += ((low <= f1) & (f1 <= high)).tolist()
    assert 0.82 <= np.mean(held) <= 0.98  # 120 intervals of 90 %


def test_with_every_sentence_labelled_the_estimate_is_exact() -> None:
    probabilities, truth = pile(4, size=80)
    audit = drawn(probabilities, 80)
    result = audit.result(labels_of(audit, truth))
    for name, f1 in zip(NAMES, true_f1(probabilities, truth), strict=True):
        found = result.aspects[name].f1
        assert (found.value, found.low, found.high) == pytest.approx((f1, f1, f1))
    assert result.more == 0


def test_the_posterior_is_that_of_sampling_from_the_prior() -> None:
    """The same model by importance sampling, without any grid."""
    rng = np.random.default_rng(0)
    logits, truth = rng.normal(-1, 2, (40, 1)), rng.random((40, 1)) < 0.4
    answered = logits > 0
    level, slope = rng.normal(0, 1.0, 200_000), rng.normal(1, 0.3, 200_000)
    curves = np.stack(
        [level + rng.normal(0, 1.2, 200_000), slope + rng.normal(0, 0.4, 200_000), rng.normal(0, 0.8, 200_000)]
    )
    inside = (np.abs(curves[0]) < 4) & (curves[1] > 0.2) & (curves[1] < 2) & (np.abs(curves[2]) < 1.2)
    curves = curves[:, inside]
    x = curves[0] + logits * curves[1] + (answered - 0.5) * curves[2]  # (40, draws)
    log = -np.log1p(np.exp(np.where(truth, -x, x))).sum(axis=0)
    weights = np.exp(log - log.max())
    expected = (curves * weights).sum(axis=1) / weights.sum()
    found = posterior_curves(logits, answered, truth, rng)[0].mean(axis=1)
    assert found == pytest.approx(expected, abs=0.1)


def test_more_labels_make_narrower_intervals_and_a_skipped_sentence_is_no_label() -> None:
    probabilities, truth = pile(5)
    few, many = drawn(probabilities, 40), drawn(probabilities, 200)
    first, second = few.result(labels_of(few, truth)), many.result(labels_of(many, truth))
    assert second.f1.high - second.f1.low < 0.7 * (first.f1.high - first.f1.low)
    assert 40 < first.more < 360
    skipped = many.result([own if i < 40 else None for i, own in enumerate(labels_of(many, truth))])
    assert skipped.labelled == 40
    assert skipped.f1 == first.f1


def test_a_population_keeps_what_it_is_told() -> None:
    logits, answered = np.array([-3.0, -3.1, 2.0, 5.0]), np.array([False, False, True, True])
    whole = Population.of(logits, answered)
    rest = whole.without(Population.of(logits[:1], answered[:1]))
    assert (whole.answered, rest.counts.sum(), rest.sums.sum()) == (2, 3, pytest.approx(3.9))
    assert np.isfinite(to_logits(np.array([0.0, 1.0]))).all()


def test_an_audit_is_read_as_it_was_saved_and_other_files_are_refused(tmp_path: Path) -> None:
    probabilities, truth = pile(6)
    audit = drawn(probabilities, 30)
    audit.save(tmp_path / "audit.json")
    again = Audit.load(tmp_path / "audit.json")
    assert again.sentences == audit.sentences
    assert again.result(labels_of(audit, truth)) == audit.result(labels_of(audit, truth))
    (tmp_path / "other.json").write_text(json.dumps({"format": "other"}), encoding="utf-8")
    with pytest.raises(CheckpointError, match="expected what an audit has saved"):
        Audit.load(tmp_path / "other.json")


@pytest.mark.parametrize("part", ["population", "probabilities"])
def test_an_audit_whose_parts_do_not_fit_together_is_refused(tmp_path: Path, part: str) -> None:
    drawn(pile(6)[0], 5).save(tmp_path / "audit.json")
    content = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    holder = content if part == "population" else content["sentences"][2]
    holder[part] = holder[part][:1]
    (tmp_path / "audit.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(CheckpointError, match="other numbers of aspects than"):
        Audit.load(tmp_path / "audit.json")


def test_what_cannot_be_estimated_is_refused() -> None:
    probabilities, truth = pile(7)
    audit = drawn(probabilities, 5)
    with pytest.raises(DataError, match="found none"):
        audit.result([None] * 5)
    with pytest.raises(DataError, match="each of the 5 texts"):
        audit.result([[]])
    with pytest.raises(DataError, match='unknown aspect "foo"'):
        audit.result([["foo"]] * 5)
    with pytest.raises(ConfigError, match="confidence"):
        audit.result(labels_of(audit, truth), confidence=95)
    with pytest.raises(ConfigError, match="n: expected an integer"):
        drawn(probabilities, -1)
    with pytest.raises(DataError, match="not among them"):
        texts_after(audit, NAMES, ["another"])
    with pytest.raises(DataError, match="an audit of the aspects a"):
        texts_after(audit, ["a"], [])
    with pytest.raises(DataError, match="after: expected what an earlier audit returned, found str"):
        texts_after("check.csv", NAMES, [])  # type: ignore[arg-type]
    for labels in (None, "food", 3):
        with pytest.raises(DataError, match="labels: expected a list"):
            audit.result(labels)


def test_a_matrix_of_labels_and_a_table_of_results(fitted: Callable[..., AspectDetector]) -> None:
    texts = [
        "a rude waiter again",
        "soup was cold",
        "a view over the sea",
        "such a good pizza",
        "he slept",
        "thin walls",
    ]
    audit = fitted().audit([*texts, *EXAMPLES["food"]], n=4)
    assert audit.size == len(texts)  # examples would flatter
    result = audit.result(np.zeros((4, len(audit.names)), dtype=int))
    assert len(str(result).splitlines()) == len(audit.names) + 2
    assert fitted().audit([]).sentences == ()
