"""Locks between processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fewaspect.core.files import hold_lock

HOLD = """
import sys, time
from pathlib import Path
from fewaspect.core.files import hold_lock
with hold_lock(Path(sys.argv[1])) as mine:
    print(mine, flush=True)
    time.sleep(600)
"""


def test_a_lock_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    with (
        hold_lock(tmp_path / "a.lock") as first,
        hold_lock(tmp_path / "a.lock") as second,
        hold_lock(tmp_path / "b.lock") as other,
    ):
        assert (first, second, other) == (True, False, True)
    with hold_lock(tmp_path / "a.lock") as again:
        assert again


def test_a_lock_vanishes_with_a_killed_process(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        with hold_lock(path) as mine:
            assert not mine
    finally:
        process.kill()
        process.wait()
    with hold_lock(path) as mine:
        assert mine
