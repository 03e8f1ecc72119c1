"""What users may rely on, read from the code: `python tests/public_surface.py` writes it to the golden file.

Names and signatures of `fewaspect`, commands with their arguments and options, paths of the REST API.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "fixtures" / "public_surface.json"


def public_surface() -> dict[str, Any]:
    return {"python": python_names(), "commands": commands(), "rest": rest_paths()}


def python_names() -> dict[str, Any]:
    """Each public name: a constant's value, or a class with the signatures of its public methods and its properties."""
    import fewaspect

    return {name: _members(getattr(fewaspect, name)) for name in sorted(fewaspect.__all__)}


def _members(thing: Any) -> Any:
    if not inspect.isclass(thing):
        return type(thing).__name__
    own = [cls for cls in reversed(thing.__mro__) if cls.__module__.startswith("fewaspect")]
    found = {"": _signature(thing)} if any("__init__" in vars(cls) for cls in own) else {}
    for name, member in (item for cls in own for item in vars(cls).items()):
        if not name.startswith("_"):
            member = getattr(member, "__func__", member)  # of a class method or a static one
            found[name] = _signature(member) if inspect.isroutine(member) and callable(member) else "attribute"
    return found


def _signature(thing: Any) -> str:
    return re.sub(r" at 0x\w+", "", str(inspect.signature(thing)))  # of a default that is a function


def commands() -> dict[str, list[str]]:
    """Each command, "data check" for one of a group, with its arguments and options."""
    from typer.main import get_command

    from fewaspect.cli.app import app

    return dict(_commands(get_command(app), ""))


def _commands(command: Any, name: str) -> Iterator[tuple[str, list[str]]]:
    told = [
        name_of
        for parameter in command.params
        for name_of in (
            [parameter.name.upper()]
            if parameter.param_type_name == "argument"
            else [*parameter.opts, *parameter.secondary_opts]
        )
    ]
    yield name, sorted(told)
    for sub, child in sorted(getattr(command, "commands", {}).items()):
        yield from _commands(child, f"{name} {sub}".strip())


def rest_paths() -> list[str]:
    """ "METHOD /path" of each operation that the API's description has."""
    from tempfile import TemporaryDirectory

    from fewaspect.studio.api.security import LOOPBACK, AccessPolicy
    from fewaspect.studio.studio import Studio
    from fewaspect.studio.web_app import make_app

    with TemporaryDirectory() as folder:
        studio = Studio(f"{folder}/studio.db")
        try:
            paths = make_app(studio, AccessPolicy(LOOPBACK), sample=False).openapi()["paths"]
        finally:
            studio.close()
    return sorted(f"{method.upper()} {path}" for path, methods in paths.items() for method in methods)


def text_of(surface: dict[str, Any]) -> str:
    return json.dumps(surface, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    GOLDEN.write_text(text_of(public_surface()), encoding="utf-8")
    print(f"written: {GOLDEN}")
