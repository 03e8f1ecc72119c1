"""The way of a newcomer, timed: a fresh clone, an empty environment, and the tutorials as they are typed.

    python benchmarks/release/newcomer.py [--python python3.11] [--json docs/results/newcomer.json]

Each page is run in the clone, block by block: commands in a shell, files written, Python as one script. What is
installed comes from the package index that pip is set to. Without a workbook, that page is followed with its lines as
`reviews.csv`, as it says. The studio is stopped once it has sent its page.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = {"index": "install", "command-line": "command_line", "python": "python", "excel": "excel", "studio": "studio"}
sys.path.append(str(ROOT / "tests"))

from page_blocks import DATA, blocks  # noqa: E402


class Clone:
    """A fresh clone with an environment of its own, in which pages are followed."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder, self.python = folder, python
        binaries = folder / ".venv" / ("Scripts" if os.name == "nt" else "bin")
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        path = f"{binaries}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**kept, "PATH": path, "COLUMNS": "200", "PYTHONUNBUFFERED": "1"}
        folder.mkdir()
        self.run("git", "clone", "--quiet", str(ROOT), ".")

    def follow(self, page: str) -> None:
        """The whole page; what it says of installing is done on the first page, for all of them."""
        script = []
        for block in blocks(self.folder / "docs" / "tutorials" / f"{page}.md"):
            if block.language in DATA and block.name:
                (self.folder / block.name).write_text(block.text, encoding="utf-8")
            elif block.language == "python":
                script.append(block.text)
            elif block.language == "console" and not (script and "labelled.jsonl" in block.text):  # one's own files
                self._type(block.commands, page)
        if script:
            self.run("python", "-c", "\n".join(script))

    def _type(self, commands: list[str], page: str) -> None:
        for command in commands:
            if command.startswith(". ") or (command.startswith("pip ") and page != "index"):
                continue  # the environment is set in __init__, and has been filled
            if command == "fewaspect studio":
                self._studio()
            else:
                typed = command.replace("python3 ", f"{self.python} ").replace("reviews.xlsx", "reviews.csv")
                self.run("bash", "-c", typed)

    def _studio(self) -> None:
        command = ["fewaspect", "studio", "--no-browser", "--port", "0", "--data", "studio.db"]
        with subprocess.Popen(
            command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True
        ) as process:  # fmt: skip
            try:
                assert process.stdout
                address = next(found[0] for line in process.stdout if (found := re.search(r"http://[^/]+/", line)))
                with urllib.request.urlopen(address) as answer:
                    assert answer.status == 200, answer.status
            finally:
                process.terminate()

    def run(self, *command: str) -> None:
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default="python3", help="the interpreter of the new environment")
    parser.add_argument("--json", type=Path, help="file for the seconds of each step")
    given = parser.parse_args()
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        clone = Clone(Path(folder) / "fewaspect", given.python)
        seconds["clone"] = round(time.perf_counter() - started, 1)
        for page, name in PAGES.items():
            started = time.perf_counter()
            clone.follow(page)
            seconds[name] = round(time.perf_counter() - started, 1)
            print(f"{name}: {seconds[name]} s", flush=True)
    result: dict[str, Any] = {
        "seconds": seconds, "date": date.today().isoformat(), "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}", "cores": os.cpu_count(),
    }  # fmt: skip
    if given.json:
        given.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
