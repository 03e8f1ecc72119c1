"""The pages of docs/results are made from the results files beside them, and every benchmark script starts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from in_process import fewaspect

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
SCRIPTS = [
    path.relative_to(ROOT)
    for path in sorted((ROOT / "benchmarks").rglob("*.py"))
    if not (path.parent / "__init__.py").is_file()  # parts of a script
]
PAGES = (  # each with the script that makes it
    ("practical/compare.py --table", "practical.md"),
    ("practical/promises.py --table", "promises.md"),
    ("practical/audits.py --table", "audits.md"),
    ("practical/label_errors.py --table", "label-errors.md"),
    ("practical/growth.py --table", "growth.md"),
    ("practical/languages.py --table", "languages.md"),
    ("practical/discovery.py --table", "discovery.md"),
    ("practical/labelling.py --table", "labelling.md"),
    ("practical/sentiment.py --table", "sentiment.md"),
    ("practical/sentiment.py --own-polarities --table", "own-polarities.md"),
    ("practical/cost.py --table", "cost.md"),
    ("speed/compare.py --table", "speed.md"),
    ("studies/foundation.py --table-only", "foundation.md"),
    ("studies/protocols.py --table", "authors.md"),
    ("studies/pooled_episodes.py --table", "pooled-episodes.md"),
)  # fmt: skip
TABLES = (("grid-cpu.jsonl", "tables.md"), ("mpnet.jsonl", "mpnet.md"))


@pytest.mark.parametrize(("records", "page"), TABLES)
def test_the_tables_are_those_of_the_committed_cells(records: str, page: str, tmp_path: Path) -> None:
    done = fewaspect("tables", RESULTS / records, "--out", tmp_path / page)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / page).read_bytes() == (RESULTS / page).read_bytes()


@pytest.mark.parametrize(("figure", "records"), [("bars", "grid-cpu.jsonl"), ("k-curve", "k-curve.jsonl")])
def test_the_numbers_of_the_figures_are_those_of_the_committed_cells(figure: str, records: str, tmp_path: Path) -> None:
    done = fewaspect("figures", figure, RESULTS / records, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"{figure}.json").read_bytes() == (RESULTS / "figures" / f"{figure}.json").read_bytes()


def test_every_page_of_results_is_one_of_those_that_are_compared() -> None:
    compared = {page for _, page in (*PAGES, *TABLES)}
    assert {page.name for page in RESULTS.glob("*.md")} - {"README.md"} == compared


@pytest.mark.parametrize(("script", "page"), PAGES, ids=[page for _, page in PAGES])
def test_the_pages_of_the_scripts_are_those_of_the_committed_results(script: str, page: str, tmp_path: Path) -> None:
    """In a copy of the repository: the scripts write the pages to their place, and the numbers of their figures."""
    (tmp_path / "docs" / "results" / "figures").mkdir(parents=True)
    shutil.copytree(ROOT / "benchmarks", tmp_path / "benchmarks")
    for records in (*RESULTS.glob("*.jsonl"), RESULTS / "cost.json"):
        shutil.copy(records, tmp_path / "docs" / "results")
    name, *options = script.split()
    run([str(tmp_path / "benchmarks" / name), *options])
    assert (tmp_path / "docs" / "results" / page).read_bytes() == (RESULTS / page).read_bytes()
    for drawn in (tmp_path / "docs" / "results" / "figures").glob("*.json"):
        assert drawn.read_bytes() == (RESULTS / "figures" / drawn.name).read_bytes(), drawn.name


def test_the_table_of_attacks_is_that_of_the_committed_runs() -> None:
    from attacks.record import PAGE, read, table

    assert table(read()) in PAGE.read_text(encoding="utf-8")


def test_the_table_of_pythons_is_that_of_the_committed_runs(tmp_path: Path) -> None:
    for folder in ("docs/results", "docs/reference"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copytree(ROOT / "benchmarks" / "release", tmp_path / "benchmarks" / "release")
    shutil.copy(RESULTS / "compatibility.json", tmp_path / "docs" / "results")
    run([str(tmp_path / "benchmarks" / "release" / "compatibility.py"), "--table"])
    page = Path("docs") / "reference" / "compatibility.md"
    assert (tmp_path / page).read_bytes() == (ROOT / page).read_bytes()


MODULES = {
    "timing", "peers", "plain_model", "speed_figures", "speed_worker", "draws", "page", "systems", "tuning", "worker",
    "measuring", "records", "summary", "curves", "probabilities", "promises_page", "discovery_page", "discovery_peers",
    "labelling_page", "labelling_pool", "labelling_strategies", "sentiment_page", "sentiment_peers", "review_sets",
    "studies_of_labels", "languages_page", "languages_times", "licences", "own_polarities", "multilingual_card",
    "multilingual_features", "multilingual_head", "multilingual_probabilities", "multilingual_sentiment_card",
}  # fmt: skip


@pytest.mark.parametrize("script", [path for path in SCRIPTS if path.stem not in MODULES], ids=str)
@pytest.mark.slow
def test_every_benchmark_script_explains_itself(script: Path) -> None:
    assert f"benchmarks/{script.parent.name}/{script.name}" in run([str(ROOT / script), "--help"])


def run(arguments: list[str]) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env={**os.environ})
    assert done.returncode == 0, done.stderr
    return done.stdout
