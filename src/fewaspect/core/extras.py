"""Packages of the optional extras, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from fewaspect.core.errors import ConfigError


def require(module: str, extra: str, what: str) -> ModuleType:
    """The imported module; where its package is absent, a ConfigError that names the extra to install.

    >>> require("json", "tables", "JSON").__name__
    'json'
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ConfigError(
            f'{what} needs {package}, which is not installed. Run: pip install "fewaspect[{extra}]"'
        ) from error
