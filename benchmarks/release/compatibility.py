"""The wheel on every Python there is: the tests of the detector, with the source out of reach.

    python benchmarks/release/compatibility.py --python python3.10 python3.11 [--wheel FILE] [--record]

Each interpreter gets an empty environment with the wheel, its pinned dependencies and pytest, and a copy of the tests
in a folder without `src`. `--lowest` names interpreters that get the oldest versions which pyproject.toml allows.
`--record` writes docs/results/compatibility.json and the page made from it, `--table` the page from the file alone.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results" / "compatibility.json"
PAGE = ROOT / "docs" / "reference" / "compatibility.md"
TESTS = ("cli/test_base_install.py", "detector", "inference", "text")
PYTEST = ("pytest", "pytest-socket", "pytest-timeout", "hypothesis")
SHOWN = ("numpy", "onnxruntime", "tokenizers")
VERSIONS = f"""
import json, platform
from importlib.metadata import version
print(json.dumps({{"python": platform.python_version(), **{{name: version(name) for name in {SHOWN!r}}}}}))
"""


def build(folder: Path) -> Path:
    """The wheel of this checkout."""
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    return next(folder.glob("fewaspect-*.whl"))


def try_one(python: str, wheel: Path, lowest: bool) -> dict[str, Any]:
    """Versions and counts of one interpreter; what cannot be installed or fails is told, not raised."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        constraints = folder / "constraints.txt"
        constraints.write_text(lowest_versions() if lowest else (ROOT / "constraints.txt").read_text(encoding="utf-8"))
        shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        own = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        run(python, "-m", "venv", folder / "venv")
        run(own, "-m", "pip", "install", "--quiet", "--constraint", constraints, wheel, *PYTEST)
        result = json.loads(run(own, "-c", VERSIONS))
        started = time.perf_counter()
        done = subprocess.run(
            [own, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", "--disable-socket",
             "--allow-unix-socket", "--junit-xml", folder / "results.xml",
             *(folder / "tests" / test for test in TESTS)],
            cwd=folder, env=environment(), capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode not in (0, 1):
            raise SystemExit(f"{python}: pytest ended with {done.returncode}\n{done.stdout}{done.stderr}")
        suite = next(ElementTree.parse(folder / "results.xml").iter("testsuite")).attrib
        failed = int(suite["failures"]) + int(suite["errors"])
        if failed:
            print(done.stdout, file=sys.stderr)
        skipped = int(suite["skipped"])
        counts = {"passed": int(suite["tests"]) - failed - skipped, "failed": failed, "skipped": skipped}
        return {**result, "lowest": lowest, **counts, "seconds": round(time.perf_counter() - started)}


def lowest_versions() -> str:
    """`name==floor` for each dependency that pyproject.toml gives a floor."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^dependencies = \[(.*?)\]", text, flags=re.MULTILINE | re.DOTALL)
    assert block is not None
    found = re.findall(r'"([\w.-]+)>=([\d.]+)"', block[1])
    return "".join(f"{name}=={floor}{'.*' if floor.count('.') < 2 else ''}\n" for name, floor in found)


def environment() -> dict[str, str]:
    """Without what would let the source be found."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PIP_CONSTRAINT")}
    return {**kept, "FEWASPECT_BASE_INSTALL": "1", "OMP_NUM_THREADS": "1"}


def run(*command: str | Path) -> str:
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def page(record: dict[str, Any]) -> str:
    """Markdown of the record."""
    rows = [
        f"| {row['python']}{', lowest' * row['lowest']} | {', '.join(f'{name} {row[name]}' for name in SHOWN)} "
        f"| {row['passed']} | {row['failed']} | {row['skipped']} |"
        for row in record["rows"]
    ]
    return "\n".join([
        "# Which Python, which versions", "",
        "Python 3.10 to 3.13. A row is the wheel alone in an empty environment, without extras, and the tests of the",
        "detector in a folder without the source (`make compatibility`), with the versions of `constraints.txt`; a row",
        "marked \"lowest\" has the oldest that `pyproject.toml` allows; none here: not run yet. Skipped",
        "tests say which extra they need.", "",
        "| Python | with | passed | failed | skipped |", "|---|---|---:|---:|---:|", *rows, "",
        "Rows are not all of one day, and there are more tests from day to day.",
        f"Run on {record['system']}. Other systems have not been tried: the package is plain Python, and needs of its",
        "dependencies a wheel for the system.", "",
        "The whole suite, with all extras, runs on Python 3.11 (`make test`). The workflow for a public forge,",
        "`.github/workflows/ci.yml`, would run it on all four; that has not happened yet. Which changes a version may",
        "bring: [versions and deprecations](versioning.md).", "",
    ])  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="+", default=[sys.executable], help="interpreters, by name or path")
    parser.add_argument("--wheel", type=Path, help="the wheel to try; without it, one is built")
    parser.add_argument("--lowest", nargs="*", default=[], help="interpreters for the oldest allowed versions")
    parser.add_argument("--record", action="store_true", help="write the results and their page")
    parser.add_argument("--table", action="store_true", help="write the page from the recorded results")
    given = parser.parse_args()
    if given.table:
        PAGE.write_text(page(json.loads(RESULTS.read_text(encoding="utf-8"))), encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        wheel = (given.wheel or build(Path(folder))).resolve()
        rows = []
        for lowest, interpreters in ((False, given.python), (True, given.lowest)):
            for python in interpreters:
                rows.append(try_one(python, wheel, lowest))
                print(json.dumps(rows[-1]), flush=True)
                if given.record:
                    record(rows[-1], wheel.name)
    return int(any(row["failed"] for row in rows))


def record(row: dict[str, Any], wheel: str) -> None:
    """Put a row in the place of the one of the same minor version, and write the page anew."""
    old = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"] if RESULTS.exists() else []
    rows = sorted([r for r in old if minor(r) != minor(row)] + [row], key=minor)
    made = {"system": f"{platform.system()} {platform.machine()}", "wheel": wheel, "rows": rows}
    RESULTS.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    PAGE.write_text(page(made), encoding="utf-8")


def minor(row: dict[str, Any]) -> tuple[bool, int]:
    return row["lowest"], int(row["python"].split(".")[1])


if __name__ == "__main__":
    sys.exit(main())
