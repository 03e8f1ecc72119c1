"""The systems by name. Importing this costs nothing; a method's own file is imported when it is built."""

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
    """How a method is listed, where it lives ("module:Class"), and what it wants of training unless told otherwise."""

    title: str
    about: str
    place: str
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
    """A fresh method for token states of this width; `way` and `shot` are the largest N and K of training."""
    module, _, attribute = method_entry(name).place.partition(":")
    return getattr(import_module(module), attribute)(width, settings, way, shot)


def complete_settings(given: Mapping[str, Any], where: str = "settings") -> tuple[TrainSettings, Settings]:
    """Both halves of a run's settings: the recipe, then what the method wants, then what is given; the later wins."""
    recipe = given.get("recipe", TrainSettings.recipe)
    if not isinstance(recipe, str) or recipe not in RECIPES:
        raise ConfigError(f'recipe: expected one of {", ".join(RECIPES)}, found "{recipe}".')
    name = given.get("method", TrainSettings.method)
    if not isinstance(name, str):
        raise ConfigError(f"method: expected a name, found {name!r}.")
    entry = method_entry(name)
    given = current_names(entry.settings, given)
    train_names, method_names = setting_names(TrainSettings), setting_names(entry.settings)
    known = train_names | method_names
    for foreign in given:
        owners = [other for other, its in METHODS.items() if foreign in setting_names(its.settings)]
        if foreign not in known and owners:
            raise ConfigError(
                f'{where}: {foreign} is no setting of the method "{name}", but of {", ".join(owners)}. '
                f"Leave it out; {name} has: {', '.join(sorted(method_names))}."
            )
    refuse_unknown(given, known, where)
    values = {**RECIPES[recipe], **entry.training, **given}
    return (
        build_settings(TrainSettings, {n: value for n, value in values.items() if n in train_names}),
        build_settings(entry.settings, {n: value for n, value in values.items() if n in method_names}),
    )
