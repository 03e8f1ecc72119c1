"""The paper's tables made from cells: their content, and its text in each format."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fewaspect.experiments.tables.latex import to_latex
from fewaspect.experiments.tables.markdown import to_markdown
from fewaspect.experiments.tables.table_layout import Group
from fewaspect.experiments.tables.terminal import to_terminal

FORMATS: dict[str, Callable[[Sequence[Group]], str]] = {
    "terminal": to_terminal,
    "markdown": to_markdown,
    "latex": to_latex,
}
