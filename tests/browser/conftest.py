"""A real browser before a real studio: what a person at the page sees and does."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from page_actions import visit

SHOTS = Path(os.environ.get("FEWASPECT_SHOTS", Path(__file__).parents[2] / "build" / "screenshots"))


class Studio:
    """A `fewaspect studio` of its own, which can be stopped or killed and started again on the same data."""

    def __init__(self, folder: Path, *program: str) -> None:
        self.data, self.program = folder / "studio.db", program or ("-m", "fewaspect")
        self.start()

    def start(self, port: str = "0") -> None:
        command = [sys.executable, *self.program, "studio", "--no-browser", "--port", port, "--data", str(self.data)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"},
        )  # fmt: skip
        assert self.process.stdout
        for line in self.process.stdout:
            if found := re.search(r"http://\S+", line):
                self.address = found.group()
                return
        raise AssertionError("the studio ended without saying its address")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.communicate(timeout=30)

    def start_again(self) -> None:
        """At the address that the page knows."""
        self.start(self.address.rstrip("/").rpartition(":")[2])

    def restart(self, how: signal.Signals = signal.SIGTERM) -> None:
        self.stop(how)
        self.start()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Whatever Chromium the machine has; `make browser` installs one where it can."""
    playwright = pytest.importorskip("playwright.sync_api")
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    path = os.environ.get("FEWASPECT_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("no Chromium on this machine: `make browser` installs one where apt-get can")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def studio(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """The command itself, unless the test names another program that serves one."""
    running = Studio(tmp_path_factory.mktemp("studio"), *getattr(request, "param", ()))
    yield running
    running.stop()


@pytest.fixture
def page(chromium: Any, studio: Studio, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The studio's page, 1280 wide and light unless the test asks for other; an error in its scripts fails the test."""
    asked: dict[str, Any] = getattr(request, "param", {})
    size = {"width": asked.get("width", 1280), "height": asked.get("height", 800)}
    errors: list[str] = []
    page = visit(chromium, viewport=size, color_scheme=asked.get("scheme", "light"), accept_downloads=True)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: (errors.append(f"a dialog said {dialog.message}"), dialog.dismiss()))
    page.goto(studio.address)
    page.get_by_role("feed").or_(page.locator(".reviews")).first.wait_for()
    yield page
    page.context.close()
    assert not errors


@pytest.fixture
def shoot(page: Any) -> Callable[[str], None]:
    """Keep a picture for a person to look at."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    return lambda name: page.screenshot(path=SHOTS / f"{name}.png", animations="disabled")
