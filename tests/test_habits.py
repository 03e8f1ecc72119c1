"""What is kept by habit and easily forgotten: versions that agree, a changelog that can be put together, one lint."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import fewaspect

ROOT = Path(__file__).parents[1]
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
KINDS = set(re.findall(r'^directory = "(\w+)"$', PROJECT, flags=re.MULTILINE))


def test_the_version_is_one_everywhere() -> None:
    assert f'version = "{fewaspect.__version__}"' in PROJECT
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == fewaspect.__version__


def test_the_changelog_says_what_this_version_brings() -> None:
    sections = re.findall(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sections[0] == fewaspect.__version__


def test_a_fragment_of_the_changelog_has_a_kind_and_ends_as_a_sentence() -> None:
    fragments = [path for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]
    assert not [path.name for path in fragments if not re.fullmatch(rf"\+[\w-]+\.({'|'.join(KINDS)})\.md", path.name)]
    assert not [path.name for path in fragments if not path.read_text(encoding="utf-8").rstrip().endswith(".")]


@pytest.mark.slow
def test_the_changelog_can_be_put_together() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "next"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "## next (" in done.stdout


def test_what_runs_before_a_commit_is_what_make_lint_runs() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert lint is not None
    tools = {line.split("/")[1].split()[0] for line in lint[1].splitlines()}
    assert tools == {hook["entry"].removeprefix(".venv/bin/").split()[0] for hook in hooks}


@pytest.mark.parametrize("file", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_a_file_for_the_forge_is_yaml(file: Path) -> None:
    assert isinstance(yaml.safe_load(file.read_text(encoding="utf-8")), dict)


def test_coverage_has_a_floor_that_the_workflow_holds() -> None:
    assert re.search(r"^fail_under = \d\d\b", PROJECT, flags=re.MULTILINE)
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]
    assert {"run": "make coverage"} in jobs["coverage"]["steps"]
    assert "coverage" in jobs["publish"]["needs"]


def test_every_python_that_is_promised_is_tested_by_the_workflow() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    promised = {f"3.{minor}" for minor in range(10, 14)}
    for job in ("base", "test"):
        assert set(workflow["jobs"][job]["strategy"]["matrix"]["python"]) == promised
    assert 'requires-python = ">=3.10"' in PROJECT
    assert set(re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PROJECT)) == promised
