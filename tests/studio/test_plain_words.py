"""What the page says of problems and shows by itself has no word that only programmers know."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from fewaspect.studio import web_app
from fewaspect.studio.plain_words import TECHNICAL, plain_words

STUDIO = Path(web_app.__file__).parent
PAGE = Path(__file__).parents[2] / "frontend" / "src"
WORDS_OF_THE_PAGE = re.compile(r">([^<>{}=;()]*[a-z]{3}[^<>{}=;()]*)<|(?:title|label|placeholder|words)=\"([^\"]+)\"")


def messages() -> list[str]:
    """All that the studio raises, with … for what is filled in."""
    found = []
    for path in STUDIO.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                found += [text for argument in node.exc.args if (text := _text(argument))]
    return found


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return ""


def test_every_message_of_the_studio_is_said_in_plain_words() -> None:
    assert len(messages()) > 40
    said = {message: plain_words(status, message) for message in messages() for status in (404, 422, 500)}
    assert not {message: plain for message, plain in said.items() if TECHNICAL.search(plain)}


def test_the_page_has_no_technical_words() -> None:
    found = []
    for path in [*PAGE.rglob("*.tsx")]:
        for groups in WORDS_OF_THE_PAGE.findall(path.read_text("utf-8")):
            text = " ".join(part.strip() for part in groups if part)
            if not re.search(r"\w\.\w", text):  # which is code
                found.append((path.name, text))
    assert len(found) > 150
    assert not [(name, text) for name, text in found if re.search(r"\b(ids?|null|schema|payload|regex)\b", text)]


@pytest.mark.parametrize(
    ("status", "detail", "plain"),
    [
        (404, "expected a sentence of this project, found none with the id 1147.",
         "This sentence is not here any more; it may have been removed elsewhere. Reload the page."),
        (422, "tune: expected a project with aspects, found none.",
         "This needs a project with aspects, and found none."),
        (422, "expected at most 100 aspects in a project, found one more.",
         "There may be at most 100 aspects in a project; this is more."),
        (409, 'There is an aspect "noise" already.', 'There is an aspect "noise" already.'),
    ],
)  # fmt: skip
def test_a_problem_is_said_plainly(status: int, detail: str, plain: str) -> None:
    assert plain_words(status, detail) == plain


def test_a_problem_keeps_its_detail_for_programs(client: TestClient, project: str) -> None:
    missing = client.get(f"{project}/sentences/1147").json()
    assert missing["detail"] == "expected a sentence of this project, found none with the id 1147."
    assert missing["plain"].startswith("This sentence is not here any more")
    long = client.post(f"{project}/aspects", json={"name": "x" * 101}).json()
    assert long["plain"] == "This is too long: 100 characters are the most."
