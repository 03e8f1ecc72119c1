"""Numbers in prose, filled in from docs/results.

    python docs/tools/fill_numbers.py          # rewrites README.md and the pages
    python docs/tools/fill_numbers.py --list   # every name with what is measured

In a page: `has <!--= practical.f1.fewaspect.5 -->52.1<!--/--> points`. A table stands on lines of its own between the
two comments. Within a line the first comment is never at its beginning: a line that begins with one is HTML to GitHub.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
MARKED = re.compile(r"(<!--= (?P<name>\S+) -->)(?P<old>.*?)(<!--/-->)", flags=re.DOTALL)
BEGINS = re.compile(r"^<!--= \S+ -->(?=.)", flags=re.MULTILINE)


def pages() -> Iterator[Path]:
    """The README and its like, and all of docs but the tables that the benchmarks write."""
    yield from sorted(ROOT.glob("*.md"))
    for page in sorted((ROOT / "docs").rglob("*.md")):
        if page.parent.name != "results" or page.name == "README.md":
            yield page


def filled(text: str, numbers: Mapping[str, str], place: str) -> str:
    """The text with what is measured between its comments."""
    if at := BEGINS.search(text):
        raise SystemExit(f"{place}: expected text before {at[0]}, found it at the beginning of a line.")

    def fill(match: re.Match[str]) -> str:
        if (name := match["name"]) not in numbers:
            raise SystemExit(f"{place}: {name} is not measured. fill_numbers.py --list names all that are.")
        alone = "\n" if match["old"].startswith("\n") else ""
        return f"{match[1]}{alone}{numbers[name]}{alone}{match[4]}"

    return MARKED.sub(fill, text)


def main() -> None:
    from measured import measured

    numbers = measured()
    if "--list" in sys.argv:
        print(*(f"{name}  {value}" for name, value in numbers.items() if "\n" not in value), sep="\n")
        return
    for page in pages():
        old = page.read_text(encoding="utf-8")
        if (new := filled(old, numbers, str(page.relative_to(ROOT)))) != old:
            page.write_text(new, encoding="utf-8")
            print(page.relative_to(ROOT))


if __name__ == "__main__":
    main()
