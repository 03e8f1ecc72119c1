"""Models of a run: untrained, and as trained."""

from __future__ import annotations

from pathlib import Path

import torch
from rich.console import Console

from fewaspect.core.errors import CheckpointError
from fewaspect.encoders.sources import resolve_encoder
from fewaspect.encoders.transformer import TokenEncoder
from fewaspect.methods import build_method
from fewaspect.methods.few_shot_model import FewShotModel
from fewaspect.training.checkpoint import load_tensors, restore_model
from fewaspect.training.run_folder import RunFolder, RunSettings

VALIDATION_SEED = 20220814  # the same validation episodes for every run


def report_truncation(count: int, console: Console) -> None:
    """Print how many sentences were longer than the encoder can read."""
    if count:
        console.print(f"[yellow]{count} sentences are longer than the encoder can read; their ends were not read.")


def build_model(settings: RunSettings, offline: bool | None = None) -> tuple[TokenEncoder, FewShotModel]:
    """The pretrained encoder and an untrained model."""
    train = settings.train
    encoder = TokenEncoder(
        resolve_encoder(train.encoder, offline),
        None if train.freeze_layers < 0 else train.freeze_layers,
        None if train.encoder_dropout < 0 else train.encoder_dropout,
    )
    torch.manual_seed(train.seed)
    method = build_method(train.method, encoder.width, settings.method, settings.largest_way, settings.largest_shot)
    if train.compile:
        encoder.upper.compile_layers()
    return encoder, FewShotModel(encoder.upper, method, bf16=train.precision == "bf16")


def load_run(path: Path, offline: bool | None = None) -> tuple[RunSettings, TokenEncoder, FewShotModel]:
    """Settings, encoder and best model of a run, which need not be finished."""
    folder = RunFolder(path)
    settings = folder.read_settings()
    tensors, metadata = load_tensors(folder.best)
    encoder, model = build_model(settings, offline)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder.frozen.model.to(device)
    if metadata.get("encoder_digest") != encoder.source.digest:
        raise CheckpointError(
            f"{folder.best}: was trained on encoder weights {metadata.get('encoder_digest')}, "
            f'but "{settings.train.encoder}" now has {encoder.source.digest}.'
        )
    restore_model(model, tensors, folder.best)
    return settings, encoder, model.to(device).eval()
