"""`fewaspect studio` behind a slow line: what is asked and what is answered take 0.3 to 0.8 seconds, never the same."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fewaspect.cli.app import main
from fewaspect.studio import server as running

DELAYS = random.Random(0)  # of one way


class Slow:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def late(message: Message) -> None:
            if message["type"] == "http.response.start":
                await self.wait(scope)
            await send(message)

        await self.wait(scope)
        await self.app(scope, receive, late)

    async def wait(self, scope: Scope) -> None:
        if scope.get("path", "").startswith("/api/"):
            await asyncio.sleep(DELAYS.uniform(0.15, 0.4))


def slow_app(*args: Any, **options: Any) -> ASGIApp:
    return Slow(make_app(*args, **options))


make_app, running.make_app = running.make_app, slow_app  # type: ignore[assignment]

if __name__ == "__main__":
    main()
