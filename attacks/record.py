"""What attacks found: lines of docs/results/attacks.jsonl, and the table of docs/explanation/hardening.md."""

from __future__ import annotations

import json
import platform
import re
import time
from pathlib import Path
from typing import Any

from fewaspect import __version__

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "docs" / "results" / "attacks.jsonl", ROOT / "docs" / "explanation" / "hardening.md"
_TABLE = re.compile(r"(?<=<!-- table -->\n).*?(?=<!-- end -->)", re.DOTALL)


def record(attack: str, *, count: int, broken: int, seed: int, seconds: float, **more: Any) -> None:
    """One line in place of an earlier one of the same attack."""
    line = {
        "attack": attack, "count": count, "broken": broken, "seed": seed, "seconds": round(seconds, 1), **more,
        "version": __version__, "python": platform.python_version(), "system": platform.platform(),
        "day": time.strftime("%Y-%m-%d", time.gmtime()),
    }  # fmt: skip
    print(json.dumps(line), flush=True)
    others = [one for one in read() if one["attack"] != attack]
    lines = sorted([*others, line], key=lambda one: one["attack"])
    RESULTS.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")


def read() -> list[dict[str, Any]]:
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def table() -> str:
    """Markdown: what was attacked, how often, what broke, and how to do it again."""
    rows = ["| attack | how many | lost or broken | seconds | again |", "|---|---:|---:|---:|---|"]
    rows += [
        f"| {one['attack']} | {one['count']:,} | {one['broken']:,} | {one['seconds']:,.0f} | `{one['again']}` |"
        for one in read()
    ]
    return "\n".join(rows) + "\n"


def fill_page() -> None:
    PAGE.write_text(_TABLE.sub(lambda _: table(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    fill_page()
    print(table(), end="")
