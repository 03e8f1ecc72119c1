"""A detector for support tickets: from fifteen labelled tickets to queues, with the answers nobody has to check.

pip install fewaspect
"""

import csv
import sys
import tempfile
from pathlib import Path

from fewaspect import AspectDetector

DATA = Path(__file__).parent / "data"


def tickets(name: str) -> tuple[list[str], list[list[str]]]:
    """Texts, and the queues of each: several, one, or none for a ticket that asks nothing."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [[q for q in row["queues"].split(";") if q] for row in rows]


known, queues = tickets("tickets.csv")
detector = AspectDetector().fit(
    known,
    queues,
    descriptions={
        "billing": "invoices, payments, refunds, prices",
        "login": "passwords, codes, signing in",
        "bug": "something is broken or shows wrong results",
        "feature": "a wish for something that does not exist yet",
        "cancel": "ending the subscription, closing the account",
    },
)

new, truth = tickets("new_tickets.csv")
for text, found, wanted in zip(new, detector.predict(new), truth, strict=True):
    mark = " " if set(found) == set(wanted) else "!"
    print(f"{mark} {', '.join(found) or '(nobody)':20} {text}")

measured = detector.evaluate(new, truth)
print(f"\nmacro-F1 {measured['macro_f1']:.2f} on {len(new)} tickets; ! is an answer that is not the right one")

print("\nWhy?")
analysis = detector.analyze("Signing in with Google ends on an empty page since this morning.")
print(f"  {analysis.reason}")
print(f"  nearest example: {analysis.nearest[analysis.aspects[0]][0].text}" if analysis.aspects else "  nothing near")

print("\nA new queue, by its name and a description alone:")
detector.add_aspect("outage", description="the service is down or cannot be reached")
for text in ["Your site has been down for an hour.", "Nothing loads, what is going on?"]:
    print(f"  {', '.join(detector.predict([text])[0]) or '(nobody)':20} {text}")

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()) / "tickets"
detector.save(folder)
print("\nSaved; on any machine: AspectDetector.load(folder), or `fewaspect detect tickets.csv --model folder`.")
