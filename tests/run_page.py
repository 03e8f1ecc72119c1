"""Runs the blocks of a page in order, as its reader would: python tests/run_page.py PAGE (in an empty folder).

Training and benchmarks are shortened, a studio is stopped once it has said its address; all else runs word for word.
`FOLDER` is the folder of FEWASPECT_DATA, `TINY_ENCODER` that of an encoder for trainings.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from in_process import fewaspect
from page_blocks import DATA, ROOT, Block, blocks

SAID = re.compile(r"^(\S.*?)  # ([\[(].*)$", flags=re.MULTILINE)  # a line of Python and its value


def run_page(page: Path) -> None:
    """In the folder where we are; raises AssertionError with the place of the first block that fails."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = None
    for block in blocks(page):
        where = f"{page.name}, line {block.line}"
        if block.reason:
            continue
        if block.language == "python":
            printed = run_python(block, names, where)
        elif block.language == "console":
            for command in block.commands:
                run_command(command, where)
        elif block.language in DATA:
            read_data(block)
        elif block.language == "text" and printed:
            assert block.text.strip() == printed.strip(), f"{where}: expected\n{block.text}\nfound\n{printed}"
            printed = None


def run_python(block: Block, names: dict[str, Any], where: str) -> str:
    """What it prints; a line that ends in "  # [...]" has that value."""
    script = SAID.sub(r"found_ = \1\nassert repr(found_) == repr(\2), found_", block.text)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(script, where, "exec"), names)
    return out.getvalue()


def read_data(block: Block) -> None:
    if block.name:
        Path(block.name).write_text(block.text, encoding="utf-8")
    if block.language == "yaml":
        yaml.safe_load(block.text)
    elif block.language == "json":
        json.loads(block.text)


def run_command(command: str, where: str) -> None:
    words = shlex.split(command)
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert words[1] in targets, f"{where}: {command}"
    elif words[:2] == ["pip", "install"]:
        check_extras(command, where)
    elif words[0] == "export":
        name = words[1].partition("=")[0]
        os.environ[name] = shell(f'{command}; printf %s "${name}"', where)
    elif words[:2] == ["fewaspect", "studio"]:
        with studio([word.replace("/var/lib/fewaspect/", "") for word in words[2:]], where):
            pass
    elif words[0] == "fewaspect" and not set(words) & {"|", ">", "<", "&&"}:
        if "--result" in words:
            fill_in(Path(words[-1]))
        done = fewaspect(*shortened(words)[1:])
        assert done.returncode == 0, f"{where}: {command}\n{done.stderr}"
        assert "Traceback" not in done.stderr, f"{where}: {command}\n{done.stderr}"
    elif words[0] == "torchrun":
        shell(shlex.join(shortened(words)), where)
    elif words[0] == "curl":
        with studio([], where) as address:
            shell(command.replace("localhost:8765", address), where)
    else:
        shell(command, where)


def shell(command: str, where: str) -> str:
    """With `fewaspect` and `python` as those that run this."""
    folder = Path("bin")
    folder.mkdir(exist_ok=True)
    for name, what in (("fewaspect", "-m fewaspect"), ("python", "")):
        (folder / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {what} "$@"\n')
        (folder / name).chmod(0o755)
    path = f"{folder.resolve()}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], env={**os.environ, "PATH": path}, capture_output=True, text=True,
        encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, f"{where}: {command}\n{done.stderr}"
    assert "Traceback" not in done.stderr, f"{where}: {command}\n{done.stderr}"
    if "|" in command and ">" not in command:
        Path(f"pipe-{len(list(Path().glob('pipe-*')))}").write_text(done.stdout, encoding="utf-8")
    return done.stdout


def shortened(words: list[str]) -> list[str]:
    """The command with few episodes and a tiny encoder, where it trains."""
    words = [word.replace("FOLDER", os.environ.get("FEWASPECT_DATA", "FOLDER")) for word in words]
    tiny = os.environ.get("TINY_ENCODER", "")
    if "train" in words:
        words += ["--episodes", "4", "--validation-episodes", "4", "--encoder", tiny]
    if "benchmark" in words:
        words[2] = small_grid(words[2], tiny)
    if "--episodes" in words and "train" not in words:
        words[words.index("--episodes") + 1] = "4"
    return words


def small_grid(profile: str, encoder: str) -> str:
    """The profile with one row, one benchmark, and a few episodes."""
    from fewaspect.experiments.grid.grid_config import load_config

    others = {name: None for name in load_config(profile).rows if name != "lpn"}
    small = {
        "extends": profile, "encoder": encoder, "rows": {**others, "lpn": {"seeds": [0]}},
        "benchmarks": {"fewasp-multi": None, "fewasp": None}, "evaluation": {"episodes": 4},
        "training": {"episodes": 2, "validate_every": 1, "validation_episodes": 2},
    }  # fmt: skip
    Path("small.yaml").write_text(json.dumps(small))
    return "small.yaml"


def check_extras(command: str, where: str) -> None:
    """What is to be installed exists."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extras in re.findall(r"(?:fewaspect|\.)\[([\w,]+)\]", command):
        for extra in extras.split(","):
            assert re.search(rf"^{extra} = \[", project, flags=re.MULTILINE), f"{where}: no extra {extra}"


@contextlib.contextmanager
def studio(options: list[str], where: str) -> Iterator[str]:
    """One that has said its address, on a free port."""
    options = [*options, *(["--data", "page.db"] if "--data" not in options else []), "--no-browser", "--port", "0"]
    process = subprocess.Popen(
        [sys.executable, "-m", "fewaspect", "studio", *options],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"},
    )  # fmt: skip
    assert process.stdout
    try:
        found = next((match for line in process.stdout if (match := re.search("http://([^/]+)/", line))), None)
        assert found, f"{where}: the studio said no address"
        yield found[1]
    finally:
        process.terminate()
        process.communicate(timeout=30)


def fill_in(sheet: Path) -> None:
    """A person who finds all of it right."""
    with sheet.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["text", "found", "labels"])
        writer.writeheader()
        writer.writerows({**row, "labels": row["found"]} for row in rows)


if __name__ == "__main__":
    run_page(Path(sys.argv[1]))
