"""Checkpoints: weights and optimiser state as named tensors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from fewaspect.core.errors import CheckpointError
from fewaspect.core.files import load_arrays, save_arrays


def save_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, Any]) -> None:
    """Write tensors and JSON-able metadata to one file."""
    save_arrays(path, {name: value.detach().cpu().numpy() for name, value in tensors.items()}, metadata)


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Tensors and metadata that `save_tensors` wrote; another file is refused."""
    arrays, metadata = load_arrays(path)
    return {name: torch.from_numpy(value) for name, value in arrays.items()}, metadata


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimiser's state as tensors named "optimiser.<parameter>.<moment>"."""
    state = optimiser.state_dict()["state"]
    return {f"optimiser.{i}.{name}": value for i, values in state.items() for name, value in values.items()}


def restore_optimiser(
    optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor], learning_rates: list[float]
) -> None:
    """The inverse of `optimiser_tensors`, with the learning rate of each parameter group."""
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        prefix, _, rest = name.partition(".")
        if prefix == "optimiser":
            index, _, moment = rest.partition(".")
            state.setdefault(int(index), {})[moment] = value
    groups = optimiser.state_dict()["param_groups"]
    for group, rate in zip(groups, learning_rates, strict=True):
        group["lr"] = rate
    optimiser.load_state_dict({"state": state, "param_groups": groups})


def restore_model(model: nn.Module, tensors: Mapping[str, Tensor], path: Path) -> None:
    """Load the weights; CheckpointError if a name or shape does not fit."""
    weights = {name.removeprefix("model."): value for name, value in tensors.items() if name.startswith("model.")}
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise CheckpointError(f"{path}: the weights do not fit this method and encoder: {error}") from error


def model_tensors(model: nn.Module) -> dict[str, Tensor]:
    """The model's state as tensors named "model.<name>"."""
    return {f"model.{name}": value for name, value in model.state_dict().items()}
