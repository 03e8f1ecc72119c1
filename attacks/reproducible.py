"""Two builds of the wheel from copies in different folders are equal: `python -m attacks.reproducible`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from fewaspect.core.files import sha256_of

ROOT = Path(__file__).parents[1]
PARTS = ("src", "pyproject.toml", "README.md", "LICENSE", "NOTICE")


def build(folder: Path, *, isolated: bool = True) -> Path:
    """The wheel of a copy in this folder; the times of its files are those of the copy."""
    for part in PARTS:
        ignore = shutil.ignore_patterns("__pycache__")
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copyfile
        copy(ROOT / part, folder / part, **({"ignore": ignore} if (ROOT / part).is_dir() else {}))
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder / "out"), "."]
    command += [] if isolated else ["--no-build-isolation"]
    subprocess.run(command, cwd=folder, check=True, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
    return next((folder / "out").glob("*.whl"))


def main() -> int:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        digests = {sha256_of(build(Path(folder))) for folder in (one, other)}
    print(*digests, "equal" if len(digests) == 1 else "differ")
    return len(digests) - 1


if __name__ == "__main__":
    sys.exit(main())
