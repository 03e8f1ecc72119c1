"""What runs are called in a figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fewaspect.core.errors import ConfigError
from fewaspect.methods import method_entry
from fewaspect.training.run_folder import RunFolder


def run_labels(paths: Sequence[Path]) -> list[str]:
    """The title of each run's method; where that does not tell them apart, with the seed or else the folder's name."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise ConfigError(f"expected different runs, found one twice: {', '.join(map(str, paths))}.")
    settings = [RunFolder(path).read_settings().train for path in paths]
    titles = [method_entry(train.method).title for train in settings]
    seeded = [f"{title}, seed {train.seed}" for title, train in zip(titles, settings, strict=True)]
    named = [f"{title}, {path.resolve().name}" for title, path in zip(titles, paths, strict=True)]
    return next((labels for labels in (titles, seeded) if len(set(labels)) == len(labels)), named)
