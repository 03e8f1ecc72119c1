"""The limits of the studio."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Of a request, of a project and of a client."""

    body_bytes: int = 64 << 20
    json_values: int = 2_000_000  # in a request, by its commas and brackets: small values take the most memory
    unpacked_bytes: int = 256 << 20  # of a detector or a compressed file
    project_chars: int = 300_000_000  # of the reviews of a project with all their columns, so that it can be read again
    definition_chars: int = 50_000_000  # of all that is said of its sentences, likewise
    project_file_bytes: int = 2 << 30  # of an exported project as it is sent: what is random cannot be compressed
    unpacked_project_bytes: int = 2 << 30
    text_chars: int = 20_000
    review_chars: int = 16_000_000  # of its other columns as JSON
    column_depth: int = 100  # of lists in lists
    import_rows: int = 50_000
    import_seconds: float = 600  # to read a file; scoring it comes after
    preview_seconds: float = 30
    previews: int = 2  # at a time; the others wait
    sentences: int = 250_000  # of a project
    examples: int = 5_000
    aspects: int = 100
    texts: int = 1_000  # in one request to detect
    streams: int = 100  # of progress, open at a time
    waiting_bytes: int = 1 << 30  # of uploads that are not read yet; another one is refused
    connections: int = 1_000  # at a time; fewer where the process may open few files
    head_seconds: float = 15  # for the head of a request to arrive
    silence_seconds: float = 30  # between two pieces of its body
    body_rate: float = 1_000  # bytes per second of a body at least, after these seconds
    requests_per_second: float = 50
    burst: int = 300


LIMITS = Limits()
