"""What the measurements of audits, label errors and growth have in common: options, and the frame of a page."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from draws import chosen_sets
from fewaspect.core.files import atomic_write
from fewaspect.experiments.results_file import Record, read_results
from records import GROUPS

Measure = Callable[[Path, Sequence[str], Sequence[int], Path, bool], None]  # data, sets, seeds, out, again
Section = Callable[[Sequence[Record], Sequence[str]], Sequence[str]]  # of the records of a group, and its sets


def run(
    explanation: str, out: Path, seeds: Sequence[int], measure: Measure, page: Callable[[Sequence[Record]], str]
) -> None:
    """The script: measure what is asked for and missing, then write the page beside the records."""
    parser = argparse.ArgumentParser(description=explanation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="The folder that holds practical/, fewasp/ and corpus/validation/.")
    parser.add_argument("--sets", default="validation,visible", help="visible, validation, or names with commas.")
    parser.add_argument("--seeds", nargs="+", type=int, default=list(seeds))
    parser.add_argument("--again", action="store_true", help="Measure also what is there: the model has changed.")
    parser.add_argument("--out", type=Path, default=out)
    parser.add_argument("--table", action="store_true", help="Only write the page from the records there are.")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if not arguments.table:
        if arguments.data is None:
            parser.error("--data FOLDER is needed, except with --table")
        measure(arguments.data, chosen_sets(arguments.sets), arguments.seeds, arguments.out, arguments.again)
    with atomic_write(arguments.out.with_suffix(".md")) as file:
        file.write(page(read_results(arguments.out)))


def framed(introduction: str, records: Sequence[Record], section: Section) -> str:
    """The introduction, a section for each group of sets, and where the records come from."""
    parts = [introduction]
    for group, sets in GROUPS.items():
        here = [r for r in records if r["set"] in sets]
        if here:
            parts += [f"## {group[0].upper()}{group[1:]}\n", *section(here, sets)]
    seeds = sorted({r["seed"] for r in records})
    environments = [r["environment"] for r in records]
    machines = {f"{e['processor']}, {e['cores']} cores, Python {e['python']}" for e in environments}
    parts.append(f"{len(records)} records, seeds {', '.join(map(str, seeds))}, on: {'; '.join(sorted(machines))}.\n")
    return "\n".join(parts)
