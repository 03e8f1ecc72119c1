"""Equations in LaTeX become MathML when the site is built: no script and no font from elsewhere."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

_MARKED = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', flags=re.DOTALL)


def typeset(page: str) -> str:
    """The page with its equations as MathML."""

    def mathml(match: re.Match[str]) -> str:
        block = match[1] == "div"
        equation = convert(html.unescape(match[2]).strip(), display="block" if block else "inline")
        return f'<div class="equation">{equation}</div>' if block else equation

    return _MARKED.sub(mathml, page)
