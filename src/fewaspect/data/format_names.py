"""The names of the file formats, apart from their code, so that `--help` need not load it."""

from __future__ import annotations

from enum import Enum


class Format(str, Enum):
    """The formats by the names that options use."""

    JSONL = "jsonl"
    FEWASP = "fewasp"
    FEWASP_GROUPED = "fewasp-grouped"
    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"
    SEMEVAL = "semeval"
