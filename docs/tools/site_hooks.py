"""What MkDocs does to our pages beside Markdown: generated references, files from elsewhere, equations."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

import reference
from equations import typeset

ROOT = Path(__file__).parents[2]
FROM_ELSEWHERE = {  # files of the repository that are pages, too
    "SECURITY.md": "explanation/security.md",
    "src/fewaspect/inference/shipped/MODEL_CARD.md": "reference/model-card.md",
    "src/fewaspect/inference/multilingual/MODEL_CARD.md": "reference/multilingual-card.md",
}
GENERATED: dict[str, Callable[[], str]] = {
    "commands": reference.commands, "rest": reference.rest, "errors": reference.errors,
    "results": reference.results, "research": reference.research,
}  # fmt: skip
_COMMENT = re.compile(r"^<!--.*?-->\n|<!--.*?-->", flags=re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    for source, page in FROM_ELSEWHERE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    for name, generate in GENERATED.items():
        if (marker := f"<!-- generated: {name} -->") in markdown:
            markdown = markdown.replace(marker, generate())
    place = {page: source for source, page in FROM_ELSEWHERE.items()}.get(
        page.file.src_uri, f"docs/{page.file.src_uri}"
    )
    return _LINK.sub(lambda link: _on_the_site(link, place, page.file.src_uri), _COMMENT.sub("", markdown))


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    return typeset(html)


def _on_the_site(link: re.Match[str], place: str, page: str) -> str:
    """A link as it leads on the site; what is not on the site is named, not linked."""
    text, target, anchor = link[1], link[2], link[3] or ""
    file = posixpath.normpath(posixpath.join(posixpath.dirname(place), target))
    if file in FROM_ELSEWHERE:
        there = FROM_ELSEWHERE[file]
    elif file.startswith("docs/"):
        there = file.removeprefix("docs/")
    else:
        return f"{text} (`{file}`)"
    return f"[{text}]({posixpath.relpath(there, posixpath.dirname(page) or '.')}{anchor})"
