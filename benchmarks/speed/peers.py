"""The peers' own environment, made once beside the project: the project itself never depends on them."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "peers"
PACKAGES = ("setfit==1.2.0", "sentence-transformers")


def peers_python() -> Path:
    """The interpreter of an environment that has SetFit and sentence-transformers; FEWASPECT_PEERS names another."""
    if named := os.environ.get("FEWASPECT_PEERS"):
        return Path(named)
    python = FOLDER / ("Scripts" if os.name == "nt" else "bin") / "python"
    done = FOLDER / ".installed"
    if not done.exists():
        print("installing SetFit and sentence-transformers into build/peers, once", file=sys.stderr, flush=True)
        venv.create(FOLDER, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--constraint", str(ROOT / "constraints.txt")]
        subprocess.run([*command, *PACKAGES], check=True)
        done.touch()
    return python
