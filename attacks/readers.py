"""Everything that reads a file: how a sound one is made, and what reads it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fewaspect.core.errors import FewAspectError

FIXTURES = Path(__file__).parents[1] / "tests" / "fixtures" / "v0_1"
ROWS = [("The soup was cold. Rude waiter!", 3), ('He said "no", twice', -1), ("caf\u00e9 \U0001f600", 10**6)]
EXAMPLES = {"food": ["the soup was cold", "good pizza"], "staff": ["a rude waiter"]}
LABELLED = [("the soup was cold", ["food"]), ("a rude waiter, cold soup", ["food", "staff"]), ("hello", [])]


@dataclass(frozen=True)
class Reader:
    """`make` fills a folder, `read` reads it; it may raise errors of the project, or of the system with a name."""

    make: Callable[[Path], object]
    read: Callable[[Path], object]
    weight: float = 1.0  # inputs, compared with others

    def outcome(self, folder: Path) -> str:
        try:
            self.read(folder)
        except FewAspectError:
            return "refused"
        except OSError as error:
            if error.filename is None:
                raise
            return "refused"
        return "read"


def _reviews(extension: str, content: bytes) -> Reader:
    def read(folder: Path) -> None:
        from fewaspect.reviews.formats import InputFormat
        from fewaspect.reviews.readers.source import Source, read_reviews

        for _ in read_reviews(Source(str(folder / f"r.{extension}"), InputFormat(extension)), None):
            pass

    return Reader(lambda folder: (folder / f"r.{extension}").write_bytes(content), read, 2)


def _table(separator: str) -> bytes:
    lines = [
        f"text{separator}stars",
        *(f'"{text.replace(chr(34), 2 * chr(34))}"{separator}{stars}' for text, stars in ROWS),
    ]
    return "\n".join(lines).encode()


def _parquet(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = {"text": [text for text, _ in ROWS], "labels": [["food"], [], ["staff"]]}
    pq.write_table(pa.table(table), folder / "r.parquet")


def _excel(folder: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(str(folder / "r.xlsx")) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate((("text", "stars"), *ROWS)):
            sheet.write_row(number, 0, row)


def _labelled(name: str) -> Reader:
    def make(folder: Path) -> None:
        from fewaspect.data.formats import write_sentences
        from fewaspect.data.labelled import LabelledSentence, SentenceSet

        sentences = SentenceSet(LabelledSentence(text, tuple(own)) for text, own in LABELLED)
        write_sentences(sentences, folder / name)

    def read(folder: Path) -> None:
        from fewaspect.data.formats import read_sentences

        read_sentences(folder / name)

    return Reader(make, read, 2)


def _xml(folder: Path) -> None:
    (folder / "l.xml").write_text(
        '<?xml version="1.0"?><sentences><sentence id="1"><text>cold soup</text><aspectCategories>'
        '<aspectCategory category="food" polarity="negative"/></aspectCategories></sentence></sentences>'
    )


def _definitions(name: str, text: str) -> Reader:
    def read(folder: Path) -> None:
        from fewaspect.reviews.definitions import read_definitions

        read_definitions(folder / name)

    return Reader(lambda folder: (folder / name).write_text(text), read, 2)


def _grid(folder: Path) -> None:
    from fewaspect.experiments.grid.grid_config import load_config

    load_config(str(folder / "grid.yaml"))


def _saved_detector(folder: Path) -> None:
    from fewaspect import AspectDetector

    AspectDetector().fit(EXAMPLES).save(folder / "detector")


def _load_detector(folder: Path) -> None:
    import warnings

    from fewaspect import AspectDetector

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        AspectDetector.load(folder / "detector").predict(["cold soup"])


def _copied(name: str) -> Callable[[Path], object]:
    return lambda folder: shutil.copytree(FIXTURES / name, folder / name)


def _load_model(folder: Path) -> None:
    from fewaspect import AspectDetector
    from fewaspect.detector.model import load_model

    AspectDetector(load_model(folder / "exported")).fit(EXAMPLES).predict(["cold soup"])


def _load_run(folder: Path) -> None:
    from fewaspect.core.files import load_arrays
    from fewaspect.training.run_folder import RunFolder

    run = RunFolder(folder / "run")
    run.read_settings()
    load_arrays(run.best)
    load_arrays(run.path / "last.safetensors")


def _archive(folder: Path) -> None:
    from fewaspect.studio.importing.archives import read_project

    with (folder / "project.zip").open("rb") as file:
        read_project(file, 1 << 24)


def _cells(folder: Path) -> None:
    import sys

    sys.path.insert(0, str(FIXTURES.parents[1]))
    from cell_files import write_cell

    write_cell(folder)


def _tables(folder: Path) -> None:
    from fewaspect.experiments.cells import read_cells
    from fewaspect.experiments.tables import FORMATS
    from fewaspect.experiments.tables.tabulation import tabulate

    FORMATS["markdown"](tabulate(read_cells(folder))).encode()


def _config(folder: Path) -> None:
    from fewaspect.core.settings import TrainSettings, build_settings, read_config

    build_settings(TrainSettings, read_config(folder / "c.yaml"), "c.yaml")


JSONL = "\n".join(json.dumps({"text": text, "stars": stars, "more": {"a": [1]}}) for text, stars in ROWS).encode()
YAML = "food: [the soup was cold]\nstaff:\n  description: waiters\n  examples: [a rude waiter]\n"
GRID = "ways: [5]\nshots: [5]\nbenchmarks: {fewasp: {}}\nrows: {lpn: {method: lpn, training: {episodes: 1}}}\n"
READERS: dict[str, Reader] = {
    "reviews-txt": _reviews("txt", "\n".join(text for text, _ in ROWS).encode()),
    "reviews-csv": _reviews("csv", _table(",")),
    "reviews-tsv": _reviews("tsv", _table("\t")),
    "reviews-jsonl": _reviews("jsonl", JSONL),
    "reviews-parquet": Reader(_parquet, _reviews("parquet", b"").read),
    "reviews-xlsx": Reader(_excel, _reviews("xlsx", b"").read, 0.02),
    "labelled-csv": _labelled("l.csv"),
    "labelled-jsonl": _labelled("l.jsonl"),
    "labelled-json": _labelled("l.json"),
    "labelled-xml": Reader(_xml, _labelled("l.xml").read, 2),
    "labelled-parquet": Reader(_labelled("l.parquet").make, _labelled("l.parquet").read),
    "examples-yaml": _definitions("e.yaml", YAML),
    "examples-json": _definitions("e.json", json.dumps(EXAMPLES)),
    "config-yaml": Reader(
        lambda folder: (folder / "c.yaml").write_text("episodes: 3\nlearning_rate: 1e-5\n"), _config, 2
    ),
    "grid-yaml": Reader(lambda folder: (folder / "grid.yaml").write_text(GRID), _grid),
    "cells-json": Reader(_cells, _tables, 0.5),
    "saved-detector": Reader(_saved_detector, _load_detector, 0.05),
    "exported-model": Reader(_copied("exported"), _load_model, 0.2),
    "run-folder": Reader(_copied("run"), _load_run, 0.1),
    "project-archive": Reader(lambda folder: shutil.copy(FIXTURES / "project.zip", folder), _archive, 0.5),
}


def sound(name: str, folder: Path) -> dict[str, bytes]:
    """The files of a sound input by their names."""
    READERS[name].make(folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def replace_files(before: dict[str, bytes], after: dict[str, bytes], folder: Path) -> None:
    """Write what differs, in a folder that holds the files of `before`."""
    for name in before.keys() | after.keys():
        if name not in after:
            (folder / name).unlink()
        elif after[name] != before.get(name):
            (folder / name).write_bytes(after[name])


def listing(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))
