"""Models as training starts with them, and as it left them."""

from __future__ import annotations

from pathlib import Path

import torch
from rich.console import Console

from fewaspect.core.errors import CheckpointError
from fewaspect.encoders.sources import resolve_encoder
from fewaspect.encoders.transformer import TokenEncoder
from fewaspect.methods import build_method
from fewaspect.methods.model import FewShotModel
from fewaspect.training.checkpoint import load_tensors, restore_model
from fewaspect.training.folder import RunFolder, RunSettings

VALIDATION_SEED = 20220814  # fixed, so that every run is validated on the same episodes


def report_truncation(count: int, console: Console) -> None:
    """Say how many sentences the encoder read only in part."""
    if count:
        console.print(f"[yellow]{count} sentences are longer than the encoder can read; their ends were not read.")


def build_model(settings: RunSettings, offline: bool | None = None) -> tuple[TokenEncoder, FewShotModel]:
    """A fresh encoder and model, as training starts with them."""
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
    """The best model of a finished or unfinished run."""
    folder = RunFolder(path)
    settings = folder.read_settings()
    tensors, about = load_tensors(folder.best)
    encoder, model = build_model(settings, offline)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder.frozen.model.to(device)
    if about.get("encoder_digest") != encoder.source.digest:
        raise CheckpointError(
            f"{folder.best}: was trained on encoder weights {about.get('encoder_digest')}, "
            f'but "{settings.train.encoder}" now has {encoder.source.digest}.'
        )
    restore_model(model, tensors, folder.best)
    return settings, encoder, model.to(device).eval()
