"""Files of reviews into a studio under test."""

from __future__ import annotations

from fastapi.testclient import TestClient


def import_text(client: TestClient, address: str, text: str, name: str = "reviews.txt", **fields: str) -> str:
    """The events of an import."""
    started = client.post(f"{address}/imports", files={"file": (name, text.encode())}, data=fields)
    assert started.status_code == 202, started.text
    return client.get(f"{address}/jobs/{started.json()['job']}/events").text
