"""Tables in LaTeX, for booktabs and graphicx."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fewaspect.experiments.tables.table_layout import DASH, Entry, Group, Line, Table, spread_of

_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", DASH: "--", "|": r"\textbar{}",
}  # fmt: skip


def to_latex(groups: Sequence[Group]) -> str:
    tables = [table for group in groups for section in group.sections for table in section.tables]
    return "\n\n".join(["% \\usepackage{booktabs, graphicx}", *("\n".join(_table(table)) for table in tables)]) + "\n"


def _table(table: Table) -> Iterator[str]:
    size, count = len(table.metrics), len(table.settings)
    notes = bool(table.note_header)
    yield r"\begin{table*}[t]"
    yield rf"\caption{{{_escaped(table.caption)}}}"
    yield r"\centering"
    yield r"\resizebox{\textwidth}{!}{%"
    yield rf"\begin{{tabular}}{{l{'r' * size * count}{'r' * notes}}}"
    yield r"\toprule"
    headings = [rf"\multicolumn{{{size}}}{{c}}{{{setting}}}" for setting in table.settings]
    yield _row(["", *headings, *[""] * notes])
    yield " ".join(rf"\cmidrule(lr){{{2 + size * i}-{1 + size * (i + 1)}}}" for i in range(count))
    yield _row(["Model", *map(_escaped, table.metrics * count), *[_escaped(table.note_header)] * notes])
    for block in table.blocks:
        yield r"\midrule"
        for line in block:
            yield from _lines(line, notes)
    yield r"\bottomrule"
    yield r"\end{tabular}}"
    yield r"\end{table*}"


def _lines(line: Line, notes: bool) -> Iterator[str]:
    yield _row([_escaped(line.title), *map(_written, line.entries), *[_escaped(line.note)] * notes])
    if line.has_spread:
        spreads = (rf"\scriptsize {_escaped(spread_of(entry))}" if entry.spread else "" for entry in line.entries)
        yield _row([rf"\quad\scriptsize {line.spread_title}", *spreads, *[""] * notes])


def _written(entry: Entry) -> str:
    text = _escaped(entry.shown)
    text = rf"\textbf{{{text}}}" if entry.best else text
    if entry.half_width is not None:
        text += rf" {{\scriptsize $\pm$ {entry.half_width:.2f}}}"
    return text if entry.published is None else f"{text} ({entry.published:.2f})"


def _row(texts: Sequence[str]) -> str:
    return " & ".join(texts) + r" \\"


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(letter, letter) for letter in text)
