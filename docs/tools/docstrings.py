"""What the reference shows of the code: docstrings as Markdown, whose examples become blocks of code."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!>>> )\S.*\n?|^>>> .*\n?)*)", flags=re.MULTILINE)


class AsShown(griffe.Extension):
    """Doctests stand between paragraphs, and Markdown would take them for quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """What `__init__` alone sets stands in its signature."""
        attributes = {"instance-attribute", "class-attribute"}
        for name, member in list(cls.members.items()):
            if member.labels & attributes == {"instance-attribute"} and not member.docstring:
                del cls.members[name]


def as_markdown(text: str) -> str:
    return _EXAMPLE.sub(lambda example: f"```pycon\n{example[0].rstrip()}\n```\n", text)
