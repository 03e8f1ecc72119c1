"""Work that is killed or made to fail: how its folder is filled, what it does there, and what it must have left."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[1] / "tests" / "fixtures" / "v0_1"
TEXTS = [
    "cold soup",
    "the waiter was rude",
    "see you on Monday",
    "Nobody could park. The pizza was good.",
    "full garage",
]
ROWS = 60
TRAIN = (
    "train --benchmark sample --way 3 --shot 2 --queries 2 --validation-episodes 2 --validate-every 2 --episodes 6 "
    "--encoder-dropout 0.1 --learning-rate 1e-3 --resume"
)
GRID = {
    "ways": [3], "shots": [2], "seeds": [0], "evaluation": {"episodes": 2, "queries": 2},
    "training": {"episodes": 4, "validate_every": 2, "validation_episodes": 2, "queries": 2, "way": 3, "shot": 2},
    "benchmarks": {"sample": {}}, "rows": {"lpn": {}, "prototypical": {}}, "encoder": str(FIXTURES / "encoder"),
}  # fmt: skip
TIMES = ("seconds", "training_seconds", "evaluation_seconds", "run_seconds", "environment")


@dataclass(frozen=True)
class Victim:
    """`prepare` fills a folder, `work` is attacked, `result` is what it left: None is nothing, an error is a fault."""

    prepare: Callable[[Path], object]
    work: Callable[[Path], object]
    result: Callable[[Path], Any]
    before: Callable[[Path], Any] = lambda folder: None  # what may be there instead of the result


def command(*arguments: object) -> None:
    """`fewaspect ...` in this process, as it is started from a shell."""
    from fewaspect.cli.app import app

    try:
        app([*map(str, arguments)])
    except SystemExit as end:
        if end.code:
            raise


def reviews(folder: Path) -> None:
    (folder / "r.csv").write_text("text\n" + "".join(f"{TEXTS[n % 5]} {n}\n" for n in range(ROWS)))
    (folder / "e.yaml").write_text("food: [cold soup, good pizza]\nstaff: [a rude waiter]\n")


def detect(folder: Path) -> None:
    options = ("--no-adapt", "-q", "--chunk", 10, "--examples", folder / "e.yaml")
    command("detect", *options, folder / "r.csv", "-o", folder / "o.csv")


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
    """A job without a cluster; on one: `attacks.cluster_kills`."""
    from fewaspect import AspectDetector
    from fewaspect.bulk.job import prepare_job, process_locally, run_job
    from fewaspect.bulk.packing import pack
    from fewaspect.bulk.plan import BulkSettings
    from fewaspect.reviews.formats import InputFormat

    packed = pack(AspectDetector().fit({"food": ["cold soup"], "staff": ["a rude waiter"]}))
    settings = BulkSettings(InputFormat.CSV, rows=10, adapt=False)
    job = prepare_job(str(folder / "r.csv"), str(folder / "out"), settings, packed, ("food", "staff"))
    run_job(job, process_locally)


def rows(folder: Path) -> Any:
    import pyarrow.dataset as ds

    if not (folder / "out" / "_summary.json").exists():
        return None
    table = ds.dataset(str(folder / "out")).to_table()
    return table.select(["text", "aspects"]).to_pylist()


def train(folder: Path) -> None:
    command(*TRAIN.split(), "--encoder", FIXTURES / "encoder", "--out", folder / "run")


def weights(folder: Path) -> Any:
    from fewaspect.core.files import load_arrays

    run = folder / "run"
    if not (run / "run.json").exists() or not json.loads((run / "run.json").read_text())["finished"]:
        return None
    return {name: value.tobytes() for name, value in load_arrays(run / "model.safetensors")[0].items()}


def grid(folder: Path) -> None:
    (folder / "grid.yaml").write_text(json.dumps(GRID))  # JSON is YAML


def benchmark(folder: Path) -> None:
    command("benchmark", folder / "grid.yaml", "--out", folder / "grid")


def cells(folder: Path) -> Any:
    """All of them without times, or None."""
    from fewaspect.experiments.cells import read_cell

    found = {path.name: read_cell(path) for path in (folder / "grid" / "cells").glob("*.json")}
    bare = {
        name: {key: value for key, value in cell.items() if key not in TIMES and key != "settings"}
        for name, cell in found.items()
    }
    return bare if len(bare) == len(GRID["rows"]) else None  # type: ignore[arg-type]


def empty_studio(folder: Path) -> None:
    from fewaspect.studio.store.database import Database

    Database(str(folder / "s.db")).close()


def import_archive(folder: Path) -> None:
    from fewaspect.studio.importing.archives import read_project
    from fewaspect.studio.importing.project_import import import_project
    from fewaspect.studio.store.projects import list_projects
    from fewaspect.studio.studio import Studio

    studio = Studio(str(folder / "s.db"))
    with (FIXTURES / "project.zip").open("rb") as file:
        archived, own = read_project(file, 1 << 26)
    with studio.database.read() as connection:
        if list_projects(connection):
            return
    import_project(studio, archived, own)


def old_studio(folder: Path) -> None:
    shutil.copy(FIXTURES / "studio.db", folder / "s.db")


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
    "benchmark": Victim(grid, benchmark, cells),
    "import": Victim(empty_studio, import_archive, stored),
    "migration": Victim(old_studio, empty_studio, stored, stored),
}
