"""A trained LPN+ as its folder holds it: settings, arrays by name, its encoder, how probabilities follow. No torch."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fewaspect.core.arrays import load_arrays
from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.core.settings import LPNPlusSettings, TrainSettings
from fewaspect.detector.calibration import ProbabilityModel
from fewaspect.detector.scoring import LPNPlusScorer
from fewaspect.encoders.sources import EncoderSource, resolve_encoder
from fewaspect.training.folder import RunFolder

SHIPPED = Path(__file__).parents[1] / "inference" / "shipped"
PRESENCE = "presence.json"


@dataclass(frozen=True)
class Weights:
    """What differs from the pretrained encoder, and where that is."""

    folder: Path
    train: TrainSettings
    looking: LPNPlusScorer
    presence: ProbabilityModel
    arrays: dict[str, np.ndarray]  # single precision, by the names of the model's state
    source: EncoderSource

    @property
    def identity(self) -> dict[str, str]:
        """What representations depend on besides the text."""
        digest = hashlib.sha256()
        for name, value in sorted(self.arrays.items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(value).tobytes())
        digest.update(self.presence.identity.encode())
        name = Path(self.source.name).name
        return {"encoder": name, "encoder_digest": self.source.digest, "weights": digest.hexdigest()}


def load_weights(folder: Path) -> Weights:
    """A run that says nothing of probabilities gets those of the shipped one: both are LPN+ on the scale of cosines."""
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
    own = folder / PRESENCE
    try:
        looking = LPNPlusScorer.of(arrays, settings.method)
    except KeyError as error:
        raise CheckpointError(f"{run.best}: the weights do not fit this method and encoder: no {error}.") from None
    presence = ProbabilityModel.load(own if own.is_file() else SHIPPED / PRESENCE)
    return Weights(folder, settings.train, looking, presence, arrays, source)
