"""What users may rely on changes on purpose only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from public_surface import GOLDEN, public_surface, text_of

ROOT = Path(__file__).parents[1]


def test_the_public_surface_is_that_of_the_golden_file() -> None:
    """Where a change is meant, `python tests/public_surface.py` renews the file, and changelog.d tells of it."""
    found = text_of(public_surface())
    assert found == GOLDEN.read_text(encoding="utf-8"), "renew it with: python tests/public_surface.py"


@pytest.mark.slow
def test_a_type_checker_knows_the_package_from_outside(tmp_path: Path) -> None:
    """`py.typed` is shipped, and the types that a consumer sees are those that its `assert_type` says."""
    consumer = ROOT / "tests" / "fixtures" / "typed_consumer.py"
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--cache-dir", tmp_path / "cache", consumer],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
