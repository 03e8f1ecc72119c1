"""Damaged copies of a file: bits, bytes and spans changed at random; in JSON also whole values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

TOKENS = [
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n", b'"', b",", b"\t", b"\\", b"{", b"[",
    b"]}", b"null", b"NaN", b"-1", b"1e999",
    b"9" * 400, b"\\ud800", b"\xc3", b"\xed\xa0\x80", b"!!bool maybe", b"&a [*a]",
    b"<!ENTITY x SYSTEM 'file:///etc/passwd'>", b" " * 5000,
    b"[" * 2000, b"PAR1", b"PK\x03\x04", "\u202e\u0000\U0001f600".encode(),
]  # fmt: skip
VALUES: list[Any] = [
    None, True, -1, 0, 10**400, 1e308, "", "\ud800", "x" * 1000, "\N{SUPERSCRIPT TWO}", [], [1], {}, {"a": 1}, [[[]]],
]  # fmt: skip


def mutated(content: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """One to six changes; sometimes of the values of JSON, so that what is wrong lies deeper."""
    if content[:1] in b"{[" and random.random() < 0.5:
        try:
            return _with_other_values(json.loads(content), random)
        except (ValueError, RecursionError):
            pass
    for _ in range(random.randint(1, 6)):
        content = random.choice(_CHANGES)(content, others, random)
    return content[: 1 << 20]


def _with_other_values(value: Any, random: Random) -> bytes:
    for _ in range(random.randint(1, 2)):
        places = list(_places(value))
        if not places:
            return json.dumps(random.choice(VALUES)).encode()
        parent, key = random.choice(places)
        if random.random() < 0.2 and isinstance(parent, dict):
            del parent[key]
        else:
            parent[key] = random.choice([*VALUES, parent[random.choice(list(_keys(parent)))]])
    return json.dumps(value).encode()


def _keys(value: Any) -> Sequence[Any]:
    return list(value) if isinstance(value, dict) else range(len(value))


def _places(value: Any) -> Any:
    if isinstance(value, dict | list):
        for key in _keys(value):
            yield value, key
            yield from _places(value[key])


def _span(content: bytes, random: Random) -> tuple[int, int]:
    start = random.randrange(len(content) + 1)
    return start, min(len(content), start + random.choice((1, 2, 4, 16, 100, 1000)))


def _flip(content: bytes, _: Sequence[bytes], random: Random) -> bytes:
    if not content:
        return content
    place = random.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << random.randrange(8)]) + content[place + 1 :]


def _overwrite(content: bytes, _: Sequence[bytes], random: Random) -> bytes:
    start, end = _span(content, random)
    return content[:start] + random.randbytes(end - start) + content[end:]


def _insert(content: bytes, _: Sequence[bytes], random: Random) -> bytes:
    start, _end = _span(content, random)
    return content[:start] + random.choice(TOKENS) + content[start:]


def _delete(content: bytes, _: Sequence[bytes], random: Random) -> bytes:
    start, end = _span(content, random)
    return content[:start] + content[end:]


def _repeat(content: bytes, _: Sequence[bytes], random: Random) -> bytes:
    start, end = _span(content, random)
    return content[:end] + content[start:end] * random.choice((1, 3, 50)) + content[end:]


def _truncate(content: bytes, _: Sequence[bytes], random: Random) -> bytes:
    return content[: random.randrange(len(content) + 1)]


def _splice(content: bytes, others: Sequence[bytes], random: Random) -> bytes:
    other = random.choice(others)
    start, _end = _span(content, random)
    return content[:start] + other[random.randrange(len(other) + 1) :]


_CHANGES = [_flip, _overwrite, _insert, _insert, _delete, _repeat, _truncate, _splice]
