"""AspectDetector beside SetFit, logistic regression and prototypes on real aspect sets; writes docs/results/practical.

    python benchmarks/practical.py --data FOLDER [--only courses books] [--systems fewaspect setfit] [--seeds 0 1]
    python benchmarks/practical.py --data FOLDER --times
    python benchmarks/practical.py --table

For the up to twelve most frequent aspects of a set, 1, 5 or 10 examples each come from one random half, the sentences
to tag from the other, those with none of the aspects included. Every system gets the same draw and starts from the
same encoder, in a process of its own. With no examples, the names of the aspects serve alone.

Each measurement is a JSON file; what is there already is not measured again, so the script can be stopped and started
at will. Times are compared only if they were taken in one go on one machine: `--times` does, on one draw of each set,
and keeps them when it has all. `--table` writes practical.md from the files alone. SetFit is no dependency of the
project: it is left out, and the table says so, unless it was installed with
`pip install --constraint constraints.txt setfit==1.2.0`.
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

from fewaspect.core.files import atomic_folder, atomic_write
from fewaspect.core.settings import to_json
from practical_draw import SETS, SHOTS, draw, load_set
from practical_table import page

RESULTS = Path(__file__).parent.parent / "docs" / "results" / "practical"
TIMES = "practical-times"  # the folder beside it
TIMED = {"seeds": [0], "shots": [1, 5]}
WORKER = Path(__file__).parent / "practical_systems.py"
WITH_EXAMPLES = ("fewaspect", "fewaspect-float32", "setfit", "logistic", "prototypes")
WITHOUT = ("fewaspect", "label-text")
SYSTEMS = (*WITH_EXAMPLES, "label-text")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="The folder that holds practical/ and fewasp/.")
    parser.add_argument("--only", nargs="+", choices=SETS, default=list(SETS), help="These sets alone.")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--shots", nargs="+", type=int, choices=(0, *SHOTS), default=[0, *SHOTS])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--test", type=int, default=800, help="Sentences to tag.")
    parser.add_argument("--out", type=Path, default=RESULTS, help="The folder of the JSON files.")
    parser.add_argument("--times", action="store_true", help="Measure times in one go: all systems, seed 0.")
    parser.add_argument("--table", action="store_true", help="Only write the table from the results there are.")
    arguments = parser.parse_args()
    failed = 0
    if not arguments.table:
        if arguments.data is None:
            parser.error("--data FOLDER is needed, except with --table")
        systems = available(arguments.systems)
        sets = {name: load_set(name, arguments.data) for name in arguments.only}
        arguments.out.mkdir(parents=True, exist_ok=True)
        if arguments.times:
            with atomic_folder(arguments.out.parent / TIMES, replace=True) as out:  # all of them or none
                for job in jobs(sets, systems, TIMED["shots"], TIMED["seeds"], arguments.test):
                    if not done(job, out):
                        raise SystemExit("a measurement failed; the times stay as they were.")
        else:
            for job in jobs(sets, systems, arguments.shots, arguments.seeds, arguments.test):
                failed += not done(job, arguments.out)
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
) -> Iterator[dict[str, Any]]:
    """The systems of one draw after each other, so that they share what else the machine does; seed by seed."""
    for seed in seeds:
        for name, sentences in sets.items():
            for K in shots:
                drawn = draw(sentences, K, seed, test)
                for system in systems:
                    if system in (WITH_EXAMPLES if K else WITHOUT):
                        yield {"set": name, "shots": K, "seed": seed, "system": system, "draw": drawn}


def done(job: dict[str, Any], out: Path) -> bool:
    """Whether the job's file is there, measured now if it was not; a file of another draw is refused."""
    drawn = job["draw"]
    name = f"{job['set']}-{job['shots']}shot-seed{job['seed']}-{job['system']}"
    path = out / f"{name}.json"
    if path.exists():
        if json.loads(path.read_text(encoding="utf-8"))["draw"] != drawn.digest:
            raise SystemExit(
                f"{path}: expected a result of the draw {drawn.digest[:12]}, found one of another draw (other data, "
                "or another --test). Remove it, or name another folder with --out."
            )
        return True
    result = measured({**job, "draw": asdict(drawn)})
    if result is None:
        print(f"{name}: failed", flush=True)
        return False
    about = {
        **{key: job[key] for key in ("set", "shots", "seed", "system")},
        "draw": drawn.digest, "aspects": drawn.names, "examples": len(drawn.examples), "sentences": len(drawn.texts),
    }  # fmt: skip
    with atomic_write(path) as file:
        file.write(to_json({**about, **result}))
    print(
        f"{name}: macro-F1 {100 * result['macro_f1']:.1f}, mean average precision "
        f"{100 * result['mean_average_precision']:.1f}, ready in {result['seconds_to_be_ready']:.2f} s",
        flush=True,
    )
    return True


def measured(job: dict[str, Any]) -> dict[str, Any] | None:
    """The result of a process that does nothing but this job; its last words are shown if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, str(WORKER), str(result)]
        finished = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True)
        if finished.returncode:
            print(finished.stderr[-3000:], file=sys.stderr)
            return None
        read: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return read


def write_table(out: Path) -> None:
    results, times = (
        [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
        for folder in (out, out.parent / TIMES)
    )
    if not results:
        raise SystemExit(f"{out}: expected JSON files of measurements, found none. Measure first: --data FOLDER.")
    target = out.parent / "practical.md"
    with atomic_write(target) as file:
        file.write(page(results, times))
    print(f"wrote {target}")


if __name__ == "__main__":
    main()
