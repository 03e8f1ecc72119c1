"""What attacks found: lines of docs/results/attacks.jsonl, and the table of docs/explanation/hardening.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import time
from pathlib import Path
from typing import Any

from fewaspect import __version__

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "docs" / "results" / "attacks.jsonl", ROOT / "docs" / "explanation" / "hardening.md"
_TABLE = re.compile(r"(?<=<!-- table -->\n).*?(?=<!-- end -->)", re.DOTALL)


def add_record_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--record", nargs="?", type=Path, const=RESULTS, metavar="FILE",
        help="write what was found, by default to docs/results/attacks.jsonl",
    )  # fmt: skip


def record(
    attack: str, path: Path | None, *, count: int, broken: int, seed: int, seconds: float, again: str, **more: Any
) -> None:
    """One line, in place of an earlier one of the same attack; without a path it is only printed. Of `wanted`, where
    there is a bound on time, it may have come only so far."""
    line = {
        "attack": attack, "count": count, "broken": broken, "seed": seed, "seconds": round(seconds, 1), **more,
        "again": again, "version": __version__, "python": platform.python_version(), "system": platform.platform(),
        "processors": os.cpu_count(), "day": time.strftime("%Y-%m-%d", time.gmtime()),
    }  # fmt: skip
    print(json.dumps(line), flush=True)
    if path is not None:
        lines = sorted([*(one for one in read(path) if one["attack"] != attack), line], key=lambda one: one["attack"])
        path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")


def recorded(attack: str, seed: int, path: Path | None) -> dict[str, Any]:
    """The line of an attack that was interrupted, with the same seed and version; empty without one."""
    own = {"attack": attack, "seed": seed, "version": __version__}
    return next((one for one in read(path) if own.items() <= one.items()), {}) if path else {}


def read(path: Path = RESULTS) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def table(lines: list[dict[str, Any]]) -> str:
    """Markdown: what was attacked, how often, what broke, and how to do it again."""
    rows = ["| attack | how many | lost or broken | seconds | again |", "|---|---:|---:|---:|---|"]
    rows += [
        f"| {one['attack']} | {how_many(one)} | {one['broken']:,} | {one['seconds']:,.0f} | `{one['again']}` |"
        for one in lines
    ]
    return "\n".join(rows) + "\n"


def how_many(line: dict[str, Any]) -> str:
    """With what was wanted, if time was up before."""
    count, wanted = line["count"], line.get("wanted", 0)
    return f"{count:,} of {wanted:,}" if count < wanted else f"{count:,}"


def fill_page(lines: list[dict[str, Any]]) -> None:
    PAGE.write_text(_TABLE.sub(lambda _: table(lines), PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:  # lines that were written elsewhere take the place of those of the same attacks
        found = {one["attack"]: one for one in [*read(), *read(Path(sys.argv[1]))]}
        RESULTS.write_text("".join(json.dumps(found[name]) + "\n" for name in sorted(found)), encoding="utf-8")
    fill_page(read())
    print(table(read()), end="")
