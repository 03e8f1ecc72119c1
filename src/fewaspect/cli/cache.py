"""`fewaspect cache`: list and clear the disk cache of encoder states."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from fewaspect.core.errors import ConfigError

if TYPE_CHECKING:
    from fewaspect.encoders.state_cache import CacheInfo

app = typer.Typer(help="List or clear the encoder states kept on disk.", invoke_without_command=True)

_ID_LENGTH = 8


@app.callback()
def show(context: typer.Context) -> None:
    """List the encoder states kept on disk, with their size."""
    if context.invoked_subcommand is None:
        from fewaspect.encoders.state_cache import list_caches, states_root

        _print_table(list_caches(states_root()), str(states_root()))


@app.command()
def clear(
    encoder: Annotated[str | None, typer.Option(metavar="NAME", help="Only the states of this encoder.")] = None,
    id: Annotated[str | None, typer.Option(metavar="ID", help="Only this cache, by the start of its id.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete stored encoder states, all or some; they are computed again when needed."""
    from fewaspect.encoders.state_cache import clear_cache, list_caches, states_root

    if encoder is not None and id is not None:
        raise ConfigError("expected --encoder or --id, found both. Give one of them.")
    chosen = caches = list_caches(states_root())
    if encoder is not None:
        chosen = _of_encoder(caches, encoder)
    elif id is not None:
        chosen = _by_id(caches, id)
    if not chosen:
        typer.echo(f"Nothing to clear in {states_root()}.")
        return
    what = f"{len(chosen)} of {len(caches)} caches, {decimal(sum(cache.bytes for cache in chosen))}"
    if not yes:
        typer.confirm(f"Delete {what}?", abort=True)
    for cache in chosen:
        clear_cache(cache)
    typer.echo(f"Deleted {what}.")


def _of_encoder(caches: list[CacheInfo], encoder: str) -> list[CacheInfo]:
    chosen = [cache for cache in caches if encoder in cache.encoders]
    if not chosen:
        known = ", ".join(sorted({name for cache in caches for name in cache.encoders})) or "none"
        raise ConfigError(f'--encoder: expected one that has stored states ({known}), found "{encoder}".')
    return chosen


def _by_id(caches: list[CacheInfo], id: str) -> list[CacheInfo]:
    chosen = [cache for cache in caches if id and cache.id.startswith(id)]
    if len(chosen) != 1:
        known = ", ".join(cache.id[:_ID_LENGTH] for cache in caches) or "none"
        raise ConfigError(
            f'--id: expected the beginning of one id ({known}), found "{id}", which begins {len(chosen)}.'
        )
    return chosen


def _print_table(caches: list[CacheInfo], root: str) -> None:
    if not caches:
        typer.echo(f"No encoder states are stored in {root}.")
        return
    sentences = sum(cache.sentences for cache in caches)
    size = sum(cache.bytes for cache in caches)
    table = Table(title="Encoder states on disk", caption=Text(f"in {root}"), show_footer=True)
    table.add_column("id", "total", no_wrap=True)
    table.add_column("encoder", overflow="fold")
    table.add_column("frozen layers", justify="right")
    table.add_column("sentences", f"{sentences:,}", justify="right")
    table.add_column("size", decimal(size), justify="right")
    table.add_column("last used", no_wrap=True)
    for cache in caches:
        used = datetime.fromtimestamp(cache.last_used).strftime("%Y-%m-%d %H:%M")
        layers = str(cache.key.get("freeze_layers", "?"))
        names = Text(", ".join(cache.encoders) or "?")  # a folder's name may hold square brackets
        table.add_row(cache.id[:_ID_LENGTH], names, layers, f"{cache.sentences:,}", decimal(cache.bytes), used)
    Console().print(table)
