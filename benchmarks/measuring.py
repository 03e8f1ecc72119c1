"""What the measurements share: a clock, and how a result is shown and kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fewaspect.core.files import atomic_write
from fewaspect.core.settings import to_json
from fewaspect.training.environment import describe_environment


def milliseconds(work: Callable[[], Any]) -> float:
    """How long it took."""
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def publish(result: dict[str, Any], path: Path | None) -> None:
    """Print a result; with the environment it was made in, it goes to the file, if one is named."""
    print(to_json(result), end="")
    if path:
        with atomic_write(path) as file:
            file.write(to_json({**result, "environment": describe_environment()}))
