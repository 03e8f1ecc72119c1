"""Sessions of ONNX Runtime and the threads that use them; what they compute is tested with the graph."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fewaspect.inference.encoder import available_threads


@pytest.mark.parametrize("unusable", ["0", "many", ""])
def test_the_number_of_threads_can_be_set_and_is_else_that_of_the_cores(
    monkeypatch: pytest.MonkeyPatch, unusable: str
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert available_threads() == 3
    monkeypatch.setenv("OMP_NUM_THREADS", unusable)
    by_cores = available_threads()
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert available_threads() == by_cores >= 1


def test_onnx_runtime_is_imported_with_the_first_session_only() -> None:
    libraries = ("onnxruntime", "onnx", "torch")
    code = f"import sys, fewaspect.inference.encoder; print([m for m in {libraries} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
