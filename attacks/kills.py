"""Processes killed at random instants: what is there is whole, and done again it equals what was never interrupted.

`python -m attacks.kills --kills 50`. Children are forked, so that the instants fall into the work and not into imports.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from attacks.record import record

FIXTURES = Path(__file__).parents[1] / "tests" / "fixtures" / "v0_1"
TEXTS = [
    "cold soup",
    "the waiter was rude",
    "see you on Monday",
    "Nobody could park. The pizza was good.",
    "full garage",
]
LOADED = (  # before the children are forked
    "fewaspect.cli.app", "fewaspect.bulk.job", "fewaspect.detector.detector", "fewaspect.reviews.pipeline",
    "fewaspect.studio.studio", "fewaspect.training.run", "fewaspect.training.trainer",
)  # fmt: skip
TRAIN = (
    "train --benchmark sample --way 3 --shot 2 --queries 2 --validation-episodes 2 --validate-every 2 --episodes 6 "
    "--encoder-dropout 0.1 --learning-rate 1e-3 --resume"
)


@dataclass(frozen=True)
class Victim:
    """`prepare` fills a folder, `work` is killed, `result` is what it left: None is nothing, an error is a fault."""

    prepare: Callable[[Path], object]
    work: Callable[[Path], object]
    result: Callable[[Path], Any]
    before: Callable[[Path], Any] = lambda folder: None  # what may be there instead of the result


def command(line: str, *arguments: object) -> None:
    """`fewaspect ...` in this process."""
    from fewaspect.cli.app import app

    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    app([*line.split(), *map(str, arguments)], standalone_mode=False)


def reviews(folder: Path) -> None:
    (folder / "r.csv").write_text("text\n" + "".join(f"{TEXTS[n % 5]} {n}\n" for n in range(400)))
    (folder / "e.yaml").write_text("food: [cold soup, good pizza]\nstaff: [a rude waiter]\n")


def detect(folder: Path) -> None:
    command("detect --no-adapt -q --chunk 50 --examples", folder / "e.yaml", folder / "r.csv", "-o", folder / "o.csv")


def text_of(name: str) -> Callable[[Path], Any]:
    return lambda folder: (folder / name).read_text() if (folder / name).exists() else None


def saved(folder: Path) -> None:
    from fewaspect import AspectDetector

    reviews(folder)
    AspectDetector().fit({"food": ["cold soup"]}).save(folder / "d")


def save(folder: Path) -> None:
    from fewaspect import AspectDetector

    AspectDetector.load(folder / "d").fit({"food": ["cold soup"], "noise": ["thin walls"]}).save(folder / "d")


def fit(folder: Path) -> None:
    command("fit", folder / "e.yaml", "-o", folder / "d")


def answers(folder: Path) -> Any:
    from fewaspect import AspectDetector

    detector = AspectDetector.load(folder / "d")
    return list(detector.classes_), detector.predict_proba(TEXTS).tolist()


def bulk(folder: Path) -> None:
    from fewaspect import AspectDetector
    from fewaspect.bulk.job import prepare_job, process_locally, run_job
    from fewaspect.bulk.packing import pack
    from fewaspect.bulk.plan import BulkSettings
    from fewaspect.reviews.formats import InputFormat

    packed = pack(AspectDetector().fit({"food": ["cold soup"], "staff": ["a rude waiter"]}))
    settings = BulkSettings(InputFormat.CSV, rows=40, adapt=False)
    run_job(
        prepare_job(str(folder / "r.csv"), str(folder / "out"), settings, packed, ("food", "staff")), process_locally
    )


def rows(folder: Path) -> Any:
    import pyarrow.dataset as ds

    if not (folder / "out" / "_summary.json").exists():
        return None
    table = ds.dataset(str(folder / "out")).to_table()
    return table.select(["text", "aspects"]).to_pylist()


def train(folder: Path) -> None:
    command(TRAIN, "--encoder", FIXTURES / "encoder", "--out", folder / "run")


def weights(folder: Path) -> Any:
    import json

    from fewaspect.core.files import load_arrays

    if (
        not (folder / "run" / "run.json").exists()
        or not json.loads((folder / "run" / "run.json").read_text())["finished"]
    ):
        return None
    return {name: value.tobytes() for name, value in load_arrays(folder / "run" / "model.safetensors")[0].items()}


def import_archive(folder: Path) -> None:
    from fewaspect.studio.importing.archives import read_project
    from fewaspect.studio.importing.project_import import import_project
    from fewaspect.studio.studio import Studio

    studio = Studio(str(folder / "s.db"))
    with (FIXTURES / "project.zip").open("rb") as file:
        archived, own = read_project(file, 1 << 26)
    with studio.database.read() as connection:
        from fewaspect.studio.store.projects import list_projects

        if list_projects(connection):
            return
    import_project(studio, archived, own)


def migrate(folder: Path) -> None:
    from fewaspect.studio.store.database import Database

    Database(str(folder / "s.db")).close()


def stored(folder: Path) -> Any:
    """Aspects, examples and sentences of every project; None without one."""
    from fewaspect.studio.store.database import Database
    from fewaspect.studio.store.definition import read_definition
    from fewaspect.studio.store.projects import list_projects
    from fewaspect.studio.store.reviews import read_sentences

    database, found = Database(str(folder / "s.db")), []
    with database.read() as connection:
        for number in [one["id"] for one in list_projects(connection)]:
            definition = read_definition(connection, number)
            names = {aspect.id: aspect.name for aspect in definition.aspects}
            examples = [(own.text, sorted(names[one] for one in own.aspects)) for own in definition.examples]
            sentences = [row.text for row in read_sentences(connection, number)]
            found.append((sorted(names.values()), examples, sentences, definition.threshold))
    database.close()
    return found or None


VICTIMS: dict[str, Victim] = {
    "detect": Victim(reviews, detect, text_of("o.csv")),
    "save": Victim(saved, save, answers, answers),
    "fit": Victim(saved, fit, answers, answers),
    "bulk": Victim(reviews, bulk, rows),
    "train": Victim(lambda folder: None, train, weights),
    "import": Victim(migrate, import_archive, stored),
    "migration": Victim(lambda folder: shutil.copy(FIXTURES / "studio.db", folder / "s.db"), migrate, stored, stored),
}


def child(work: Callable[[Path], object], folder: Path) -> int:
    if number := os.fork():
        return number
    code = 1
    try:
        work(folder)
        code = 0
    except BaseException:
        (folder / "fault.txt").write_text(traceback.format_exc())
    finally:
        os._exit(code)


def run(work: Callable[[Path], object], folder: Path) -> float:
    """Seconds that it takes, uninterrupted."""
    begun = time.perf_counter()
    if os.waitstatus_to_exitcode(os.waitpid(child(work, folder), 0)[1]):
        raise RuntimeError((folder / "fault.txt").read_text())
    return time.perf_counter() - begun


def attack(name: str, kills: int, seed: int, seconds: float) -> tuple[int, int, list[str]]:
    """How many were killed in the midst of work, how many were done before, and what broke."""
    victim, random, broken = VICTIMS[name], Random(f"{seed}:{name}"), []
    killed = done = 0
    for module in LOADED:
        import_module(module)
    with tempfile.TemporaryDirectory() as place:
        victim.prepare(whole := Path(place))
        old = victim.before(whole)
        took = min(run(victim.work, whole), run_again(victim, seed))
        expected = victim.result(whole)
        assert expected is not None, name
        until = time.time() + seconds
        while killed < kills and time.time() < until:
            with tempfile.TemporaryDirectory() as other:
                victim.prepare(folder := Path(other))
                number = child(victim.work, folder)
                time.sleep(random.random() * took)
                os.kill(number, signal.SIGKILL)
                if os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == -signal.SIGKILL:
                    killed += 1
                else:
                    done += 1
                try:
                    if victim.result(folder) not in (None, old, expected):
                        broken.append(f"{name} {killed}: neither the old nor the new is there")
                    run(victim.work, folder)
                    if victim.result(folder) != expected:
                        broken.append(f"{name} {killed}: done again, the result is another")
                except Exception:
                    broken.append(f"{name} {killed}: {traceback.format_exc()}")
    return killed, done, broken


def run_again(victim: Victim, _: int) -> float:
    """A second time, when caches are warm."""
    with tempfile.TemporaryDirectory() as place:
        victim.prepare(Path(place))
        return run(victim.work, Path(place))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--victim", choices=VICTIMS, action="append")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300, help="of each, at most")
    parser.add_argument("--record", action="store_true", help="write docs/results/attacks.jsonl")
    given = parser.parse_args()
    os.environ.setdefault("FEWASPECT_CACHE", tempfile.mkdtemp())
    failures = []
    for name in given.victim or VICTIMS:
        begun = time.time()
        killed, done, broken = attack(name, given.kills, given.seed, given.seconds)
        print(f"{name}: {killed} kills, {done} too late, seed {given.seed}, {len(broken)} broken", flush=True)
        print(*broken[:5], sep="\n", end="\n" if broken else "")
        failures += broken
        if given.record:
            again = f"python -m attacks.kills --victim {name} --seed {given.seed}"
            record(f"kills of {name}", count=killed, broken=len(broken), seed=given.seed, seconds=time.time() - begun,
                   again=again)  # fmt: skip
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
