"""A system that fails under a command: one message, exit code 2, and nothing half-written."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from attacks.faults import failing_operation, jumping_clock, small_files, try_fault
from attacks.kills import Attack

LIMITS = {
    "the largest size of a file": (resource.RLIMIT_FSIZE, 2048, "File too large"),
    "the number of open files": (resource.RLIMIT_NOFILE, 3, "Too many open files"),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["detect", "fit"])
@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_of_the_system_leaves_nothing_half_written(command: str, limit: str, tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text("food: [cold soup]\n")
    (tmp_path / "r.csv").write_text("text\n" + "cold soup\n" * 500)
    before = sorted(tmp_path.iterdir())
    given = {
        "detect": ["detect", "r.csv", "--examples", "e.yaml", "-q", "-o", "out.csv"],
        "fit": ["fit", "e.yaml", "-o", "out"],
    }[command]
    kind, most, message = LIMITS[limit]
    # set when the libraries are loaded: the limit is for the work
    program = (
        "import resource, sys; from fewaspect import AspectDetector; AspectDetector().fit({'a': ['b']}).predict(['c']);"
        "from fewaspect.cli.app import main; import fewaspect.reviews.pipeline, fewaspect.reviews.writers, yaml;"
        f"resource.setrlimit({kind}, ({most}, {most})); sys.argv = ['fewaspect', *{given!r}]; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_detector_saved_on_a_disk_that_fails_is_the_old_or_the_new() -> None:
    attack = Attack("save", 0)
    for number, error in ((3, errno.EIO), (9, errno.ENOSPC), (14, errno.EACCES)):
        assert not try_fault(attack, failing_operation(number, error, lasting=True))
    assert not try_fault(attack, small_files(100))
    assert not try_fault(attack, jumping_clock(0), must_work=True)
