"""`fewaspect studio`: the page in a browser, on this computer."""

from __future__ import annotations

from pathlib import Path
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
    rescue: Annotated[
        Path | None,
        typer.Option(metavar="NEW", help="Copy what can be read of damaged data into this new SQLite file, and stop."),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Build a detector on a page in the browser: name aspects, give examples, correct what is found; all offline."""
    from fewaspect.core.extras import require

    for module in ("fastapi", "python_multipart", "sqlalchemy", "alembic", "prometheus_client", "uvicorn"):
        require(module, "studio", "The studio")

    if rescue is not None:
        _rescue(data, rescue)
        return
    from fewaspect.studio.server import run_studio

    run_studio(host, port, PORT, token, data, browser)


def _rescue(data: str | None, new: Path) -> None:
    from fewaspect.studio.store.rescue import rescue
    from fewaspect.studio.studio import default_data

    counts = rescue(Path(data) if data else default_data(), new)
    named = ("projects", "aspects", "examples", "reviews", "sentences")
    typer.echo(f"{new}: {', '.join(f'{counts.get(name, 0):,} {name}' for name in named)}. What was done before cannot "
               f"be undone there. Open it: fewaspect studio --data {new}")  # fmt: skip
