"""The server of the studio: an address, a socket, the browser, and a clean stop."""

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
from fewaspect.studio.api.security import LOOPBACK, AccessPolicy
from fewaspect.studio.connections import most_connections, timed_protocol
from fewaspect.studio.studio import Studio, default_data
from fewaspect.studio.web_app import make_app


def run_studio(
    host: str, port: int | None, default_port: int, token: str | None, data: str | None, browser: bool
) -> None:
    """Serve until interrupted."""
    console = Console(highlight=False)
    access = access_policy(host, token)
    taken = open_socket(host, default_port if port is None else port, any_free=port is None)
    address = address_of(host, taken.getsockname()[1])
    if port is None and taken.getsockname()[1] != default_port:
        console.print(f"Port {default_port} is taken; another is used.")
    studio = Studio(data or str(default_data()))
    app = make_app(studio, access, warm=True)
    most, at_once = most_connections(studio.limits)
    config = uvicorn.Config(
        app, http=timed_protocol(studio.limits, most), backlog=at_once, log_level="warning", proxy_headers=False,
        server_header=False, timeout_graceful_shutdown=3,
    )  # fmt: skip
    server = _AnnouncingServer(config, lambda: _announce(console, address, access, browser))
    with suppress(KeyboardInterrupt):  # which the server raises again once it has stopped
        server.run(sockets=[taken])
    console.print("Stopped; everything is saved.")


def access_policy(host: str, token: str | None) -> AccessPolicy:
    """On a loopback address no token is required; elsewhere one is generated if none is given."""
    if _is_loopback(host):
        return AccessPolicy(LOOPBACK | {host}, token)
    anywhere = host in ("0.0.0.0", "::")
    return AccessPolicy(None if anywhere else LOOPBACK | {host.lower()}, token or secrets.token_urlsafe(24))


def open_socket(host: str, port: int, *, any_free: bool) -> socket.socket:
    """A bound socket; with `any_free`, on another port if this one is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in (port, 0) if any_free else (port,):
        # asyncio sends at once, without the delay of Nagle, only where the protocol is named
        taken = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((host, candidate))
            return taken
        except (OSError, OverflowError) as error:
            taken.close()
            reason = error.strerror if isinstance(error, OSError) else str(error)
    raise ConfigError(f"{host}:{port}: expected a free address to listen on, found: {reason}.")


def address_of(host: str, port: int) -> str:
    """The URL for a browser on this computer."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}/"


class _AnnouncingServer(uvicorn.Server):
    """Announces its address once it accepts connections."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self.announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.announce()


def _announce(console: Console, address: str, access: AccessPolicy, browser: bool) -> None:
    page = f"{address}#token={access.token}" if access.token else address
    console.print(f"fewaspect studio: [bold]{page}[/bold]   (Ctrl-C stops it)", soft_wrap=True)
    if browser:
        threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
