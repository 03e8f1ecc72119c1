"""Settings dataclasses as command-line options: every field is a flag, with the help of the field."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from fewaspect.core.settings import MethodSettings, Settings, TrainSettings, read_config
from fewaspect.methods import METHODS, complete_settings

ConfigFile = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="YAML or JSON with settings by name; flags win over it.")
]
DataFolder = Annotated[
    Path | None,
    typer.Option("--data", metavar="FOLDER", envvar="FEWASPECT_DATA", help="Folder with the benchmark's files."),
]
Offline = Annotated[bool, typer.Option("--offline", help="Never use the network, not even for a Hugging Face id.")]


def method_panels() -> list[tuple[str, type[Settings]]]:
    """Titles and settings of all methods' help panels; base classes first."""
    kinds = dict.fromkeys(base for entry in METHODS.values() for base in reversed(entry.settings.__mro__))
    return [(kind.family, kind) for kind in kinds if issubclass(kind, MethodSettings) and "family" in vars(kind)]


def with_settings(*panels: tuple[str, type[Settings]]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorator that adds one option per field to a command, which gets those that were set as the dict `flags`."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        options = _options(panels)
        signature = inspect.signature(function, eval_str=True)
        own = [parameter for name, parameter in signature.parameters.items() if name != "flags"]

        def command(**arguments: Any) -> None:
            given = {name: arguments.pop(name) for name in options}
            function(**arguments, flags={name: value for name, value in given.items() if value is not None})

        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__signature__ = inspect.Signature([*own, *options.values()])  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in (*own, *options.values())}
        return command

    return decorate


def _options(panels: tuple[tuple[str, type[Settings]], ...]) -> dict[str, inspect.Parameter]:
    """One option per name; a name that several panels share is listed in the first, with the default of each."""
    options: dict[str, inspect.Parameter] = {}
    for panel, kind in panels:
        hints = get_type_hints(kind)
        for item in dataclasses.fields(kind):  # type: ignore[arg-type]
            if item.name in options:
                continue
            choices = item.metadata.get("choices")
            shown = f"{item.metadata['help']} One of {', '.join(choices)}." if choices else item.metadata["help"]
            annotation = Annotated[
                hints[item.name] | None,  # type: ignore[valid-type, name-defined]
                typer.Option(show_default=_default(item.name, panels) or False, help=shown, rich_help_panel=panel),
            ]
            options[item.name] = inspect.Parameter(
                item.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
            )
    return options


def _default(name: str, panels: tuple[tuple[str, type[Settings]], ...]) -> str:
    """The first panel's default, and other defaults of further panels and of methods."""
    defaults = {
        panel: item.default
        for panel, kind in panels
        for item in dataclasses.fields(kind)  # type: ignore[arg-type]
        if item.name == name
    }
    first, *_ = defaults.values()
    others = {panel: value for panel, value in defaults.items() if value != first}
    if TrainSettings in (kind for _, kind in panels):
        others |= {method: entry.training[name] for method, entry in METHODS.items() if name in entry.training}
    return "; ".join([str(first), *(f"{whose}: {value}" for whose, value in others.items())])


def resolve_settings(flags: Mapping[str, Any], config: Path | None) -> tuple[TrainSettings, Settings]:
    """Settings of a run from a config file, overridden by flags."""
    given = {**(_flattened(read_config(config)) if config else {}), **flags}
    return complete_settings(given, str(config or "flags"))


def _flattened(values: Mapping[str, Any]) -> dict[str, Any]:
    """A flat mapping of settings, also from the two mappings under "settings" of a run.json."""
    halves = values.get("settings")
    if isinstance(halves, dict) and all(isinstance(half, dict) for half in halves.values()):
        return {name: value for half in halves.values() for name, value in half.items()}
    return dict(values)
