"""A studio from start to end: an address, a server on it, a browser, and a clean stop."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from rich.console import Console

from fewaspect.core.errors import ConfigError
from fewaspect.studio.api.security import LOOPBACK, Access
from fewaspect.studio.app import make_app
from fewaspect.studio.studio import Studio, default_data


def run_studio(host: str, port: int | None, usual: int, token: str | None, data: str | None, browser: bool) -> None:
    """Until it is interrupted."""
    console = Console(highlight=False)
    access = access_for(host, token)
    taken = listen(host, usual if port is None else port, or_any=port is None)
    address = address_of(host, taken.getsockname()[1])
    if port is None and taken.getsockname()[1] != usual:
        console.print(f"Port {usual} is taken; another is used.")
    studio = Studio(data or str(default_data()))
    app = make_app(studio, access, warm=True)
    config = uvicorn.Config(
        app, log_level="warning", proxy_headers=False, server_header=False, timeout_graceful_shutdown=3
    )
    server = _Announced(config, lambda: _announce(console, address, access, browser))
    with suppress(KeyboardInterrupt):  # which the server passes on when it has stopped
        server.run(sockets=[taken])
    console.print("Stopped; everything is kept.")


def access_for(host: str, token: str | None) -> Access:
    """On this computer alone anyone may ask, by its own names; elsewhere only who has the token."""
    if _is_own(host):
        return Access(LOOPBACK | {host}, token)
    anywhere = host in ("0.0.0.0", "::")
    return Access(None if anywhere else LOOPBACK | {host.lower()}, token or secrets.token_urlsafe(24))


def listen(host: str, port: int, *, or_any: bool) -> socket.socket:
    """A socket that takes connections; if the port is taken and another will do, on that."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in (port, 0) if or_any else (port,):
        taken = socket.socket(family, socket.SOCK_STREAM)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((host, candidate))
            return taken
        except (OSError, OverflowError) as error:
            taken.close()
            reason = error.strerror if isinstance(error, OSError) else str(error)
    raise ConfigError(f"{host}:{port}: expected a free address to listen on, found: {reason}.")


def address_of(host: str, port: int) -> str:
    """What a browser on this computer opens."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}/"


class _Announced(uvicorn.Server):
    """Says its address when it is there, not before."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self.announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.announce()


def _announce(console: Console, address: str, access: Access, browser: bool) -> None:
    page = f"{address}#token={access.token}" if access.token else address
    console.print(f"fewaspect studio: [bold]{page}[/bold]   (Ctrl-C stops it)", soft_wrap=True)
    if browser:
        threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()


def _is_own(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
