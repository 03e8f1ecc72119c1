"""Registry of the methods by name. It imports no torch; a method's module is imported when it is built."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fewaspect.core.errors import ConfigError
from fewaspect.core.settings import (
    RECIPES,
    AWATTSettings,
    GraphSettings,
    HATTSettings,
    IMPSettings,
    LPNPlusSettings,
    LPNSettings,
    MatchingSettings,
    RelationSettings,
    ScaledSettings,
    Settings,
    TrainSettings,
    build_settings,
    current_names,
    refuse_unknown,
    setting_names,
)

if TYPE_CHECKING:
    from fewaspect.methods.base import Method


@dataclass(frozen=True)
class MethodEntry:
    """A method in the registry: how it is listed, its class, its hyper-parameters and its defaults for training."""

    title: str
    summary: str
    class_path: str  # "module:Class"
    settings: type[Settings]
    training: Mapping[str, Any] = field(default_factory=dict)


METHODS: dict[str, MethodEntry] = {
    "matching": MethodEntry(
        "Matching Network", "attention over all shots", "fewaspect.methods.matching:MatchingNetwork", MatchingSettings
    ),
    "prototypical": MethodEntry(
        "Prototypical Network", "a class is the mean of its shots",
        "fewaspect.methods.prototypical:PrototypicalNetwork", ScaledSettings,
    ),
    "relation": MethodEntry(
        "Relation Network", "a learned comparison of query and class", "fewaspect.methods.relation:RelationNetwork",
        RelationSettings, {"head_learning_rate": 1e-4},
    ),
    "graph": MethodEntry(
        "Graph Network", "labels spread over a graph of shots and query; N is fixed",
        "fewaspect.methods.graph:GraphNetwork", GraphSettings, {"head_learning_rate": 1e-3},
    ),
    "imp": MethodEntry(
        "IMP", "infinite mixture prototypes: a class has as many as it needs", "fewaspect.methods.imp:IMP", IMPSettings
    ),
    "proto-hatt": MethodEntry(
        "Proto-HATT", "prototypes with attention over shots and features; K is fixed",
        "fewaspect.methods.proto_hatt:ProtoHATT", HATTSettings, {"head_learning_rate": 1e-4},
    ),
    "proto-awatt": MethodEntry(
        "Proto-AWATT", "attention over tokens on both sides, dynamic threshold",
        "fewaspect.methods.proto_awatt:ProtoAWATT", AWATTSettings,
    ),
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
    "lpn-plus": MethodEntry(
        "LPN+ (ours)", "label-specific embeddings that score, a count that sees the scores",
        "fewaspect.methods.lpn_plus:LPNPlus", LPNPlusSettings,
        {"way": "10", "shot": "4", "queries": 3, "learning_rate": 4e-5, "head_learning_rate": 1e-3},
    ),
}  # fmt: skip


def method_entry(name: str) -> MethodEntry:
    if name not in METHODS:
        guess = difflib.get_close_matches(name.lower(), METHODS, n=1)
        hint = f'Did you mean "{guess[0]}"?' if guess else f"Known: {', '.join(METHODS)}."
        raise ConfigError(f'unknown method "{name}". {hint}')
    return METHODS[name]


def build_method(name: str, width: int, settings: Any, way: int, shot: int = 5) -> Method:
    """An untrained method for token states of this width; `way` and `shot` are the largest N and K of training."""
    module, _, attribute = method_entry(name).class_path.partition(":")
    return getattr(import_module(module), attribute)(width, settings, way, shot)


def complete_settings(given: Mapping[str, Any], where: str = "settings") -> tuple[TrainSettings, Settings]:
    """Settings of a run: those of the recipe, overridden by the method's defaults, overridden by those given."""
    recipe = given.get("recipe", TrainSettings.recipe)
    if not isinstance(recipe, str) or recipe not in RECIPES:
        raise ConfigError(f'recipe: expected one of {", ".join(RECIPES)}, found "{recipe}".')
    name = given.get("method", TrainSettings.method)
    if not isinstance(name, str):
        raise ConfigError(f"method: expected a name, found {name!r}.")
    entry = method_entry(name)
    given = current_names(entry.settings, given)
    train_names, method_names = setting_names(TrainSettings), setting_names(entry.settings)
    _refuse_unknown(given, name, train_names | method_names, where)
    values = {**RECIPES[recipe], **entry.training, **given}
    return (
        build_settings(TrainSettings, {n: value for n, value in values.items() if n in train_names}),
        build_settings(entry.settings, {n: value for n, value in values.items() if n in method_names}),
    )


def _refuse_unknown(given: Mapping[str, Any], method: str, known: set[str], where: str) -> None:
    """Settings that no method has, and those that only other methods have."""
    for name in given:
        owners = [other for other, entry in METHODS.items() if name in setting_names(entry.settings)]
        if name not in known and owners:
            raise ConfigError(
                f'{where}: {name} is no setting of the method "{method}", but of {", ".join(owners)}. '
                f"Leave it out; {method} has: {', '.join(sorted(setting_names(METHODS[method].settings)))}."
            )
    refuse_unknown(given, known, where)
