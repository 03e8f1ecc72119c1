"""The command line in the test's own process: what takes time in a new one is to import torch."""

from __future__ import annotations

import io
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
    """`fewaspect ARGUMENTS`, as a user types it."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["fewaspect", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
    return Done(int(end.value.code or 0), out.getvalue(), err.getvalue())
