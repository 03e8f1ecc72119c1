"""Captions that name all a number depends on, and say where seeds are missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fewaspect.core.settings import largest

Cells = list[dict[str, Any]]


def main_caption(title: str, cells: Cells, settings: Sequence[tuple[int, int]], published: bool) -> str:
    first = cells[0]
    where = title if first["split"] == "test" else f"{title}, validation aspects"
    return " ".join(
        [
            f"Average AUC and macro-F1 in percent on {where}:",
            "measured ± 95 % interval over episodes" + (" (published)," if published else ","),
            "mean over seeds, best measured in bold.",
            f"Encoder: {first['encoder']}.",
            f"Trained on: {_by_row(cells, lambda some: ' | '.join(sorted({cell['train'] for cell in some})))}.",
            f"Training episodes: {_by_row(cells, _budget)}.",
            f"Sampler: {first['protocol']}.",
            f"Episodes: {first['episodes']} of seed {first['episode_seed']}, {first['queries']} queries per class.",
            f"Training seeds: {_by_row(cells, _seeds)}.",
            *_incomplete(cells, settings),
            *_not_alike(cells),
        ]
    )


def count_caption(title: str) -> str:
    return (
        f"What the decision is worth on {title}, in percent. Oracle F1: macro-F1 if the number of aspects of each "
        "sentence were known; count: how often that number is answered right. Training: time of one training."
    )


def _by_row(cells: Cells, describe: Callable[[Cells], str]) -> str:
    """What holds for most rows, and for which it does not hold."""
    rows: dict[str, Cells] = {}
    for cell in cells:
        rows.setdefault(cell["row"], []).append(cell)
    said: dict[str, list[str]] = {}
    for some in rows.values():
        said.setdefault(describe(some), []).append(some[0]["title"])
    most, *others = sorted(said, key=lambda text: (-len(said[text]), text))
    return ", but ".join([most, *(f"{text} for {' and '.join(said[text])}" for text in others)])


def _budget(cells: Cells) -> str:
    """How much a row was trained: rows of one table need not have been trained equally long."""
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
    """Rows that have cells of fewer seeds in one setting than in another; where there are none, a dash says it."""
    lacking = []
    for row in dict.fromkeys(cell["row"] for cell in cells):
        mine = [cell for cell in cells if cell["row"] == row]
        for way, shot in settings:
            here = [cell for cell in mine if (cell["way"], cell["shot"]) == (way, shot)]
            if here and _seeds(here) != _seeds(mine):
                lacking.append(f"{mine[0]['title']} {way}-way {shot}-shot (seeds: {_seeds(here)})")
    return [f"Not complete yet: {', '.join(lacking)}."] if lacking else []


def _not_alike(cells: Cells) -> list[str]:
    """Rows whose cells were made with other settings of one name; seed, N and K may differ, and where it trained."""
    found = []
    for row in dict.fromkeys(cell["row"] for cell in cells):
        mine = [cell for cell in cells if cell["row"] == row]
        values: dict[str, set[str]] = {}
        for cell in mine:
            for name, value in {**cell["settings"]["train"], **cell["settings"]["method"]}.items():
                values.setdefault(name, set()).add(str(value))
        differing = [
            f"{name} {' and '.join(sorted(some))}"
            for name, some in values.items()
            if len(some) > 1 and name not in ("seed", "way", "shot", "benchmark", "train")
        ]
        if differing:
            found.append(f"{mine[0]['title']} ({', '.join(differing)})")
    return [f"Not made alike: {', '.join(found)}."] if found else []
