"""The pinned dependencies against a list of known weaknesses that can be had offline: `python -m attacks.audit`.

The list is that of safety-db, a package of PyPI, as JSON: `pip download --no-deps safety-db` and unpack it, or any list
of the same form, which maps names to records with `specs`. Where the network is there, pip-audit knows more.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"
PIN = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[.*\])?==([^\s;]+)", re.MULTILINE)


def pins(text: str) -> dict[str, set[str]]:
    """Some are pinned twice, for different versions of Python."""
    found: dict[str, set[str]] = {}
    for name, version in PIN.findall(text):
        found.setdefault(_plain(name), set()).add(version)
    return found


def known_weaknesses(pinned: Mapping[str, set[str]], listed: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """One line for each."""
    found = []
    for name, records in listed.items():
        for version in sorted(pinned.get(_plain(name), ())) if not name.startswith("$") else ():
            found += [
                f"{name} {version}: {one.get('cve') or one.get('id')} {str(one.get('advisory'))[:100]}"
                for one in records
                if any(SpecifierSet(spec).contains(version, prereleases=True) for spec in one["specs"])
            ]
    return found


def read_list(path: Path) -> dict[str, Any]:
    """From JSON, or from the wheel of safety-db."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return json.loads(wheel.read("safety_db/insecure_full.json"))
    return json.loads(path.read_text(encoding="utf-8"))


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("list", type=Path, help="a JSON file, or the wheel of safety-db")
    given = parser.parse_args()
    pinned, listed = pins(CONSTRAINTS.read_text(encoding="utf-8")), read_list(given.list)
    found = known_weaknesses(pinned, listed)
    known = sum(_plain(name) in pinned for name in listed)
    print(*found, f"{len(pinned)} packages are pinned, {known} of them listed: {len(found)} weaknesses",
          sep="\n")  # fmt: skip
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
