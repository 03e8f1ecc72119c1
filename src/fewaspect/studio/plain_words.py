"""What the page says of a problem, to people who do not program; the detail of the problem is for those who do."""

from __future__ import annotations

import re
from typing import Any

from fewaspect.data.labels import shortened
from fewaspect.studio.file_problems import file_words

TECHNICAL = re.compile(
    r"\b(ids?|null|none with the id|schema|json|jsonl|integer|boolean|string|float|http|api|regex|pattern|"
    r"body|payload|parameter|exception|traceback|internal error|expected)\b", re.IGNORECASE
)  # fmt: skip
UNCLEAR = "The studio did not understand this. Reload the page and try again."
_SAID = (  # what the page can bring about, and what it says then
    ("expected a project with aspects", "Add an aspect first."),
    ("the project as when tuning began", "The project was changed meanwhile. Tune again."),
    ("two segments without a review in common", "These two have reviews in common. Choose two that have none."),
    ("expected to read the whole file", "The studio was stopped before it had read the file. Import it again."),
    ("a file of labelled texts|expected labelled texts", "There are no sentences with labels in it."),
    ("labelled sentences, text and labels", "It needs two columns: text and labels."),
    ("extra .studio.|pip install|is not installed",
     "Something is not installed that this needs. The window in which the studio was started says what."),
    ("fewer requests", "The studio is asked too much at once. Wait a moment and try again."),
    ("names of 1 to 100 characters", "The name is empty, too long (100 letters are the most) or used twice."),
    ("MB in a request", "This is too large for the studio. Divide it into several smaller files."),
)  # fmt: skip
FAILED = "Something went wrong in the studio itself. Try again; the window in which it was started says more."
UNWRITTEN = (
    "This could not be saved: the disk is full or protected. Everything saved before is there. Free some space, then "
    "try again."
)
BUSY = "The studio is busy. Try again in a moment."
_QUOTED = re.compile(r'"[^"]*"')  # what a person wrote
_MISSING = re.compile(r"expected an? (\w+)")
_EXPECTED = re.compile(r"^(?:[\w. -]+: )?expected (?P<wanted>.+?), found (?P<there>.+?)\.(?P<rest>\s.*)?$", re.DOTALL)


def plain_words(status: int, detail: str) -> str:
    """A problem in a sentence without technical words."""
    if status >= 500:
        return {503: BUSY, 507: UNWRITTEN}.get(status, FAILED)
    if status == 404 and (missing := _MISSING.search(detail)):
        return f"This {missing[1]} is not here any more; it may have been removed elsewhere. Reload the page."
    if (about_file := file_words(detail)) is not None:
        return about_file
    if said := next((words for problem, words in _SAID if re.search(problem, detail)), None):
        return said
    if found := _EXPECTED.match(detail):
        detail = _said(found["wanted"], found["there"]) + (found["rest"] or "")
    return UNCLEAR if TECHNICAL.search(_QUOTED.sub("", detail)) else detail


def invalid_value(error: dict[str, Any]) -> str:
    """What is wrong with something that was entered, from an error of pydantic."""
    limits = error.get("ctx", {})
    match error["type"]:
        case "string_too_long":
            return f"{shortened(error['input'], 40)} is too long: {limits['max_length']:,} characters are the most."
        case "string_too_short" | "string_pattern_mismatch" | "missing":
            return "Something is empty that must be filled in."
        case "too_long":
            return f"These are too many at once: {limits['max_length']:,} are the most."
        case "greater_than_equal" | "less_than_equal" | "greater_than" | "less_than":
            return "A number is too small or too large."
    return UNCLEAR


def _said(wanted: str, there: str) -> str:
    if wanted.startswith("at most"):
        return f"There may be {wanted}; this is more."
    return f"This needs {wanted}, and found {there}."
