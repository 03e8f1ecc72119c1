"""The licence of a set, as its source states it, for the tables of model cards."""

from __future__ import annotations


def plain_licence(text: str) -> str:
    """Without the markup of the page it was read from."""
    named = ("CC BY 4.0", "CC_BY_4.0", "Attribution 4.0")
    if text.startswith("README:") and any(name in text for name in named):
        return "CC BY 4.0"
    return text.replace("|", " ")
