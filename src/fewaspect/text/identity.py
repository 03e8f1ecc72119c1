"""When two texts are the same."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_WIDTHLESS = dict.fromkeys(map(ord, "\ufeff\u200b\u2060\u00ad"))  # byte order mark, zero-width spaces, soft hyphen


def text_identity(text: str) -> str:
    """Equal for texts that differ only in case and spacing."""
    return _SPACES.sub(" ", text).strip().casefold()


def example_identity(text: str) -> str:
    """Like `text_identity`, and also equal for texts that look the same: zero-width and control characters and the
    Unicode composition of accents do not count."""
    composed = unicodedata.normalize("NFC", text.translate(_WIDTHLESS))
    return text_identity("".join(c for c in composed if c.isspace() or unicodedata.category(c) != "Cc"))
