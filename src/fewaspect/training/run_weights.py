"""A trained LPN+ as its run folder holds it: settings, arrays by name, the encoder, the probability model. No torch."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.core.files import load_arrays
from fewaspect.core.settings import LPNPlusSettings, TrainSettings
from fewaspect.detector.calibration import ProbabilityModel
from fewaspect.detector.model import load_model
from fewaspect.detector.scoring import LPNPlusScorer
from fewaspect.encoders.onnx_weights import read_architecture, read_weights
from fewaspect.encoders.sources import EncoderSource, resolve_encoder
from fewaspect.training.run_folder import RunFolder

PROBABILITY_MODEL = "probability_model.json"
PLAIN_PROBABILITIES = {  # of scores of cosines and regressions alone, as the model of version 0.1 had them
    "intercept": -2.603596577774094,
    "weights": {
        "sentence_similarity": 4.0663952001659895,
        "attended_similarity": 1.7872122195018578,
        "ridge_score": 4.189533275838611,
        "log_softmax": 0.31854323805567397,
        "margin": 1.08577468919135,
        "log_shots": -1.0878333246615957,
        "log_aspects": -0.3118809633349932,
    },
}


@dataclass(frozen=True)
class RunWeights:
    """What differs from the pretrained encoder, and where that is."""

    train: TrainSettings
    scorer: LPNPlusScorer
    probability_model: ProbabilityModel
    arrays: dict[str, np.ndarray]  # fp32, by the names of the model's state
    source: EncoderSource

    @property
    def identity(self) -> dict[str, str]:
        """What encodings depend on besides the text."""
        digest = hashlib.sha256()
        for name, value in sorted(self.arrays.items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(value).tobytes())
        digest.update(self.probability_model.identity.encode())
        name = Path(self.source.name).name
        return {"encoder": name, "encoder_digest": self.source.digest, "weights": digest.hexdigest()}

    def encoder_arrays(self) -> dict[str, np.ndarray]:
        """The pretrained encoder's arrays with the trained upper layers in their places."""
        half = read_architecture(self.source).layers // 2
        frozen = self.train.freeze_layers
        return read_weights(self.source, self.arrays, half if frozen < 0 else frozen)


def load_run_weights(folder: Path) -> RunWeights:
    """A run without a probability model of its own gets the shipped one if both score by the same terms, else that of
    version 0.1: weights for terms that a score does not have would make its probabilities wrong."""
    run = RunFolder(folder)
    settings = run.read_settings()
    if not isinstance(settings.method, LPNPlusSettings):
        raise ConfigError(f"{folder}: expected a run of the method lpn-plus, found {settings.train.method}.")
    stored, about = load_arrays(run.best)
    source = resolve_encoder(settings.train.encoder)
    if about.get("encoder_digest") != source.digest:
        raise CheckpointError(
            f"{run.best}: was trained on encoder weights {about.get('encoder_digest')}, "
            f'but "{settings.train.encoder}" now has {source.digest}.'
        )
    arrays = {
        name.removeprefix("model."): value.astype(np.float32) if value.dtype.kind == "f" else value
        for name, value in stored.items()
        if name.startswith("model.")
    }
    try:
        scorer = LPNPlusScorer.of(arrays, settings.method)
    except KeyError as error:
        raise CheckpointError(f"{run.best}: the weights do not fit this method and encoder: no {error}.") from None
    return RunWeights(settings.train, scorer, _probability_model(folder, settings.method), arrays, source)


def _probability_model(folder: Path, settings: LPNPlusSettings) -> ProbabilityModel:
    for name in (PROBABILITY_MODEL, "presence.json"):  # the second as version 0.1 called it
        if (folder / name).is_file():
            return ProbabilityModel.load(folder / name)
    shipped = load_model()
    same = _terms(settings) == _terms(shipped.scorer.settings)
    return shipped.probability_model if same else ProbabilityModel.from_json(PLAIN_PROBABILITIES)


def _terms(settings: LPNPlusSettings) -> tuple[bool, bool, bool]:
    return settings.centred, settings.head_weight > 0, settings.neighbour_weight > 0
