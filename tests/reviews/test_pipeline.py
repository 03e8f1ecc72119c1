"""Memory that is freed goes back to the system between chunks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fewaspect.data.formats.records import Place
from fewaspect.reviews import pipeline
from fewaspect.reviews.readers.source import Review
from keyword_detector import KeywordDetector


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1])


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc keeps it")
def test_what_glibc_keeps_in_pieces_is_given_back() -> None:
    if pipeline._malloc_trim() is None:
        pytest.skip("another C library")
    import ctypes

    malloc, free = ctypes.CDLL(None).malloc, ctypes.CDLL(None).free
    malloc.restype, free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    pieces = [malloc(60_000) for _ in range(2000)]  # small enough that each stays in the heap
    for piece in pieces:
        ctypes.memset(piece, 1, 60_000)
    for piece in pieces[:-1]:  # the last holds the heap's end in place
        free(piece)
    before = resident()
    pipeline.trim_memory()
    assert resident() < before - 15_000  # pages of 4 kB: half of the 120 MB and more
    free(pieces[-1])


def test_it_is_done_after_every_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr("fewaspect.reviews.pipeline.trim_memory", lambda: calls.append(1))
    for text in ("soup", "waiter"):
        pipeline.analyze_chunk(KeywordDetector(), [Review(text, "text", {}, Place("r"))], words=False)
    assert len(calls) == 2


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_malloc_trim", lambda: None)
    pipeline.trim_memory()
