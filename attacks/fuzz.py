"""Damaged files through every reader. An input is known by seed, reader and number.

Each reader runs in a child with bounded memory and is ended after ten seconds at one input; the next child goes on
behind it. What is raised must be an error of the project; nothing may appear or vanish beside the files read.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
import traceback
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from attacks.mutations import mutated
from attacks.readers import READERS, listing, replace_files, sound
from attacks.record import add_record_option, record

MOST_SECONDS, MOST_BYTES = 10, 2 << 30  # beyond what the libraries take when they are loaded


def damaged(files: dict[str, bytes], seed: int, name: str, number: int) -> dict[str, bytes]:
    """Input `number`: one file of a sound input is damaged, or missing."""
    random = Random(f"{seed}:{name}:{number}")
    which = random.choice(sorted(files))
    if len(files) > 1 and random.random() < 0.05:
        return {other: content for other, content in files.items() if other != which}
    return {**files, which: mutated(files[which], list(files.values()), random)}


def attack(name: str, seed: int, numbers: range, seconds: float, pipe: Connection) -> None:
    """In a child: tells each number before it is tried, and what was wrong with it."""
    root = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=root) as made:
        folder, reader = Path(made), READERS[name]
        files = sound(name, folder)
        assert reader.outcome(folder) == "read", f"{name}: a sound file must be read"
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MOST_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
        until = time.time() + seconds
        for number in numbers:
            if time.time() > until:
                break
            pipe.send(("next", number))
            given = damaged(files, seed, name, number)
            replace_files(files, given, folder)
            before = listing(folder)
            try:
                reader.outcome(folder)
                if listing(folder) != before:
                    pipe.send(("broken", f"{number}: a file was left beside the one read"))
            except BaseException:
                pipe.send(("broken", f"{number}: {traceback.format_exc()}"))
            replace_files(given, files, folder)
    pipe.send(("done", 0))


def work_seconds(process: int) -> float:
    """That a process has worked, however busy the machine is with others."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def attack_reader(name: str, seed: int, first: int, count: int, seconds: float) -> tuple[int, list[str]]:
    """How many inputs were tried, and what broke. Loading the libraries does not count as time."""
    broken: list[str] = []
    start, context = first, get_context("spawn")
    while start < first + count:
        ours, theirs = context.Pipe(duplex=False)
        child = context.Process(target=attack, args=(name, seed, range(start, first + count), seconds, theirs))
        begun, before = time.time(), start
        child.start()
        theirs.close()
        done, worked = False, 0.0
        while not done:
            while not ours.poll(MOST_SECONDS if start > before else 300):
                if start == before or work_seconds(child.pid or 0) - worked > MOST_SECONDS:
                    child.kill()
            try:
                kind, told = ours.recv()
            except EOFError:
                break
            if kind == "next":
                start, worked = told + 1, work_seconds(child.pid or 0)
            elif kind == "broken":
                broken.append(f"{name} {told}")
            done = kind == "done"
        child.join()
        seconds -= time.time() - begun
        if done:
            break
        broken.append(f"{name} {start - 1}: the process ended with {child.exitcode}: too slow, or it crashed")
        if start == before or seconds < 0:
            break
    return start - first, broken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reader", choices=READERS, action="append", help="only this one")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--count", type=int, default=3000, help="inputs of a reader of weight 1")
    parser.add_argument("--seconds", type=float, default=60, help="of each reader, at most")
    add_record_option(parser)
    given = parser.parse_args()
    total, wanted, failures, started = 0, 0, [], time.time()
    for name in given.reader or READERS:
        count = given.count if given.reader else max(1, int(given.count * READERS[name].weight))
        begun = time.time()
        tried, broken = attack_reader(name, given.seed, given.first, count, given.seconds)
        print(
            f"{name}: {tried} of {count} inputs, seed {given.seed}, {len(broken)} broken, {time.time() - begun:.0f} s",
            flush=True,
        )
        print(*broken[:5], sep="\n", end="\n" if broken else "")
        total, wanted, failures = total + tried, wanted + count, failures + broken
    record(
        "damaged files through every reader", given.record, count=total, wanted=wanted, broken=len(failures),
        seed=given.seed, seconds=time.time() - started,
        again=f"python -m attacks.fuzz --seed {given.seed} --count {given.count}",
    )  # fmt: skip
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
