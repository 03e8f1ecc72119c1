"""The blocks of code of a page, in order, with what the page says about them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [
    page
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page.parent.name != "results" or page.name == "README.md"
]
RUN = {"python", "console"}
DATA = {"csv", "json", "yaml"}  # written to a file if the line above names one, else only read
SHOWN = {"", "text", "ini", "nginx", "caddy", "bibtex", "mermaid"}  # outputs, figures, files of other programs
_FENCE = re.compile(
    r"(?:^ *`(?P<name>[\w./-]+)`:\n\n)?"
    r"(?:^ *<!-- not run: (?P<reason>.*?) -->\n)?"
    r"^(?P<indent> *)```(?P<language>\w*).*?\n(?P<text>.*?)^(?P=indent)```$",
    flags=re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """`reason`: why it is not run; `name`: of the file that it is."""

    language: str
    text: str
    line: int
    name: str | None
    reason: str | None

    @property
    def commands(self) -> list[str]:
        """What is typed behind the prompts, without remarks."""
        typed = self.text.replace("\\\n", " ").splitlines()
        return [re.split(r"\s{2,}# ", line[2:])[0].strip() for line in typed if line.startswith("$ ")]


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            found["language"], re.sub(f"^{found['indent']}", "", found["text"], flags=re.MULTILINE),
            text.count("\n", 0, found.start("language")) + 1, found["name"], found["reason"],
        )
        for found in _FENCE.finditer(text)
    ]  # fmt: skip
