"""A SentencePiece unigram model as a tokeniser of the `tokenizers` library; its file is read without protobuf."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

UNKNOWN, START, END = 0, 1, 2
_PIECES, _NORMALIZER = 1, 3  # fields of the file
_TEXT, _SCORE, _CHARACTER_MAP = 1, 2, 2  # fields of a piece, and of the normalizer


def load_sentencepiece(path: Path) -> Tokenizer:
    """With the tokens <s> and </s> around each text."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    pieces, character_map = _read(path.read_bytes())
    tokeniser = Tokenizer(models.Unigram(pieces, UNKNOWN, byte_fallback=False))
    tokeniser.normalizer = normalizers.Sequence([
        normalizers.Precompiled(character_map), normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")
    ])  # fmt: skip
    tokeniser.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokeniser.decoder = decoders.Metaspace(prepend_scheme="always")
    start, end = pieces[START][0], pieces[END][0]
    tokeniser.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}", special_tokens=[(start, START), (end, END)]
    )
    return tokeniser


def _read(content: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """The pieces with their scores, and the map of characters that texts are normalized by."""
    pieces, character_map = [], b""
    for field, value in _fields(content):
        if field == _PIECES:
            own = dict(_fields(value))
            score = struct.unpack("<f", own[_SCORE])[0] if _SCORE in own else 0.0
            pieces.append((own[_TEXT].decode("utf-8"), score))
        elif field == _NORMALIZER:
            character_map = dict(_fields(value)).get(_CHARACTER_MAP, b"")
    if len(pieces) <= END:
        raise ValueError(f"expected a SentencePiece model, found {len(pieces)} pieces")
    return pieces, character_map


def _fields(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Field numbers and bytes of a protobuf message; of numbers, only 32-bit ones have bytes."""
    position = 0
    while position < len(content):
        tag, position = _varint(content, position)
        kind, length = tag & 7, 0
        if kind == 0:
            _, position = _varint(content, position)
        elif kind == 2:
            length, position = _varint(content, position)
        else:
            length = {1: 8, 5: 4}[kind]
        yield tag >> 3, content[position : position + length]
        position += length


def _varint(content: bytes, position: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    value = shift = 0
    while True:
        byte = content[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
