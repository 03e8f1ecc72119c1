"""AspectDetector beside SetFit, logistic regression and prototypes on real aspect sets.

    python benchmarks/practical/compare.py --data FOLDER [--only courses books] [--systems fewaspect setfit] [--seeds 0]
    python benchmarks/practical/compare.py --data FOLDER --times
    python benchmarks/practical/compare.py --table

For the up to twelve most frequent aspects of a set, 1, 5 or 10 examples each come from one random half, the sentences
to tag from the other, those with none of the aspects included. Every system gets the same draw and starts from the
same encoder, in a process of its own. With no examples, the names of the aspects serve alone.

Measurements are merged into docs/results/practical.jsonl one by one; what is there is not measured again, so the script
can be stopped and started at will, also several at once. Times are comparable only if they were taken together on one
machine: `--times` does so on one draw of each set, and writes practical-times.jsonl when it has all. `--table` writes
practical.md from these files alone. SetFit is no dependency of the project: it is left out, and the table says so,
unless it was installed with `pip install --constraint constraints.txt setfit==1.2.0`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from draws import SETS, SHOTS, Draw, draw, load_set
from fewaspect.core.files import atomic_write
from fewaspect.experiments.results_file import merge_results, read_results, write_results
from page import page

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "practical.jsonl"
KEY = ("set", "shots", "seed", "system")
TIMED = {"seeds": [0], "shots": [1, 5]}
WORKER = Path(__file__).parent / "systems.py"
WITH_EXAMPLES = ("fewaspect", "fewaspect-fp32", "setfit", "logistic", "prototypes")
WITHOUT = ("fewaspect", "label-text")
SYSTEMS = (*WITH_EXAMPLES, "label-text")

Job = dict[str, Any]  # by the names of KEY


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="The folder that holds practical/ and fewasp/.")
    parser.add_argument("--only", nargs="+", choices=SETS, default=list(SETS), help="These sets alone.")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--shots", nargs="+", type=int, choices=(0, *SHOTS), default=[0, *SHOTS])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--test", type=int, default=800, help="Sentences to tag.")
    parser.add_argument("--out", type=Path, default=RESULTS, help="The results file; the table is written beside it.")
    parser.add_argument("--times", action="store_true", help="Measure times together: all systems, seed 0.")
    parser.add_argument("--table", action="store_true", help="Only write the table from the results there are.")
    arguments = parser.parse_args()
    failed = 0
    if not arguments.table:
        if arguments.data is None:
            parser.error("--data FOLDER is needed, except with --table")
        systems = available(arguments.systems)
        sets = {name: load_set(name, arguments.data) for name in arguments.only}
        if arguments.times:
            measure_times(jobs(sets, systems, TIMED["shots"], TIMED["seeds"], arguments.test), arguments.out)
        else:
            every = jobs(sets, systems, arguments.shots, arguments.seeds, arguments.test)
            failed = sum(not measure_missing(job, drawn, arguments.out) for job, drawn in every)
    write_table(arguments.out)
    if failed:
        raise SystemExit(f"{failed} measurements failed; start again to repeat them.")


def available(systems: Sequence[str]) -> list[str]:
    """Without SetFit where its package is not installed."""
    if "setfit" in systems and not all(find_spec(package) for package in ("setfit", "datasets")):
        print("setfit is not installed and left out. To have it: pip install setfit==1.2.0")
        return [name for name in systems if name != "setfit"]
    return list(systems)


def jobs(
    sets: dict[str, Any], systems: Sequence[str], shots: Sequence[int], seeds: Sequence[int], test: int
) -> Iterator[tuple[Job, Draw]]:
    """The systems of one draw after each other, so that other load on the machine meets all of them; seed by seed."""
    for seed in seeds:
        for name, sentences in sets.items():
            for K in shots:
                drawn = draw(sentences, K, seed, test)
                for system in systems:
                    if system in (WITH_EXAMPLES if K else WITHOUT):
                        yield {"set": name, "shots": K, "seed": seed, "system": system}, drawn


def measure_missing(job: Job, drawn: Draw, out: Path) -> bool:
    """Whether the job's record is in the file, measured now if it was not; a record of another draw is refused."""
    known = read_results(out) if out.exists() else []
    if found := next((record for record in known if all(record[name] == job[name] for name in KEY)), None):
        if found["draw"] != drawn.digest:
            raise SystemExit(
                f"{out}: {describe(job)}: expected a record of the draw {drawn.digest[:12]}, found one of another draw "
                "(other data, or another --test). Remove its line, or name another file with --out."
            )
        return True
    if record := measure(job, drawn):
        merge_results(out, [record], KEY)
    return record is not None


def measure_times(every: Iterator[tuple[Job, Draw]], out: Path) -> None:
    """All of them or none."""
    records = []
    for job, drawn in every:
        if not (record := measure(job, drawn)):
            raise SystemExit("a measurement failed; the times stay as they were.")
        records.append(record)
    write_results(times_file(out), records, KEY)


def measure(job: Job, drawn: Draw) -> dict[str, Any] | None:
    """The record of a process that does nothing but this job; the end of its errors is shown if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, str(WORKER), str(result)]
        finished = subprocess.run(
            command, input=json.dumps({**job, "draw": asdict(drawn)}), capture_output=True, text=True
        )
        if finished.returncode:
            print(finished.stderr[-3000:], file=sys.stderr)
            print(f"{describe(job)}: failed", flush=True)
            return None
        measured = json.loads(result.read_text(encoding="utf-8"))
    print(
        f"{describe(job)}: macro-F1 {100 * measured['macro_f1']:.1f}, mean average precision "
        f"{100 * measured['mean_average_precision']:.1f}, ready in {measured['seconds_to_be_ready']:.2f} s",
        flush=True,
    )
    return {
        **job, "draw": drawn.digest, "aspects": drawn.names, "examples": len(drawn.examples),
        "sentences": len(drawn.texts), **measured,
    }  # fmt: skip


def describe(job: Job) -> str:
    return f"{job['set']}, {job['shots']} examples, seed {job['seed']}, {job['system']}"


def times_file(out: Path) -> Path:
    return out.with_name(f"{out.stem}-times{out.suffix}")


def write_table(out: Path) -> None:
    results, times = (read_results(path) if path.exists() else [] for path in (out, times_file(out)))
    if not results:
        raise SystemExit(f"{out}: expected a file of measurements, found none. Measure first: --data FOLDER.")
    target = out.with_suffix(".md")
    with atomic_write(target) as file:
        file.write(page(results, times))
    print(f"wrote {target}")


if __name__ == "__main__":
    main()
