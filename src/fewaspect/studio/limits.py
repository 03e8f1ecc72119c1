"""The limits of the studio."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Of a request, of a project and of a client."""

    body_bytes: int = 64 << 20
    unpacked_bytes: int = 256 << 20  # of an archive or a compressed file
    text_chars: int = 20_000
    import_rows: int = 50_000
    import_seconds: float = 600  # to read a file; scoring it comes after
    preview_seconds: float = 30
    previews: int = 2  # at a time; the others wait
    sentences: int = 250_000  # of a project
    examples: int = 5_000
    aspects: int = 100
    texts: int = 1_000  # in one request to detect
    connections: int = 1_000  # at a time; fewer where the process may open few files
    head_seconds: float = 15  # for the head of a request to arrive
    silence_seconds: float = 30  # between two pieces of its body
    body_rate: float = 1_000  # bytes per second of a body at least, after these seconds
    requests_per_second: float = 50
    burst: int = 300


LIMITS = Limits()
