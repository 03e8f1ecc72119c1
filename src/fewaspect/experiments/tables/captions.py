"""Captions that state all that a number depends on, and where seeds are missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fewaspect.core.settings import largest

Cells = list[dict[str, Any]]
_MAY_DIFFER = ("seed", "way", "shot", "benchmark", "train")  # between the cells of a row


def main_caption(title: str, cells: Cells, settings: Sequence[tuple[int, int]], published: bool) -> str:
    first = cells[0]
    where = title if first["split"] == "test" else f"{title}, validation aspects"
    return " ".join(
        [
            f"Average AUC and macro-F1 in percent on {where}:",
            "measured ± 95 % interval over episodes" + (" (published)," if published else ","),
            "mean over seeds, best measured in bold.",
            f"Encoder: {first['encoder']}.",
            f"Trained on: {_by_row(cells, lambda row: ' | '.join(sorted({cell['train'] for cell in row})))}.",
            f"Training episodes: {_by_row(cells, _budget)}.",
            f"Sampler: {first['protocol']}.",
            f"Episodes: {first['episodes']} of seed {first['episode_seed']}, {first['queries']} queries per class.",
            f"Training seeds: {_by_row(cells, _seeds)}.",
            *_incomplete(cells, settings),
            *_mixed_settings(cells),
        ]
    )


def count_caption(title: str) -> str:
    return (
        f"What the decision is worth on {title}, in percent. Oracle F1: macro-F1 if the number of aspects of each "
        "sentence were known; count: how often that number is answered right. Training: time of one training."
    )


def _by_row(cells: Cells, describe: Callable[[Cells], str]) -> str:
    """The description that most rows share, and the rows that have another."""
    titles: dict[str, list[str]] = {}
    for row in _rows(cells):
        titles.setdefault(describe(row), []).append(row[0]["title"])
    most, *others = sorted(titles, key=lambda text: (-len(titles[text]), text))
    return ", but ".join([most, *(f"{text} for {' and '.join(titles[text])}" for text in others)])


def _rows(cells: Cells) -> list[Cells]:
    """The cells of each row."""
    rows: dict[str, Cells] = {}
    for cell in cells:
        rows.setdefault(cell["row"], []).append(cell)
    return list(rows.values())


def _budget(cells: Cells) -> str:
    """The training episodes of a row; rows of one table need not have the same."""
    return " | ".join(sorted({_trained(cell) for cell in cells}))


def _trained(cell: dict[str, Any]) -> str:
    train = cell["settings"]["train"]
    if cell.get("untrained"):
        return "none"
    if not {"episodes", "way", "shot", "queries"} <= train.keys():
        return "unknown"
    way, shot = (largest(name, train[name]) for name in ("way", "shot"))
    return f"{train['episodes']} of {way * (shot + train['queries'])} sentences"


def _seeds(cells: Cells) -> str:
    return ", ".join(map(str, sorted({cell["seed"] for cell in cells})))


def _incomplete(cells: Cells, settings: Sequence[tuple[int, int]]) -> list[str]:
    """Rows that have fewer seeds in one setting than in another; a setting without any is a dash in the table."""
    lacking = [
        f"{row[0]['title']} {way}-way {shot}-shot (seeds: {_seeds(here)})"
        for row in _rows(cells)
        for way, shot in settings
        if (here := [cell for cell in row if (cell["way"], cell["shot"]) == (way, shot)])
        and _seeds(here) != _seeds(row)
    ]
    return [f"Not complete yet: {', '.join(lacking)}."] if lacking else []


def _mixed_settings(cells: Cells) -> list[str]:
    """Rows whose cells were made with different values of a setting that should be one."""
    found = [(row[0]["title"], _differing(row)) for row in _rows(cells)]
    mixed = [f"{title} ({', '.join(differing)})" for title, differing in found if differing]
    return [f"Not made alike: {', '.join(mixed)}."] if mixed else []


def _differing(cells: Cells) -> list[str]:
    values: dict[str, set[str]] = {}
    for cell in cells:
        for name, value in {**cell["settings"]["train"], **cell["settings"]["method"]}.items():
            values.setdefault(name, set()).add(str(value))
    return [
        f"{name} {' and '.join(sorted(some))}"
        for name, some in sorted(values.items())
        if len(some) > 1 and name not in _MAY_DIFFER
    ]
