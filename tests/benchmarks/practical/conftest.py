"""The scripts of benchmarks/practical import each other by name, as they do when one of them is run."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "practical"))
