"""`fewaspect studio`: the page in a browser, on this computer."""

from __future__ import annotations

from typing import Annotated

import typer

PORT = 8765


def studio(
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help=f"Port; without it {PORT}, or a free one if that is taken.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; any but this computer's own needs a token.")] = (
        "127.0.0.1"
    ),
    token: Annotated[
        str | None, typer.Option(envvar="FEWASPECT_TOKEN", help="What clients must send; made if it is needed.")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="FILE|URL", help="SQLite file or postgresql://...; else the user's own."),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Name aspects, correct what is found and watch it improve, on a page in the browser; all offline."""
    from importlib.util import find_spec

    from fewaspect.core.errors import ConfigError

    if missing := [name for name in ("fastapi", "uvicorn", "sqlalchemy", "alembic") if find_spec(name) is None]:
        raise ConfigError(f'studio: needs {missing[0]}, found none. Run: pip install "fewaspect[studio]"')

    from fewaspect.studio.server import run_studio

    run_studio(host, port, PORT, token, data, browser)
