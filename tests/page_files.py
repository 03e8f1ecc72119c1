"""What a reader of the pages has in the folder: examples, reviews, labelled sentences."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import xlsxwriter
import yaml

EXAMPLES = {"food": ["the soup was cold"], "service": ["our waiter never came back"], "parking": ["no valet", "full"]}
REVIEWS = [
    "The soup was lukewarm and the fish dry.", "Our waiter forgot us twice.", "Nowhere to park for miles.",
    "We went there on a Tuesday.", "Great pizza, rude staff.", "The garage was full. Cold soup, too.",
]  # fmt: skip
STARTS = (
    "Sadly,", "Again,", "On Monday", "As ever,", "Last week", "Once more,", "In May", "Today", "Here", "At noon",
    "At night", "In summer",
)  # fmt: skip


def write_files(folder: Path) -> None:
    """All of them."""
    (folder / "examples.yaml").write_text(yaml.safe_dump(EXAMPLES))
    (folder / "examples.json").write_text(json.dumps(EXAMPLES))
    rows = [{"id": number, "stars": 3, "review": text} for number, text in enumerate(REVIEWS)]
    with (folder / "reviews.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    with xlsxwriter.Workbook(folder / "reviews.xlsx") as book:
        sheet = book.add_worksheet()
        for number, row in enumerate([dict(zip(rows[0], rows[0], strict=True)), *rows]):
            sheet.write_row(number, 0, row.values())
    table = pa.table({"id": [row["id"] for row in rows], "text": REVIEWS})
    pq.write_table(table, folder / "reviews.parquet")
    (folder / "reviews").mkdir()
    pq.write_table(table, folder / "reviews" / "part.parquet")
    labelled = [
        {"text": f"{start} {text}", "labels": labels}
        for start in STARTS
        for text, labels in (
            ("the soup was cold.", ["food"]), ("the waiter never came back.", ["service"]),
            ("there was no valet.", ["parking"]), ("it rained.", []), ("the pizza was cold.", ["food"]),
        )
    ]  # fmt: skip
    (folder / "labelled.jsonl").write_text("".join(json.dumps(line) + "\n" for line in labelled))
