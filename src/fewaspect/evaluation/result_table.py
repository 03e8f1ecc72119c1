"""Results as a terminal table."""

from __future__ import annotations

from typing import Any

from rich.table import Table

_ROWS = {
    "auc": "AUC",
    "f1": "macro-F1",
    "micro_f1": "micro-F1",
    "oracle_count_f1": "macro-F1, oracle count",
    "count_accuracy": "count accuracy",
    "always_one_accuracy": 'count accuracy of "always one"',
}


def results_table(result: dict[str, Any]) -> Table:
    """The metrics with their intervals, in percent."""
    title = (
        f"{result['title']} on {result['benchmark']} ({result['split']}), {result['way']}-way {result['shot']}-shot, "
        f"{result['episodes']} episodes"
    )
    caption = f"encoder {result['encoder']}, trained on {result['train']}, sampler {result['protocol']}"
    table = Table("", "mean", "95 % interval", title=title, caption=caption, title_justify="left")
    for name, label in _ROWS.items():
        mean, low, high = (_shown(result[name][part]) for part in ("mean", "low", "high"))
        table.add_row(label, f"[bold]{mean}[/bold]", f"{low} to {high}")
    return table


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
