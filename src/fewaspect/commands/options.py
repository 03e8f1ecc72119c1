"""Settings dataclasses as command-line options: every field is a flag, its help and limits come from the field."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from fewaspect.settings import Settings, TrainSettings, read_config, resolve_settings

ConfigFile = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="YAML or JSON with settings by name; flags win over it.")
]
DataFolder = Annotated[
    Path | None,
    typer.Option("--data", metavar="FOLDER", envvar="FEWASPECT_DATA", help="Folder with the benchmark's files."),
]
Offline = Annotated[bool, typer.Option("--offline", help="Never use the network, not even for a Hugging Face id.")]


def with_settings(*panels: tuple[str, type[Settings]]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command one option per field; it receives those that were set as the dict `flags`."""

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
    options = {}
    for panel, kind in panels:
        hints = get_type_hints(kind)
        for item in dataclasses.fields(kind):  # type: ignore[arg-type]
            choices = item.metadata.get("choices")
            shown = f"{item.metadata['help']} One of {', '.join(choices)}." if choices else item.metadata["help"]
            annotation = Annotated[
                hints[item.name] | None,  # type: ignore[valid-type, name-defined]
                typer.Option(show_default=str(item.default) or False, help=shown, rich_help_panel=panel),
            ]
            options[item.name] = inspect.Parameter(
                item.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
            )
    return options


def resolve(
    flags: Mapping[str, Any], config: Path | None, method_settings: Callable[[str], type[Settings]]
) -> tuple[TrainSettings, Settings]:
    """Recipe, then config file, then flags: the later one wins."""
    given = {**(_flattened(read_config(config)) if config else {}), **flags}
    return resolve_settings(given, method_settings, str(config or "flags"))


def _flattened(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a run.json, two mappings under "settings", are taken as well as a flat mapping."""
    halves = values.get("settings")
    if isinstance(halves, dict) and all(isinstance(half, dict) for half in halves.values()):
        return {name: value for half in halves.values() for name, value in half.items()}
    return dict(values)
