"""What a measurement of bulk detection means for large clusters: the arithmetic, from docs/results/bulk.json.

python benchmarks/load/bulk_scaling.py docs/results/bulk.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

BILLION = 10**9
CORES = 8  # of a machine, an actor on each
PARTITION = 20_000  # rows, unless --partition-rows says otherwise
DESCRIPTION = 1000  # bytes of a partition through the object store: its description, its counts, Ray's own


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=Path)
    measured = json.loads(parser.parse_args().measured.read_text())
    print("\n\n".join([cores(measured), saturation(measured)]))


def per_core(measured: dict[str, Any]) -> tuple[float, float]:
    """Rows and sentences per second of an actor of one thread, all actors at work."""
    job = measured["jobs"][-1]
    rows = job["rows_per_second"] / job["actors"]
    return rows, rows * job["sentences"] / job["rows"]


def cores(measured: dict[str, Any]) -> str:
    """cores = sentences / (sentences per second and core x seconds)"""
    _, sentences = per_core(measured)
    lines = [
        f"A core reads {sentences:,.0f} sentences per second; a billion take {BILLION / sentences / 3600:,.0f} core "
        "hours.",
        "",
        "| done in | cores | by |",
        "|---|---|---|",
    ]
    for hours in (1, 8, 24):
        need = BILLION / (sentences * hours * 3600)
        lines.append(f"| {hours} h | {need:,.0f} | {BILLION:,} / ({sentences:,.0f} x {hours * 3600:,} s) |")
    return "\n".join(lines)


def saturation(measured: dict[str, Any]) -> str:
    """The load on each thing that there is once, and the share of what it was measured to bear."""
    rows, _ = per_core(measured)
    parts = measured["single_parts"]
    bears = parts["partitions_handed_out_per_second"]
    lines = [
        f"| machines of {CORES} cores | rows/s | partitions/s | driver's share | object store "
        "| a billion rows of JSONL in one file |"
    ]
    lines.append("|---|---|---|---|---|---|")
    single = BILLION / parts["rows_of_jsonl_divided_per_second"]
    for machines in (1, 100, 1000):
        speed = machines * CORES * rows
        handed = speed / PARTITION
        passing = handed * DESCRIPTION / 1000
        lines.append(
            f"| {machines:,} | {speed:,.0f} | {handed:,.2f} | {handed / bears:.1%} | {passing:,.1f} kB/s "
            f"| {single / 60:,.0f} min to divide, {BILLION / speed / 60:,.0f} min to score |"
        )
    full = bears * PARTITION / (CORES * rows)
    footers = parts["footers_read_per_second"]
    lines += [
        "",
        f"The driver hands out {bears:,.0f} partitions per second and would be full at {full:,.0f} machines of "
        f"{CORES} cores: {bears:,.0f} x {PARTITION:,} rows / ({CORES} x {rows:,.0f} rows/s).",
        f"A second lists {parts['files_listed_per_second']:,.0f} files on a disk, and a core reads the footers of "
        f"{footers:,.0f} files of Parquet in it.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
