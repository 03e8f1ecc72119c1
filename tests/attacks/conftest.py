"""The attacks are modules of their own beside the tests, as `make attack` runs them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
