"""`fewaspect studio`: the page in a browser, on this computer."""

from __future__ import annotations

from typing import Annotated

import typer

PORT = 8765


def studio(
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help=f"Port; without it {PORT}, or a free one if that is taken.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; a token is required on all but loopback.")] = (
        "127.0.0.1"
    ),
    token: Annotated[
        str | None, typer.Option(envvar="FEWASPECT_TOKEN", help="Token of the clients; generated if required.")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="FILE|URL", help="SQLite file or postgresql://...; by default in the user's data folder."),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Build a detector on a page in the browser: name aspects, give examples, correct what is found; all offline."""
    from fewaspect.core.extras import require

    for module in ("fastapi", "python_multipart", "sqlalchemy", "alembic", "prometheus_client", "uvicorn"):
        require(module, "studio", "The studio")

    from fewaspect.studio.server import run_studio

    run_studio(host, port, PORT, token, data, browser)
