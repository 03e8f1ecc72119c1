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
    "CHANGELOG.md": "project/changelog.md",
    "CODE_OF_CONDUCT.md": "project/conduct.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "changelog.d/README.md": "project/fragments.md",
    "examples/README.md": "tutorials/examples.md",
    "src/fewaspect/inference/shipped/MODEL_CARD.md": "reference/model-card.md",
    "src/fewaspect/inference/multilingual/MODEL_CARD.md": "reference/multilingual-card.md",
}
GENERATED: dict[str, Callable[[], str]] = {
    "commands": reference.commands, "rest": reference.rest, "errors": reference.errors,
    "studio-errors": reference.studio_errors, "warnings": reference.warnings,
    "results": reference.results, "research": reference.research,
}  # fmt: skip
_CODE = re.compile(r"<!-- code: (\S+) (.+?) -->")
_COMMENT = re.compile(r"^<!--.*?-->\n|<!--.*?-->", flags=re.DOTALL | re.MULTILINE)
_PROMPT = re.compile(r'<span class="gp">([^<]*)</span>')  # shown by the style, so that a copy is without it
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    for source, page in FROM_ELSEWHERE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=_with_scripts(text, ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    for name, generate in GENERATED.items():
        if (marker := f"<!-- generated: {name} -->") in markdown:
            markdown = markdown.replace(marker, generate())
    markdown = _CODE.sub(lambda code: reference.source(code[1], code[2].split()), markdown)
    place = {page: source for source, page in FROM_ELSEWHERE.items()}.get(
        page.file.src_uri, f"docs/{page.file.src_uri}"
    )
    return _LINK.sub(lambda link: _on_the_site(link, place, page.file.src_uri), _COMMENT.sub("", markdown))


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    whole = typeset(html).replace(" ± ", "\u00a0±\u00a0")  # no line ends within an interval
    return _PROMPT.sub(r'<span class="gp" data-prompt="\1"></span>', whole)


def _with_scripts(text: str, page: Path) -> str:
    """With the code of the scripts beside the page that it links to."""
    scripts = re.findall(r"\]\((\w+\.py)\)", text)
    for name in scripts:
        text = text.replace(f"]({name})", f"](#{name.replace('.', '')})")
        text += f"\n## {name}\n\n```python\n{(page.parent / name).read_text(encoding='utf-8')}```\n"
    return text


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
