"""Whatever ends a command, there is one message, no traceback and nothing half written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

WAITING = """
import sys, time
from fewaspect.cli import app as cli
from fewaspect.core.files import atomic_folder, atomic_write

@cli.app.command()
def wait(folder: str) -> None:
    with atomic_write(f"{folder}/out") as file, atomic_folder(f"{folder}/model"):
        print("ready", flush=True)
        time.sleep(60)

cli.main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_command_that_is_stopped_leaves_nothing_half_written(tmp_path: Path, how: str) -> None:
    command = [sys.executable, "-c", WAITING, "wait", str(tmp_path)]
    number = signal.Signals[how]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # else ignored, if these tests run under nohup
    )  # fmt: skip
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    running.send_signal(number)
    _, errors = running.communicate(timeout=30)
    assert list(tmp_path.iterdir()) == []
    assert "Traceback" not in errors
    assert running.returncode == (130 if how == "SIGINT" else -number), "who started it sees what stopped it"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    python = f'"{sys.executable}" -m fewaspect'
    return subprocess.run(
        ["bash", "-c", command.replace("fewaspect", python)], capture_output=True, text=True, timeout=60
    )


@pytest.mark.skipif(os.name != "posix", reason="limits are POSIX")
def test_a_full_disk_is_one_message(tmp_path: Path) -> None:
    """As a limit on the size of files makes it: nothing can be written, not even what was held back for the end."""
    done = shell(f"ulimit -f 0; fewaspect methods > {tmp_path}/out")
    assert done.returncode == 2
    assert done.stderr.startswith("error: the output cannot be written: File too large.")
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="closed by a shell")
@pytest.mark.parametrize(
    ("ends", "says"), [("<&-", "standard input: expected reviews, found it closed"), (">&-", "standard output")]
)
def test_a_closed_pipe_is_one_message(tmp_path: Path, ends: str, says: str) -> None:
    (examples := tmp_path / "e.json").write_text('{"food": ["cold soup"]}')
    done = shell(f"echo soup | {{ fewaspect detect - --examples {examples} {ends}; }}")
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
