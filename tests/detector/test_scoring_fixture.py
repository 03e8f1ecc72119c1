"""Probabilities are those of version 0.1, which recorded token states, learned numbers and answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from fewaspect.detector.calibration import ProbabilityModel
from fewaspect.detector.detector import AspectDetector
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.detector.scoring import LPNPlusScorer
from fewaspect.detector.support import read_examples
from fewaspect.text.tokenization import SentenceTokeniser

RECORDED = Path(__file__).parents[1] / "fixtures" / "v0_1"
CONTENT = json.loads((RECORDED / "scoring.json").read_text(encoding="utf-8"))


class RecordedStates:
    """An encoder that answers with the states that were recorded for these tokens, and knows no others."""

    batch_tokens, workers = 2048, 1

    def __init__(self, tokeniser: SentenceTokeniser) -> None:
        self.tokeniser = tokeniser
        arrays = load_file(RECORDED / "scoring_states.safetensors")
        ends = np.cumsum(arrays["lengths"])[:-1]
        ids, states = (np.split(arrays[name], ends) for name in ("ids", "states"))
        self.known = {tuple(own.tolist()): part for own, part in zip(ids, states, strict=True)}
        self.width = arrays["states"].shape[1]

    def states(self, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        return [self.known[tuple(own)].astype(np.float32) for own in ids]


@pytest.mark.parametrize("case", CONTENT["cases"], ids=lambda case: case["name"])
def test_probabilities_are_those_of_version_0_1(case: dict[str, Any]) -> None:
    model = InferenceModel(
        RecordedStates(load_model().encoder.tokeniser),
        LPNPlusScorer.from_json(CONTENT["scorer"], "scoring.json"),
        ProbabilityModel.from_json(CONTENT["presence"]),
        {},
    )  # fmt: skip
    examples, _ = read_examples(**case["fit"])
    found = AspectDetector.from_examples(model, examples, {}).predict_proba(case["texts"])
    np.testing.assert_allclose(found, case["probabilities"], rtol=0, atol=1e-5)
