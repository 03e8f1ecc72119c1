"""What a job found, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fewaspect.bulk.partition import Counts
from fewaspect.reviews.summary import Summary, summary_table

if TYPE_CHECKING:
    from rich.table import Table


def bulk_table(total: Counts, classes: Sequence[str]) -> Table:
    """As `fewaspect detect` shows it, with bad rows, and how many texts had to be read."""
    summary = Summary(tuple(classes), reviews=total.rows, sentences=total.sentences, without=total.without)
    summary.counts.update(total.aspects)
    table = summary_table(summary)
    table.title = f"{total.rows:,} rows, {total.bad:,} bad ones beside"
    rate = total.sentences / max(total.seconds, 1e-9)
    table.caption = f"{total.sentences:,} sentences, {rate:,.0f} per second and actor; {total.read:,} texts were new"
    return table
