"""All texts that the studio's page can show, to be read by someone who is not their author.

    python tests/studio_texts.py

… stands for what is filled in. First those of the page, file by file; then what the studio says of problems, as the
page shows it, and what it calls the changes that can be undone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

import fewaspect.studio
from fewaspect.studio.plain_words import plain_words

STUDIO = Path(fewaspect.studio.__file__).parent
PAGE = Path(__file__).parents[1] / "frontend" / "src"
LEFT_OUT = ("api",)  # folders without texts for people
AT_START = ("server.py", "database.py")  # what they say stands in the window that the studio was started in
READ = {"title", "label", "aria-label", "placeholder", "words", "hint", "alt", "aria-valuetext", "face"}  # attributes
UNSAID = {"class", "key", "id", "type", "style", "href", "src", "d", "viewBox", "accept", "icon", "name", "role"}
INLINE = {"b", "small", "i", "kbd", "span", "em", "Help", "Icon"}
PROSE = re.compile(r"[A-Za-z]{2,}[,.:;?!]? +[\w“…(+]|^[A-Z][a-z]+[ .…?!]*$|[a-z]{3,}[.…?!]$")
CODE = re.compile(r"[{}=<>\[\]#]|^\.|\b(px|svg|div|button|article|min-width|polyline)\b|^[\w/.-]+$(?<![.…?!])|^M[\d ]")
LANGUAGES = {
    ".tsx": Language(tree_sitter_typescript.language_tsx()),
    ".ts": Language(tree_sitter_typescript.language_typescript()),
}


def page_texts() -> dict[str, list[str]]:
    """By file of the page."""
    found = {}
    for path in sorted(PAGE.rglob("*.ts*")):
        name = path.relative_to(PAGE)
        if name.parts[0] not in LEFT_OUT and (texts := _texts_of(path)):
            found[name.as_posix()] = texts
    return found


def problems() -> list[str]:
    """All that the studio raises, with … for what is filled in."""
    found = []
    for node in _studio_nodes():
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            found += [text for argument in node.exc.args if (text := _filled(argument))]
    return [re.sub("^…: ", "reviews.csv: ", text) for text in dict.fromkeys(found) if len(text.strip("…: .")) > 5]


def changes() -> list[str]:
    """What can be undone, as the page calls it."""
    found = []
    for node in _studio_nodes():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "change":
            found += [text for argument in node.args if (text := _filled(argument)).strip("…")]
    return list(dict.fromkeys(found))


def _studio_nodes() -> Iterator[ast.AST]:
    for path in sorted(STUDIO.rglob("*.py")):
        if path.name in AT_START:
            continue
        yield from ast.walk(ast.parse(path.read_text("utf-8")))


def _filled(node: ast.expr) -> str:
    """A literal text of Python; empty if it is anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_filled(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return ""


def _texts_of(path: Path) -> list[str]:
    tree = Parser(LANGUAGES[path.suffix]).parse(path.read_bytes())
    texts = (" ".join(text.split()) for text in _said(tree.root_node))
    return [text for text in dict.fromkeys(texts) if re.search("[A-Za-z]{2}", text)]


def _said(node: Node) -> Iterator[str]:
    """Texts of elements, of attributes that are read out or shown, and literals that look like prose."""
    if node.type in ("import_statement", "export_statement") and any(c.type == "string" for c in node.children):
        return
    if node.type == "jsx_attribute":
        name = _source(node.children[0])
        if name in UNSAID or name.startswith(("on", "data-")):
            return
        if name in READ and not _has(node, "jsx_element", "jsx_self_closing_element"):
            yield from (_literal(part) for part in _literals(node))
            return
    if node.type in ("jsx_element", "jsx_fragment") and any(
        child.type == "jsx_text" and _source(child).strip() for child in node.children
    ):
        yield _element(node)
    if node.type in ("string", "template_string"):
        text = _literal(node)
        if PROSE.search(text) and not CODE.search(text.replace("…", "")):
            yield text
    for child in node.children:
        yield from _said(child)


def _element(node: Node) -> str:
    """What an element says, with what stands in the line."""
    parts = []
    for child in node.children:
        if child.type == "jsx_text":
            parts.append(_source(child))
        elif child.type == "jsx_element" and _tag(child) in INLINE:
            parts.append(_element(child))
        elif child.type in ("jsx_expression", "jsx_element"):
            literals = [_literal(part) for part in _literals(child)]
            parts.append(literals[0] if len(literals) == 1 and child.type == "jsx_expression" else "…")
    return "".join(parts)


def _literals(node: Node) -> Iterable[Node]:
    """The outermost texts below a node."""
    for child in node.children:
        if child.type in ("string", "template_string"):
            yield child
        else:
            yield from _literals(child)


def _literal(node: Node) -> str:
    if node.type == "string":
        return _source(node)[1:-1].replace("\\n", "\n")
    parts = (_source(c) if c.type == "string_fragment" else "…" for c in node.children if c.type not in ("`",))
    return "".join(parts)


def _has(node: Node, *types: str) -> bool:
    return any(child.type in types or _has(child, *types) for child in node.children)


def _tag(element: Node) -> str:
    return _source(element.children[0]).strip("<>/").split()[0] if element.children else ""


def _source(node: Node) -> str:
    return node.text.decode() if node.text else ""


def main() -> None:
    for name, texts in page_texts().items():
        print(f"\n{name}", *texts, sep="\n    ")
    print("\nProblems", *(f"{plain_words(422, problem)}\n        {problem}" for problem in problems()), sep="\n    ")
    print("\nChanges that can be undone", *changes(), sep="\n    ")


if __name__ == "__main__":
    main()
