"""Names of the file formats, apart from their code, which `--help` need not load."""

from __future__ import annotations

from enum import Enum


class Format(str, Enum):
    """File formats by their names on the command line."""

    JSONL = "jsonl"
    FEWASP = "fewasp"
    FEWASP_GROUPED = "fewasp-grouped"
    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"
    SEMEVAL = "semeval"
