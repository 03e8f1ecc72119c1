"""Processes killed at random instants: what is there is whole, and done again it equals what was never interrupted.

`python -m attacks.kills --kills 50`. Children are forked, so that the instants fall into the work and not into imports;
kill `number` of a victim is known by the seed. With --record, kills that were recorded before are not done again.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from random import Random

from attacks.fuzz import work_seconds
from attacks.record import add_record_option, record, recorded
from attacks.victims import TEXTS, VICTIMS

MOST_SECONDS = 60.0  # of work, however busy the machine is, before it is taken to hang
MOST_WAITED = 900.0  # and of waiting, with or without work


def child(work: Callable[[Path], object], folder: Path) -> int:
    """The process that works; a fault is left in a file."""
    if number := os.fork():
        return number
    code = 1
    try:
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        work(folder)
        code = 0
    except BaseException:
        (folder / "fault.txt").write_text(traceback.format_exc())
    finally:
        os._exit(code)


def run(work: Callable[[Path], object], folder: Path) -> float:
    """Seconds that it takes, uninterrupted."""
    begun = time.perf_counter()
    if end_of(child(work, folder)):
        raise RuntimeError((folder / "fault.txt").read_text())
    return time.perf_counter() - begun


def import_what(work: Callable[[Path], object], prepare: Callable[[Path], object]) -> None:
    """All modules that the work needs, and the shipped model, so that children need not load them."""
    from fewaspect import AspectDetector

    AspectDetector().fit({"food": ["cold soup"]}).predict(TEXTS)

    def told(folder: Path) -> None:
        work(folder)
        (folder / "modules.txt").write_text("\n".join(sys.modules))

    with tempfile.TemporaryDirectory() as place:  # in a child: after some work of torch, this process could not fork
        prepare(folder := Path(place))
        run(told, folder)
        for name in (folder / "modules.txt").read_text().splitlines():
            with suppress(Exception):
                import_module(name)


def end_of(process: int, seconds: float = MOST_SECONDS) -> int:
    """Its exit code; one that takes longer is ended, which is a fault."""
    until = time.monotonic() + MOST_WAITED
    while time.monotonic() < until and work_seconds(process) < seconds:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    raise TimeoutError(f"the work took more than {seconds:.0f} s, or waited more than {MOST_WAITED:.0f} s")


class Attack:
    """The victim's work, done once without a kill, and then killed as often as wanted."""

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.seed, self.victim = name, seed, VICTIMS[name]
        import_what(self.victim.work, self.victim.prepare)
        with tempfile.TemporaryDirectory() as place:
            self.victim.prepare(folder := Path(place))
            self.old = self.victim.before(folder)
            self.took = run(self.victim.work, folder)
            self.expected = self.victim.result(folder)
        assert self.expected is not None, name

    def kill(self, number: int) -> tuple[bool, list[str]]:
        """Whether it was killed in the midst of its work, and what broke."""
        with tempfile.TemporaryDirectory() as place:
            self.victim.prepare(folder := Path(place))
            process = child(self.victim.work, folder)
            time.sleep(Random(f"{self.seed}:{self.name}:{number}").random() * self.took)
            os.kill(process, signal.SIGKILL)
            killed = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
            return killed, [f"{self.name} {number}: {fault}" for fault in self.faults(folder)]

    def faults(self, folder: Path) -> list[str]:
        """Of what is there now, and after the work was done again."""
        broken = []
        try:
            if self.victim.result(folder) not in (None, self.old, self.expected):
                broken.append("neither the old nor the new is there")
            run(self.victim.work, folder)
            if self.victim.result(folder) != self.expected:
                broken.append("done again, the result is another")
        except Exception:
            broken.append(traceback.format_exc())
        return broken


def attack(name: str, kills: int, seed: int, seconds: float, first: int = 0) -> tuple[int, int, list[str]]:
    """How many were killed in the midst of work, how many were done before, and what broke."""
    victim, until = Attack(name, seed), time.time() + seconds
    killed = done = 0
    broken: list[str] = []
    while killed < kills and time.time() < until:
        in_time, faults = victim.kill(first + killed + done)
        killed, done, broken = killed + in_time, done + (not in_time), broken + faults
    return killed, done, broken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--victim", choices=VICTIMS, action="append")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300, help="of each, at most")
    add_record_option(parser)
    given = parser.parse_args()
    os.environ.setdefault("FEWASPECT_CACHE", tempfile.mkdtemp())
    failures = 0
    for name in given.victim or VICTIMS:
        begun, before = time.time(), recorded(f"kills of {name}", given.seed, given.record)
        earlier, late = before.get("count", 0), before.get("too_late", 0)
        if earlier >= given.kills:
            continue
        killed, done, broken = attack(name, given.kills - earlier, given.seed, given.seconds, earlier + late)
        print(*broken[:5], sep="\n", end="\n" if broken else "")
        failures += len(broken)
        record(
            f"kills of {name}", given.record, count=earlier + killed, wanted=given.kills,
            broken=before.get("broken", 0) + len(broken), seed=given.seed,
            seconds=before.get("seconds", 0) + time.time() - begun, too_late=late + done,
            again=f"python -m attacks.kills --victim {name} --kills {given.kills} --seed {given.seed}",
        )  # fmt: skip
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
