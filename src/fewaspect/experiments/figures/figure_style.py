"""Style of all figures, what runs are called in them, and their files; the same input gives the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewaspect.core.errors import ConfigError
from fewaspect.core.extras import require
from fewaspect.core.files import atomic_write
from fewaspect.core.settings import to_json
from fewaspect.methods import method_entry
from fewaspect.training.run_folder import RunFolder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RESOLUTION = 200  # dots per inch of PNG files and of point clouds inside SVG files
MARKERS = "osD^vP*X<>pdhH8"
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Okabe and Ito's colours, told apart with every kind of colour vision; shapes tell them apart without any."""

_STYLE: dict[str, Any] = {
    "figure.constrained_layout.use": True,
    "figure.dpi": RESOLUTION,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so every machine has it
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#d9d9d9",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 5,
    "svg.hashsalt": "fewaspect",  # names inside an SVG file are random without it
}
_NO_DATE = {"Date": None, "Creator": None}


def styled() -> AbstractContextManager[None]:
    """The style of all figures, whatever the user's own matplotlib settings are."""
    return require("matplotlib.style", "train", "drawing figures").context(_STYLE, after_reset=True)


def output_folder(folder: Path) -> Path:
    """Made if it is missing; checked, as matplotlib is, before the work that would be lost."""
    require("matplotlib", "train", "drawing figures")
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: expected a folder for the figures, found a file.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_figure(folder: Path, name: str, draw: Callable[[], Figure], numbers: Any) -> list[Path]:
    """NAME.png, NAME.svg and the numbers in it as NAME.json; each appears whole, and none if drawing fails."""
    with styled():
        figure = draw()
        pictures = {"png": _rendered(figure, "png", {"Software": None}), "svg": _rendered(figure, "svg", _NO_DATE)}
    contents = {**pictures, "json": to_json(numbers).encode()}
    paths = [folder / f"{name}.{ending}" for ending in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        with atomic_write(path, "wb") as file:
            file.write(content)
    return paths


def run_labels(paths: Sequence[Path]) -> list[str]:
    """The title of each run's method; where that does not tell them apart, with the seed or else the folder's name."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise ConfigError(f"expected different runs, found one twice: {', '.join(map(str, paths))}.")
    settings = [RunFolder(path).read_settings().train for path in paths]
    titles = [method_entry(train.method).title for train in settings]
    seeded = [f"{title}, seed {train.seed}" for title, train in zip(titles, settings, strict=True)]
    named = [f"{title}, {path.resolve().name}" for title, path in zip(titles, paths, strict=True)]
    return next((labels for labels in (titles, seeded) if len(set(labels)) == len(labels)), named)


def _rendered(figure: Figure, format: str, metadata: dict[str, Any]) -> bytes:
    content = BytesIO()
    figure.savefig(content, format=format, dpi=RESOLUTION, metadata=metadata)
    return content.getvalue()
