"""The content of tables, whatever format they are written in."""

from __future__ import annotations

from dataclasses import dataclass

DASH = "\N{EN DASH}"


@dataclass(frozen=True)
class Entry:
    """A measured number with its interval and its spread over seeds, and the published one; None is a dash."""

    mean: float | None = None
    half_width: float | None = None
    spread: tuple[float, float] | None = None
    published: float | None = None
    best: bool = False

    @property
    def shown(self) -> str:
        return DASH if self.mean is None else f"{self.mean:.2f}"


@dataclass(frozen=True)
class Line:
    """A system with an entry per column; `note` stands in the last column, if the table has one for notes."""

    title: str
    entries: tuple[Entry, ...]
    seeds: tuple[int, ...] = ()
    note: str = ""

    @property
    def has_spread(self) -> bool:
        return any(entry.spread for entry in self.entries)

    @property
    def spread_title(self) -> str:
        return f"lowest to highest of {len(self.seeds)} seeds"


@dataclass(frozen=True)
class Table:
    """Lines in blocks; the columns are the metrics, once for each N-way K-shot setting."""

    caption: str
    settings: tuple[str, ...]
    metrics: tuple[str, ...]
    blocks: tuple[tuple[Line, ...], ...]
    note_header: str = ""


@dataclass(frozen=True)
class Section:
    """The tables of a benchmark."""

    title: str
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class Group:
    """Sections whose numbers are comparable: one encoder, sampler, split, and set of episodes."""

    title: str
    sections: tuple[Section, ...]


def spread_of(entry: Entry) -> str:
    return "" if entry.spread is None else f"{entry.spread[0]:.2f}{DASH}{entry.spread[1]:.2f}"
