"""Disks that fail under work: every file operation once, files that may not grow, no descriptors, a full disk, a clock
that jumps.

`python -m attacks.faults`. Work that fails says so in one message with exit code 2; then there is the old or the new,
whole, and done again without the fault the result is that of work that never failed.
"""

from __future__ import annotations

import argparse
import errno
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from math import inf
from pathlib import Path
from random import Random
from typing import Any

from attacks.kills import Attack, end_of
from attacks.record import add_record_option, record
from attacks.victims import VICTIMS

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
ERRORS = (errno.EIO, errno.ENOSPC, errno.EMFILE, errno.EACCES, errno.EROFS)
Fault = Callable[[Path], object]  # sets in a child what will fail


def failing_operation(number: int, error: int, *, lasting: bool) -> Fault:
    """The operation `number` on files in the folder fails; if it lasts, whatever writes after it too."""

    def fault(folder: Path) -> None:
        operations, begun = count(), False

        def audit(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal begun
            if not (path := _operated_on(event, arguments)) or not path.startswith(str(folder)):
                return
            writes = event in ("os.rename", "os.mkdir") or (event == "open" and bool((arguments[2] or 0) & WRITES))
            if next(operations) == number or (begun and lasting and writes):
                begun = True
                raise OSError(error, os.strerror(error), path)

        sys.addaudithook(audit)

    return fault


def _operated_on(event: str, arguments: tuple[Any, ...]) -> str:
    if event in ("open", "os.rename", "os.mkdir", "os.listdir", "os.scandir") and isinstance(
        arguments[0], str | os.PathLike
    ):
        return os.fspath(arguments[0])  # type: ignore[return-value]
    return ""


def small_files(size: int) -> Fault:
    return lambda folder: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def few_descriptors(more: int) -> Fault:
    return lambda folder: resource.setrlimit(
        resource.RLIMIT_NOFILE,
        (len(os.listdir("/proc/self/fd")) + more,) * 2,  # noqa: PTH208
    )


def jumping_clock(seed: int) -> Fault:
    """By up to ten years, to and fro, at each look."""

    def fault(folder: Path) -> None:
        real, random = time.time, Random(seed)
        time.time = lambda: real() + random.uniform(-3e8, 3e8)

    return fault


def child(attack: Attack, folder: Path, fault: Fault) -> tuple[int, str]:
    """Exit code and standard error of the work, as of a command."""
    said = folder.parent / f"{folder.name}.said"
    if not (process := os.fork()):
        try:
            from fewaspect.cli import app

            with said.open("w") as file, open(os.devnull, "w") as nowhere:  # noqa: PTH123
                os.dup2(nowhere.fileno(), 1)
                os.dup2(file.fileno(), 2)
            sys.stderr = os.fdopen(2, "w", buffering=1)  # whatever those who collect output have put there
            real = app.app
            app.app = lambda *given: real(*given) if given else attack.victim.work(folder)  # type: ignore
            fault(folder)
            app.main()
            os._exit(0)
        except SystemExit as end:
            sys.stderr.flush()
            os._exit(int(end.code or 0))
        except BaseException:
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
            sys.stderr.flush()
            os._exit(1)
    code = end_of(process)
    text = said.read_text(errors="replace")
    said.unlink()
    return code, text


def try_fault(attack: Attack, fault: Fault, must_work: bool = False, size: int | None = None) -> list[str]:
    """What broke; with a size, on a disk of so many bytes beside what is there before."""
    with tempfile.TemporaryDirectory() as place, own_disk(Path(place), mounted=size is not None) as folder:
        attack.victim.prepare(folder)
        if size is not None:
            shrink(folder, size)
        code, said = child(attack, folder, fault)
        broken = []
        if code not in ((0,) if must_work else (0, 2)) or "Traceback" in said:
            broken.append(f"exit code {code}: {said[-1500:]}")
        if code == 2 and not said.strip():
            broken.append("it failed without a word")
        if size is not None:
            subprocess.run(["mount", "-o", "remount,size=64m", str(folder)], check=True)
        return broken + attack.faults(folder)


@contextmanager
def own_disk(place: Path, *, mounted: bool) -> Iterator[Path]:
    (folder := place / "work").mkdir()
    if not mounted:
        yield folder
        return
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "none", str(folder)], check=True, capture_output=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def shrink(folder: Path, left: int) -> None:
    """So that so many bytes are left."""
    disk = os.statvfs(folder)
    used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
    subprocess.run(["mount", "-o", f"remount,size={used + left}", str(folder)], check=True)


def disks_can_be_mounted() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        command = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder]
        with suppress(OSError):
            if subprocess.run(command, capture_output=True).returncode == 0:
                subprocess.run(["umount", "-l", folder], check=True)
                return True
    return False


def faults_of(attack: Attack, seed: int, most: int) -> Iterator[tuple[str, Fault, dict[str, Any]]]:
    """So many of each kind, spread over the work."""
    random = Random(f"{seed}:{attack.name}")
    for _ in range(most):
        number, error = int(random.expovariate(1 / 25)), random.choice(ERRORS)
        what = f"operation {number} fails with {errno.errorcode[error]}"
        yield what, failing_operation(number, error, lasting=random.random() < 0.5), {}
    for _ in range(most // 4):
        size = random.randrange(1 << random.randrange(4, 20))
        yield f"files of at most {size} bytes", small_files(size), {}
        yield f"{size % 9} descriptors", few_descriptors(size % 9), {}
        if disks_can_be_mounted():
            yield f"a disk of {size} bytes", lambda folder: None, {"size": size}
    for number in range(2):
        yield "a clock that jumps", jumping_clock(number), {"must_work": True}


def run_faults(name: str, seed: int, most: int, seconds: float = inf) -> tuple[int, int, list[str]]:
    """How many were tried in time, of how many, and what broke."""
    attack, broken, tried, until = Attack(name, seed), [], 0, time.time() + seconds
    every = list(faults_of(attack, seed, most))
    for what, fault, options in every:
        if time.time() > until:
            break
        tried += 1
        try:
            found = try_fault(attack, fault, **options)
        except TimeoutError as error:
            found = [str(error)]
        broken += [f"{name}, {what}: {one}" for one in found]
    return tried, len(every), broken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--victim", choices=VICTIMS, action="append")
    parser.add_argument("--most", type=int, default=24, help="failing operations of each victim")
    parser.add_argument("--seconds", type=float, default=900, help="of each, at most")
    add_record_option(parser)
    given, failed = parser.parse_args(), 0
    os.environ.setdefault("FEWASPECT_CACHE", tempfile.mkdtemp())
    for name in given.victim or VICTIMS:
        begun = time.time()
        tried, wanted, broken = run_faults(name, given.seed, given.most, given.seconds)
        print(*broken[:8], sep="\n", end="\n" if broken else "")
        failed += len(broken)
        record(
            f"failing systems under {name}", given.record, count=tried, wanted=wanted, broken=len(broken),
            seed=given.seed, seconds=time.time() - begun,
            again=f"python -m attacks.faults --victim {name} --most {given.most} --seed {given.seed}",
        )  # fmt: skip
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
