"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fewaspect.experiments.tables.table_layout import Entry, Group, Line, Table, spread_of


def to_markdown(groups: Sequence[Group]) -> str:
    lines = []
    for group in groups:
        lines += [f"## {group.title}", ""]
        for section in group.sections:
            lines += [f"### {section.title}", ""]
            for table in section.tables:
                lines += [table.caption, "", *_table(table), ""]
    return "\n".join(lines).rstrip() + "\n"


def _table(table: Table) -> Iterator[str]:
    """Columns as wide as their widest entry, so that the text itself is readable."""
    notes = bool(table.note_header)
    columns = [f"{setting} {metric}" for setting in table.settings for metric in table.metrics]
    header = ["Model", *columns, *([table.note_header] if notes else [])]
    rows = [row for block in table.blocks for line in block for row in _rows(line, notes)]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    yield _padded(header, widths)
    yield "|" + "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])]) + "|"
    for row in rows:
        yield _padded(row, widths)


def _padded(row: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(f"{text:{width}}" for text, width in zip(row, widths, strict=True)) + " |"


def _rows(line: Line, notes: bool) -> Iterator[list[str]]:
    yield [line.title, *map(_written, line.entries), *([line.note] if notes else [])]
    if line.has_spread:
        yield [f"*{line.spread_title}*", *map(spread_of, line.entries), *([""] if notes else [])]


def _written(entry: Entry) -> str:
    text = f"**{entry.shown}**" if entry.best else entry.shown
    if entry.half_width is not None:
        text += f" ± {entry.half_width:.2f}"
    return text if entry.published is None else f"{text} ({entry.published:.2f})"
