"""Numpy's threads are held back while anyone works, and given back after the last."""

from __future__ import annotations

from threadpoolctl import threadpool_info

from fewaspect.detector.threads import OneThread


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
