"""Numpy's threads are held back while anyone works, and given back after the last."""

from __future__ import annotations

from threading import Thread

from threadpoolctl import threadpool_info

from fewaspect.inference.encoder import OneThread


def blas_threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_the_last_to_leave_gives_the_threads_back() -> None:
    one, before = OneThread(), blas_threads()
    assert before, "numpy has a library of products"
    one.__enter__()
    one.__enter__()
    assert set(blas_threads()) == {1}
    one.__exit__(None, None, None)
    assert set(blas_threads()) == {1}
    one.__exit__(None, None, None)
    assert blas_threads() == before


def test_a_thread_holds_them_back_too_after_another_did() -> None:
    one, before, seen = OneThread(), blas_threads(), []

    def work() -> None:
        with one:
            seen.append(set(blas_threads()))

    work()
    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [{1}, {1}]
    assert blas_threads() == before
