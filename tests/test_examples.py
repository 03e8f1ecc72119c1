"""Every script in examples/ runs as it stands and prints what a reader is told that it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
PRINTS = {  # a line of the output of each; if it is about answers, it is one that must not change unseen
    "compare_with_setfit.py": r"^FewAspect .*\n^SetFit ",
    "ray_dataset.py": r"^  2  noise +The neighbours argued until four",
    "rest_client.py": r"^(noise|wifi) \(negative\), (noise|wifi) \(negative\) +We could hear the neighbours",
    "reviews_duckdb.py": r"Lisbon +│ +\w+",
    "reviews_pandas.py": r"^wifi +\d+ +\d+ +\d+ +\d+$",
    "reviews_polars.py": r"wifi +┆ \d",
    "sklearn_pipeline.py": r"^fewaspect +0\.[6-9]\d",
    "support_tickets.py": r"^macro-F1 (0\.[6-9]\d|1\.00) on 16 tickets",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PRINTS))
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning:fewaspect", EXAMPLES / name],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert re.search(PRINTS[name], done.stdout, flags=re.MULTILINE), done.stdout


def test_every_example_is_run_and_listed() -> None:
    scripts = {path.name for path in EXAMPLES.glob("*.py")}
    assert scripts == set(PRINTS)
    assert set(re.findall(r"\]\((\w+\.py)\)", (EXAMPLES / "README.md").read_text(encoding="utf-8"))) == scripts


def test_every_example_says_what_to_install() -> None:
    for name in PRINTS:
        assert re.search(r"^pip install .*fewaspect", (EXAMPLES / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
