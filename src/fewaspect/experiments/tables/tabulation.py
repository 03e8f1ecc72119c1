"""Tables of cells: groups of comparable cells, means over seeds, the best of each column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from fewaspect.core.errors import ResultError
from fewaspect.experiments.published import benchmark_title, published, published_settings, published_value
from fewaspect.experiments.tables.captions import count_caption, main_caption
from fewaspect.experiments.tables.table_layout import Entry, Group, Line, Section, Table
from fewaspect.methods import METHODS

Cells = list[dict[str, Any]]
_COMPARABLE = ("encoder", "split", "protocol", "episodes", "episode_seed", "queries", "none_rate")
_MAIN_METRICS = {"auc": "AUC", "f1": "F1"}
_COUNT_METRICS = {"oracle_count_f1": "oracle F1", "count_accuracy": "count"}


def tabulate(cells: Iterable[dict[str, Any]]) -> list[Group]:
    """A group per way of measuring, in it a section per benchmark with the paper's table and one of counts."""
    groups: dict[tuple[Any, ...], dict[str, Cells]] = {}
    for cell in sorted(cells, key=lambda c: (_natural_order(c["row"]), c["way"], c["shot"], c["seed"])):
        key = tuple(cell.get(name) for name in _COMPARABLE)
        groups.setdefault(key, {}).setdefault(cell["benchmark"], []).append(cell)
    order = [*published()["benchmarks"]]
    return [
        Group(
            f"Encoder {key[0]}, {key[1]} aspects, sampler {key[2]}, {key[3]} episodes of seed {key[4]}",
            tuple(_section(name, found[name]) for name in (*order, *sorted(found.keys() - order)) if name in found),
        )
        for key, found in sorted(groups.items(), key=lambda item: (item[0][1] != "test", str(item[0])))
    ]


def _section(benchmark: str, cells: Cells) -> Section:
    test = cells[0]["split"] == "test"
    source = benchmark if test else ""  # nothing is published about validation aspects
    measured = {(cell["way"], cell["shot"]) for cell in cells}
    settings = sorted(measured | set(published_settings(source)))
    rows = _by_row(benchmark, cells)
    blocks = _blocks({cell["row"]: bool(cell.get("untrained")) for cell in cells})

    def lines(metrics: Iterable[str]) -> tuple[tuple[Line, ...], ...]:
        made = [[_line(row, rows.get(row, {}), source, settings, metrics) for row in block] for block in blocks]
        kept = [[line for line in block if line.seeds or any(e.published for e in line.entries)] for block in made]
        return _with_best([block for block in kept if block])

    names = tuple(f"{way}-way {shot}-shot" for way, shot in settings)
    title = benchmark_title(benchmark)
    caption = main_caption(title, cells, settings, bool(published_settings(source)))
    always = Line("always answering one", tuple(_always_one(cells, settings)))
    counts = (*(tuple(map(_without_spread, block)) for block in lines(_COUNT_METRICS)), (always,))
    return Section(
        title,
        (
            Table(caption, names, tuple(_MAIN_METRICS.values()), lines(_MAIN_METRICS)),
            Table(count_caption(title), names, tuple(_COUNT_METRICS.values()), counts, "training"),
        ),
    )


def _by_row(benchmark: str, cells: Cells) -> dict[str, dict[tuple[int, int], Cells]]:
    """The cells of each row by way and shot; of each seed there may be one."""
    rows: dict[str, dict[tuple[int, int], Cells]] = {}
    for cell in cells:
        found = rows.setdefault(cell["row"], {}).setdefault((cell["way"], cell["shot"]), [])
        if cell["seed"] in (other["seed"] for other in found):
            raise ResultError(
                f"expected one cell for {cell['row']} on {benchmark}, {cell['way']}-way {cell['shot']}-shot, "
                f"seed {cell['seed']}, found two."
            )
        found.append(cell)
    return rows


def _blocks(rows: dict[str, bool]) -> list[list[str]]:
    """The paper's order: baselines, variants of LPN; then ours and others; last the untrained rows."""
    systems = [*published()["systems"]]
    lpn = [name for name in systems if name.startswith("lpn")]
    others = sorted(rows.keys() - systems, key=_natural_order)
    return [
        [name for name in systems if name not in lpn],
        lpn,
        [row for row in others if not rows[row]],
        [row for row in others if rows[row]],
    ]


def _line(
    row: str, cells: dict[tuple[int, int], Cells], benchmark: str, settings: Sequence[tuple[int, int]],
    metrics: Iterable[str],
) -> Line:  # fmt: skip
    entries = tuple(
        _entry(cells.get((way, shot), []), metric, published_value(benchmark, row, way, shot, metric))
        for way, shot in settings
        for metric in metrics
    )
    every = [cell for found in cells.values() for cell in found]
    title = every[0]["title"] if every else published()["systems"].get(row, row)
    return Line(title, entries, tuple(sorted({cell["seed"] for cell in every})), _training_time(every))


def _training_time(cells: Cells) -> str:
    if not cells:
        return ""
    return "none" if cells[0].get("untrained") else f"{fmean(cell['run_seconds'] for cell in cells) / 60:.1f} min"


def _entry(cells: Cells, metric: str, known: float | None) -> Entry:
    defined = [cell for cell in cells if cell[metric] is not None]
    if not defined:
        return Entry(published=known)
    values = [cell[metric] for cell in defined]
    intervals = [cell[f"{metric}_interval"] for cell in defined if None not in cell[f"{metric}_interval"]]
    half = fmean((high - low) / 2 for low, high in intervals) if intervals else None
    return Entry(fmean(values), half, (min(values), max(values)) if len(values) > 1 else None, known)


def _with_best(blocks: list[list[Line]]) -> tuple[tuple[Line, ...], ...]:
    """Mark the best measured number of each column; numbers that are equal as shown are equally good."""
    columns = zip(*(line.entries for block in blocks for line in block), strict=True)
    best = [max((round(e.mean, 2) for e in column if e.mean is not None), default=None) for column in columns]

    def marked(line: Line) -> Line:
        pairs = zip(line.entries, best, strict=True)
        return replace(
            line, entries=tuple(replace(e, best=e.mean is not None and round(e.mean, 2) == top) for e, top in pairs)
        )

    return tuple(tuple(map(marked, block)) for block in blocks)


def _without_spread(line: Line) -> Line:
    return replace(line, entries=tuple(replace(entry, spread=None) for entry in line.entries))


def _always_one(cells: Cells, settings: Sequence[tuple[int, int]]) -> Iterable[Entry]:
    """A dash under F1; under the accuracy of the count, the share of sentences with exactly one aspect."""
    for setting in settings:
        yield Entry()
        here = [cell for cell in cells if (cell["way"], cell["shot"]) == setting]
        yield replace(_entry(here, "always_one_accuracy", None), spread=None, half_width=None)


def _natural_order(row: str) -> tuple[Any, ...]:
    """Methods in the order of the registry, numbers inside a name by size: lpn-k3 before lpn-k10."""
    order = [*METHODS]
    method = max((name for name in order if row.startswith(name)), key=len, default="")
    parts = tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", row))
    return (order.index(method) if method else len(order), parts)
