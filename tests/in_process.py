"""The command line in the test's own process: what takes time in a new one is to import torch."""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from fewaspect.cli.app import main


@dataclass
class Done:
    """What a finished command left, by the names `subprocess` uses."""

    returncode: int
    stdout: str
    stderr: str


def fewaspect(*arguments: str | Path) -> Done:
    """`fewaspect ARGUMENTS`, as a user types it; signals and environment are left as they were."""
    out, err = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.setattr(sys, "argv", ["fewaspect", *map(str, arguments)])
            patch.setenv("TOKENIZERS_PARALLELISM", os.environ.get("TOKENIZERS_PARALLELISM", "true"))  # as `main` does
            with pytest.raises(SystemExit) as end:
                main()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return Done(int(end.value.code or 0), out.getvalue(), err.getvalue())
