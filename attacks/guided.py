"""Fuzzing guided by coverage, with atheris, of every reader of a single file: `python -m attacks.guided`.

Atheris is installed where there is a wheel of it (`pip install atheris`); without it nothing is done, and that is told.
What was found to reach new code is kept in `--corpus`, and is where the next run begins.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from attacks.readers import READERS, listing, sound
from attacks.record import add_record_option, record, recorded

MOST_SECONDS, MOST_MEGABYTES = 10, 4096
SINGLE = [
    name for name in READERS if not name.startswith(("saved", "exported", "run-", "cells", "reviews-xlsx"))
]  # readers of one file that take milliseconds
TRIED = re.compile(r"(?:Done (\d+) runs|#(\d+)\s)")


def fuzz(name: str, arguments: list[str]) -> None:
    """Does not return: the fuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["fewaspect"]):
        import fewaspect.core.settings
        import fewaspect.data.formats
        import fewaspect.experiments.grid.grid_config
        import fewaspect.reviews.definitions
        import fewaspect.reviews.readers.source
        import fewaspect.studio.importing.archives  # noqa: F401
    place = tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
    folder, reader = Path(place.name), READERS[name]
    (path,) = sound(name, folder)
    assert reader.outcome(folder) == "read"

    def one(content: bytes) -> None:
        (folder / path).write_bytes(content)
        reader.outcome(folder)
        if listing(folder) != [str(folder / path)]:
            raise AssertionError(f"files were left: {listing(folder)}")

    atheris.Setup([sys.argv[0], *arguments], one)
    atheris.Fuzz()


def attack(name: str, seed: int, runs: int, seconds: float, corpus: Path) -> tuple[int, list[str]]:
    """How many inputs were tried in a process of its own, and what it found."""
    (kept := corpus / name).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        for file, content in sound(name, Path(made)).items():
            (kept / f"sound-{Path(file).name}").write_bytes(content)
        found = Path(made) / "found"
        found.mkdir()
        options = [
            f"-runs={runs}", f"-max_total_time={seconds:.0f}", f"-seed={seed + 1}", f"-timeout={MOST_SECONDS}",
            f"-rss_limit_mb={MOST_MEGABYTES}", f"-artifact_prefix={found}/", "-max_len=8192", str(kept),
        ]  # fmt: skip
        command = [sys.executable, "-m", "attacks.guided", "--inside", name, *options]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        tried = max((int(a or b) for a, b in TRIED.findall(done.stderr)), default=0)
        inputs = [f"{path.name}: {path.read_bytes()[:300]!r}" for path in found.iterdir()]
        if done.returncode or inputs:
            return tried, [f"{name}: {inputs} {done.stderr[-1500:]}"]
    return tried, []


def main() -> int:
    if sys.argv[1:2] == ["--inside"]:
        fuzz(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reader", choices=SINGLE, action="append")
    parser.add_argument("--runs", type=int, default=5000, help="inputs of each reader")
    parser.add_argument("--seconds", type=float, default=60, help="of each reader, at most")
    parser.add_argument("--corpus", type=Path, default=Path(tempfile.gettempdir()) / "fewaspect-corpus")
    add_record_option(parser)
    given = parser.parse_args()
    if find_spec("atheris") is None:
        print("No atheris here (pip install atheris): no fuzzing guided by coverage was done.")
        return 0
    what, begun, failures = "inputs guided by coverage", time.time(), []
    before = recorded(what, given.seed, given.record)
    total = before.get("count", 0)
    wanted = total + given.runs * len(given.reader or SINGLE)
    for name in given.reader or SINGLE:
        tried, broken = attack(name, given.seed + total, given.runs, given.seconds, given.corpus)
        print(f"{name}: {tried} of {given.runs} inputs, {len(broken)} broken", *broken, sep="\n", flush=True)
        total, failures = total + tried, failures + broken
    record(
        what, given.record, count=total, wanted=wanted, broken=before.get("broken", 0) + len(failures), seed=given.seed,
        seconds=before.get("seconds", 0) + time.time() - begun,
        again=f"python -m attacks.guided --runs {given.runs} --seed {given.seed}",
    )  # fmt: skip
    return bool(failures)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
