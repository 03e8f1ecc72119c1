"""The commands of the README and of the research page are those that exist, and their examples run."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fewaspect.experiments.grid.grid_config import load_config

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESEARCH = (ROOT / "docs" / "how-to" / "research.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(?:console|bash|sh)\n(.*?)```", README + RESEARCH, flags=re.DOTALL)
LINES = [line.removeprefix("$ ") for block in BLOCKS for line in block.replace("\\\n", " ").splitlines()]
COMMANDS = [line.split("  #")[0].strip() for line in LINES if line.startswith("fewaspect ")]
DEMO = [command for command in COMMANDS if command.split()[1] in ("quickstart", "detect")]


def test_the_readme_has_commands_to_run() -> None:
    assert len(COMMANDS) >= 4
    assert "make demo" in README
    assert "make test" in README


def test_the_make_targets_of_the_readme_exist() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    for target in re.findall(r"`?make ([a-z]+)`?", README):
        assert target in targets


def test_the_first_commands_of_the_readme_run_in_order(tmp_path: Path) -> None:
    assert len(DEMO) == 2
    for command in DEMO:
        subprocess.run([sys.executable, "-m", *shlex.split(command)], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "tagged.csv").is_file()


def test_the_examples_of_the_research_page_run_in_order(encoder_folder: Callable[..., Path], tmp_path: Path) -> None:
    """With fewer episodes and a tiny encoder, to be quick; otherwise word for word."""
    data = Path(os.environ.get("FEWASPECT_DATA", ROOT.parent / "shared" / "data"))
    if not data.is_dir():
        pytest.skip("the FewAsp files are not here (set FEWASPECT_DATA)")
    environment = {**os.environ, "FEWASPECT_DATA": str(data)}
    for command in COMMANDS:
        if command in DEMO or command.split()[1] == "studio":
            continue  # tested above, and in tests/studio
        arguments = [word.replace("FOLDER", str(data)) for word in shlex.split(command)[1:]]
        if arguments[0] == "train":
            arguments += ["--episodes", "4", "--validation-episodes", "4", "--encoder", str(encoder_folder("bert"))]
        if arguments[0] == "benchmark":
            arguments[1] = _small_grid(tmp_path, arguments[1], str(encoder_folder("bert")))
        if arguments[0] == "evaluate":
            arguments[arguments.index("--episodes") + 1] = "4"
        done = subprocess.run(
            [sys.executable, "-m", "fewaspect", *arguments],
            cwd=tmp_path, env=environment, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, (command, done.stderr)


def _small_grid(folder: Path, profile: str, encoder: str) -> str:
    """The profile with one row, one benchmark, and a few episodes."""
    others = {name: None for name in load_config(profile).rows if name != "lpn"}
    small = {
        "extends": profile, "encoder": encoder, "rows": {**others, "lpn": {"seeds": [0]}},
        "benchmarks": {"fewasp-multi": None, "fewasp": None}, "evaluation": {"episodes": 4},
        "training": {"episodes": 2, "validate_every": 1, "validation_episodes": 2},
    }  # fmt: skip
    (folder / "small.yaml").write_text(json.dumps(small))
    return "small.yaml"


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_examples_of_a_page_run_and_give_what_it_says(page: Path, tmp_path: Path) -> None:
    """One after the other; a line that ends in "  # [...]" has that value."""
    source = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL))
    script = re.sub(r"^(\S.*?)  # ([\[(].*)$", r"found = \1\nassert repr(found) == repr(\2), found", source, flags=re.M)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
