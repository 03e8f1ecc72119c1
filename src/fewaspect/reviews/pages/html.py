"""Results as HTML pages that need nothing from outside; every text is escaped, so that markup in a review is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import IO, TYPE_CHECKING, Any

from fewaspect.reviews.pages.highlights import segments
from fewaspect.reviews.writers import Layout, Row, Writer

if TYPE_CHECKING:
    from jinja2 import Environment

    from fewaspect.reviews.pipeline import Summary

SIGNS = {"negative": "\u2212", "mixed": "±", "neutral": "○", "positive": "+"}
"""By polarity, in the order of a page; a sign needs no colour."""
_GOLDEN_ANGLE = 137.508
_SHOWN = 120  # characters of another column


class PageWriter(Writer):
    """The reviews with their aspects and marked words, written as they come; the summary is shown above them."""

    def __init__(self, file: IO[Any], layout: Layout, title: str) -> None:
        self.file, self.layout = file, layout
        self.template = _environment().get_template("detect.html")
        self.shared = {
            "title": title,
            "hues": hues(layout.classes),
            "classes": layout.classes,
            "layout": layout,
            "signs": SIGNS,
        }
        self._block("head")

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            best = max(row.probabilities, key=lambda name: row.probabilities[name], default=None)
            self._block(
                "row",
                row=row,
                segments=list(segments(row.text, row.marks, row.start)),
                best=best if best is not None and not row.aspects and row.probabilities[best] else None,
                others=list(_others(row)),
            )

    def finish(self, summary: Summary) -> None:
        self._block("tail", summary=summary)

    def _block(self, name: str, **values: Any) -> None:
        context = self.template.new_context({**self.shared, **values})
        for piece in self.template.blocks[name](context):
            self.file.write(piece)


def render(template: str, values: Mapping[str, Any]) -> str:
    """A whole page from a template of this package."""
    return _environment().get_template(template).render(values)


def hues(classes: Sequence[str]) -> dict[str, int]:
    """A colour for each aspect as an angle; neighbours in the list are far apart on the circle."""
    return {name: round(215 + i * _GOLDEN_ANGLE) % 360 for i, name in enumerate(classes)}


def _others(row: Row) -> Iterator[tuple[str, str]]:
    """The review's other columns, shortened."""
    for name, value in row.fields.items():
        text = "" if value is None else str(value)
        if text.strip() and text != row.text and text != row.analysis.text:
            yield name, text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("fewaspect.reviews", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
