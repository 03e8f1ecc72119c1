"""The systems by name. Importing this costs nothing; a method's own file is imported when it is built."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fewaspect.errors import ConfigError
from fewaspect.settings import LPNSettings, Settings

if TYPE_CHECKING:
    from fewaspect.methods.base import Method


@dataclass(frozen=True)
class MethodEntry:
    """How a method is listed and where it lives ("module:Class")."""

    title: str
    about: str
    place: str
    settings: type[Settings]


METHODS: dict[str, MethodEntry] = {
    "lpn": MethodEntry(
        "LPN (w, w)", "label-enhanced prototypes, contrastive loss", "fewaspect.methods.lpn:LPN", LPNSettings
    ),
    "lpn-wo": MethodEntry(
        "LPN (w, o)", "label-enhanced prototypes, no contrastive loss", "fewaspect.methods.lpn:LPNWithoutContrast",
        LPNSettings,
    ),
    "lpn-oo": MethodEntry(
        "LPN (o, o)", "mean prototypes, no contrastive loss", "fewaspect.methods.lpn:LPNPlain", LPNSettings
    ),
}  # fmt: skip


def method_entry(name: str) -> MethodEntry:
    if name not in METHODS:
        guess = difflib.get_close_matches(name.lower(), METHODS, n=1)
        hint = f'Did you mean "{guess[0]}"?' if guess else f"Known: {', '.join(METHODS)}."
        raise ConfigError(f'unknown method "{name}". {hint}')
    return METHODS[name]


def build_method(name: str, width: int, settings: Any, way: int) -> Method:
    """A fresh method for token states of this width; `way` is the largest N of training."""
    module, _, attribute = method_entry(name).place.partition(":")
    return getattr(import_module(module), attribute)(width, settings, way)
