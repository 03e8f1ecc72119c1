"""What was found in all, counted as the reviews go by."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from fewaspect.detector.explain import Analysis


@dataclass
class Summary:
    """Counts of reviews: with each aspect, with each two aspects, without any; sentences and seconds."""

    classes: tuple[str, ...]
    reviews: int = 0
    sentences: int = 0
    without: int = 0
    mentions: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    sentence_counts: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    started: float = field(default_factory=time.perf_counter)

    def add(self, analyses: Sequence[Analysis]) -> None:
        for analysis in analyses:
            self.reviews += 1
            self.sentences += len(analysis.sentences)
            self.without += not analysis.aspects
            self.mentions += len(analysis.aspects)
            self.counts.update(analysis.aspects)
            self.pairs.update(combinations(sorted(analysis.aspects), 2))
            for sentence in analysis.sentences:
                self.sentence_counts.update(sentence.aspects)

    @property
    def rate(self) -> float:
        """Sentences per second so far."""
        return self.sentences / max(time.perf_counter() - self.started, 1e-9)

    def together(self, one: str, other: str) -> int:
        """Reviews with both; those with one where the two are the same."""
        return self.counts[one] if one == other else self.pairs[min(one, other), max(one, other)]

    def share(self, count: int) -> float:
        return count / self.reviews if self.reviews else 0.0

    def by_frequency(self) -> list[str]:
        """The most frequent aspect first; ties in the order of the classes."""
        return sorted(self.classes, key=lambda name: -self.counts[name])


def summary_table(summary: Summary) -> Table:
    """For the terminal: how often each aspect, how many reviews without any, how fast."""
    from rich.table import Table
    from rich.text import Text

    from fewaspect.data.formats.records import printable

    rate = f"{summary.sentences:,} sentences, {summary.rate:,.0f} per second"
    table = Table(title=f"{summary.reviews:,} reviews", caption=rate, title_justify="left", caption_justify="left")
    table.add_column("aspect", overflow="fold")
    table.add_column("reviews", justify="right")
    table.add_column("share", justify="right")
    table.add_column("", no_wrap=True)
    for name in summary.by_frequency():
        count = summary.counts[name]
        share = summary.share(count)
        table.add_row(Text(printable(name)), f"{count:,}", f"{share:.1%}", "█" * round(20 * share))
    table.add_section()
    table.add_row("none of these", f"{summary.without:,}", f"{summary.share(summary.without):.1%}", "", style="dim")
    return table
