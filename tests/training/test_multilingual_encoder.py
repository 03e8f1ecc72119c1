"""A multilingual encoder of one's own: built like BERT, with a SentencePiece tokenizer, as multilingual-e5-small and
paraphrase-multilingual-MiniLM are; here tiny and random."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from examples import run_settings
from fewaspect import AspectDetector
from fewaspect.training.export import export, load_torch_model
from fewaspect.training.trainer import train

EXAMPLES = {"food": ["die Suppe war kalt", "朝食が冷たい"], "room": ["das Zimmer war laut", "部屋がうるさい"]}
TEXTS = ["Die Suppe war laut.", "部屋が冷たい。", "See you on Monday"]


@pytest.fixture
def folder(encoder_folder: Callable[..., Path], tmp_path: Path) -> Path:
    """The tiny BERT with pieces of words, with and without a space before them, in the place of its words."""
    copied = tmp_path / "encoder"
    shutil.copytree(encoder_folder("bert"), copied)
    size = json.loads((copied / "config.json").read_text())["vocab_size"]
    letters = [*"abcdefghiklmnoprstuwzDSZM部屋朝食がうるさい冷たい"]
    pieces = ["<pad>", "<s>", "</s>", "<unk>", "<mask>", "▁", "▁die", "▁war", "▁das", "朝食", "部屋", "が"]
    pieces = list(dict.fromkeys([*pieces, *letters]))[:size]
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0 - n / 10) for n, piece in enumerate(pieces)], unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    tokenizer.save(str(copied / "tokenizer.json"))
    return copied


def test_an_encoder_with_a_sentencepiece_tokenizer_is_trained_exported_and_reads_any_script(
    folder: Path, tmp_path: Path
) -> None:
    train(run_settings(str(folder), method="lpn-plus", episodes=2, validate_every=2), None, tmp_path / "run")
    export(tmp_path / "run", tmp_path / "model", "fp32")
    detector = AspectDetector(model=tmp_path / "model").fit(EXAMPLES)
    expected = AspectDetector(model=load_torch_model(tmp_path / "run")).fit(EXAMPLES)
    np.testing.assert_allclose(detector.predict_proba(TEXTS), expected.predict_proba(TEXTS), atol=1e-4)
    words = [word.text for word in detector.analyze(TEXTS[1]).words]
    assert words[:2] == ["部屋", "が"]
    card = (detector.save(tmp_path / "saved") / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "Nobody has said which languages the model was made for" in card
    assert not detector.remarks_
