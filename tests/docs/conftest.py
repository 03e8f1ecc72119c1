"""The site, built once as `make docs` builds it, whatever the number of processes that test it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fewaspect.core.files import hold_lock

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its folder; a warning is an error."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder, log = shared / "site", shared / "site.log"
    with hold_lock(shared / "site.lock", wait=True):
        if not log.exists():
            done = subprocess.run(
                [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)],
                cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True,
            )  # fmt: skip
            log.write_text(done.stderr if done.returncode == 0 else done.stderr or "failed", encoding="utf-8")
    assert not log.read_text(encoding="utf-8")
    return folder
