"""One detector in many threads and processes: a prediction works on one consistent state, and no change is lost."""

from __future__ import annotations

import multiprocessing
import pickle
import random
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, TimeoutError
from typing import Any

import numpy as np
import pytest

from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.core.errors import DataError
from fewaspect.detector import predictor

TEXTS = ["cold soup", "the waiter was rude and nobody could park", "thin walls. Loud music!", "see you on Monday", ""]
NOISE = ["thin walls", "loud music all night"]


def fitted(**parameters: Any) -> AspectDetector:
    return AspectDetector(**parameters).fit(EXAMPLES)


def frozen(answer: Any) -> bytes:
    return pickle.dumps(answer)


ASKED: list[Callable[[AspectDetector], Any]] = [
    lambda detector: detector.predict(TEXTS),
    lambda detector: detector.predict_proba(TEXTS),
    lambda detector: detector.predict_texts(TEXTS).probabilities,
    lambda detector: [(sorted(a.probabilities), a.aspects) for a in detector.analyze_many(TEXTS)],
    lambda detector: sorted(detector.thresholds_.items()),
    lambda detector: [tuple(sorted(found)) for found in detector.sentiment(TEXTS)],
]


def test_seven_threads_predict_while_another_changes_the_detector() -> None:
    """Each answer is that before the change or that after it, for every method."""
    detector = fitted(threshold={"food": 0.3}, batch_tokens=64)
    after = fitted(threshold={"food": 0.3}, batch_tokens=64).add_aspect("noise", NOISE)
    allowed = [{frozen(asked(own)) for own in (detector, after)} for asked in ASKED]
    stop, wrong = threading.Event(), []

    def predict(number: int) -> int:
        count = 0
        while not stop.is_set():
            which = (number + count) % len(ASKED)
            try:
                if frozen(ASKED[which](detector)) not in allowed[which]:
                    wrong.append(which)
            except Exception as error:
                wrong.append(error)
            count += 1
        return count

    with ThreadPoolExecutor(7) as pool:
        counts = [pool.submit(predict, number) for number in range(7)]
        try:
            for _ in range(8):
                detector.add_aspect("noise", NOISE)
                detector.predict(TEXTS)
                detector.remove_aspect("noise")
        finally:
            stop.set()  # else leaving the pool would wait for ever
    assert not wrong
    assert sum(count.result() for count in counts) > 20


@pytest.mark.parametrize("asked", ASKED)
def test_a_change_in_the_midst_of_a_prediction_is_not_seen_by_it(
    asked: Callable[[AspectDetector], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between what a prediction reads of the detector, as another thread might."""
    detector, original = fitted(threshold={"food": 0.3}), predictor.thresholds_of
    before = frozen(asked(detector))

    def meanwhile(*given: Any) -> Any:
        monkeypatch.setattr(predictor, "thresholds_of", original)
        found = original(*given)
        detector.add_aspect("noise", NOISE).fit_aspects()
        return found

    monkeypatch.setattr(predictor, "thresholds_of", meanwhile)
    assert frozen(asked(detector)) == before
    assert "noise" in detector.thresholds_


def test_changes_of_eight_threads_are_all_there() -> None:
    detector, names = fitted(), [f"aspect {n}" for n in range(12)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: detector.add_aspect(name, [f"an example of {name}"]), names))
        pool.map(lambda _: detector.predict(TEXTS), range(8))
        list(pool.map(lambda name: detector.add_examples([f"another one of {name}"], [[name]]), names))
    assert set(detector.classes_) == {*EXAMPLES, *names}
    assert all(detector.shots_[name] == 2 for name in names)


def test_a_fit_that_is_refused_leaves_the_detector_as_it_was() -> None:
    detector = fitted()
    before = detector.predict_proba(TEXTS)
    with pytest.raises(DataError):
        detector.fit({"": ["x"]})
    np.testing.assert_array_equal(detector.predict_proba(TEXTS), before)


def test_threads_predict_while_another_fits_anew() -> None:
    detector, failed = fitted(), []
    other = {"noise": NOISE}
    sizes = {len(EXAMPLES), len(other)}

    def predict(_: int) -> None:
        for _ in range(10):
            try:
                assert detector.predict_proba(TEXTS).shape[1] in sizes
            except Exception as error:
                failed.append(error)

    with ThreadPoolExecutor(4) as pool:
        done = pool.map(predict, range(4))
        for number in range(10):
            detector.fit(other if number % 2 else EXAMPLES)
        list(done)
    assert not failed


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_order_batch_and_number_of_threads_change_no_answer(threads: int) -> None:
    """Beyond what companions in a batch make of rounding."""
    texts = [
        f"{what} was {how}" for what in ("the soup", "parking", "our waiter") for how in ("cold", "rude", "full", "")
    ]
    expected = dict(zip(texts, fitted().predict_proba(texts), strict=True))
    shuffled = random.Random(threads).sample(texts, len(texts))
    for batch_tokens in (8, 100, None):
        detector = fitted(batch_tokens=batch_tokens)
        with ThreadPoolExecutor(threads) as pool:
            parts = [shuffled[n::threads] for n in range(threads)]
            for part, found in zip(parts, pool.map(detector.predict_proba, parts), strict=True):
                np.testing.assert_allclose(found, [expected[text] for text in part], atol=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_is_forked_or_spawned_answers_the_same(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forked while other threads predict: the child must not wait for locks that they held, nor for their threads."""
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "true")  # as the command line sets it
    if method not in multiprocessing.get_all_start_methods() or sys.platform == "darwin":
        pytest.skip("not on this system")
    detector, stop = fitted(), threading.Event()
    expected = detector.predict(TEXTS)

    def predict() -> None:
        while not stop.is_set():
            detector.predict(TEXTS)

    threads = [threading.Thread(target=predict) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        context = multiprocessing.get_context(method)
        for _ in range(8 if method == "fork" else 1):
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                try:
                    assert pool.submit(detector.predict, TEXTS).result(60) == expected
                except TimeoutError:
                    for child in multiprocessing.active_children():
                        child.kill()  # else leaving the pool would wait for it
                    raise
    finally:
        stop.set()
        for thread in threads:
            thread.join()
