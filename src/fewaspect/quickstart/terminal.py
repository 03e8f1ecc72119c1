"""Tagged sentences as a coloured table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from fewaspect.quickstart.tagging import Tagged

COLOURS = ("bright_cyan", "bright_yellow", "bright_green", "bright_magenta", "bright_red", "bright_blue")


def tagged_table(aspects: Sequence[str], tagged: Sequence[Tagged]) -> Table:
    """One row per sentence: its words with the deciding ones coloured, its aspects with their probabilities."""
    table = Table("review sentence", "aspects", show_lines=True, header_style="bold")
    for sentence in tagged:
        words = Text()
        for word in sentence.words:
            style = "" if word.aspect is None else f"bold {_colour(word.aspect)}"
            words.append(word.before).append(word.text, style)
        words.append(sentence.rest)
        chips = Text("\n").join(
            Text(f"{aspects[i]} {sentence.probabilities[i]:.2f}", f"bold {_colour(i)}") for i in sentence.aspects
        )
        table.add_row(words, chips)
    return table


def _colour(aspect: int) -> str:
    return COLOURS[aspect % len(COLOURS)]
