"""Processes that are killed while they store states, and processes that store at once, leave a whole cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fewaspect.encoders.state_cache import StateCache, list_caches
from stored_states import KEY, assert_right, states_of

pytestmark = pytest.mark.filterwarnings("error")

# What the writing processes run: batches of texts, each with states that follow from it.
WRITER = """
import os, signal, sys
from pathlib import Path
import numpy as np
from fewaspect.encoders import state_cache as module
from stored_states import states_of

def die(*args, **kwargs):
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

cache = module.StateCache(Path(sys.argv[1]), eval(sys.argv[2]))
def add(texts):
    cache.add(texts, [states_of(text) for text in texts])
"""


def start_writer(root: Path, code: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", WRITER + code, str(root), repr(KEY)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


@pytest.mark.parametrize(
    "moment",
    [
        "np.lib.format.write_array_header_1_0 = die",
        "np.save = die",
        "module.write_json = die",
        "os.fsync = die",
        "Path.rename = die",
        "cache._load_segment = die",
    ],
)
def test_a_writer_killed_in_the_middle_leaves_the_cache_readable(tmp_path: Path, moment: str) -> None:
    writer = start_writer(tmp_path, f"add(['whole', 'text'])\n{moment}\nadd(['half', 'done'])")
    _, problems = writer.communicate(timeout=60)
    assert writer.returncode != 0
    assert problems == ""  # it was killed and did not fail
    cache = StateCache(tmp_path, KEY)
    assert_right(cache, ["whole", "text"])
    written = moment == "cache._load_segment = die"
    assert cache.missing(["half", "whole"]) == ([] if written else ["half"])
    assert len(list(cache.folder.glob(".segment-*.part"))) == (0 if written else 1)
    cache.add(["half"], [states_of("half")])
    assert_right(StateCache(tmp_path, KEY), ["half", "whole"])


def test_a_writer_killed_at_any_time_leaves_only_whole_segments(tmp_path: Path) -> None:
    code = "for i in range(10**6):\n add([f'{i} {j}' for j in range(50)])\n print(i, flush=True)"
    writer = start_writer(tmp_path, code)
    assert writer.stdout is not None
    for _ in range(5):
        done = int(writer.stdout.readline())
    writer.kill()
    writer.communicate()
    cache = StateCache(tmp_path, KEY)
    assert_right(cache, [f"{i} {j}" for i in range(done + 1) for j in range(50)])
    assert len(cache) % 50 == 0


def test_several_processes_write_the_same_and_different_texts_at_once(tmp_path: Path) -> None:
    writers = [
        start_writer(
            tmp_path,
            "print('ready', flush=True); input()\n"
            "for i in range(12):\n"
            f" add([f'shared {{i}} {{j}}' for j in range(9)] + [f'own {number} {{i}} {{j}}' for j in range(4)])",
        )
        for number in range(3)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    reader = StateCache(tmp_path, KEY)
    shared = [f"shared {i} {j}" for i in range(12) for j in range(9)]
    own = [f"own {number} {i} {j}" for number in range(3) for i in range(12) for j in range(4)]
    while any(writer.poll() is None for writer in writers):
        absent = set(reader.missing(shared + own))
        assert_right(reader, [text for text in shared + own if text not in absent])
    assert [(writer.communicate()[1], writer.returncode) for writer in writers] == [("", 0)] * 3
    for cache in (reader, StateCache(tmp_path, KEY)):
        assert_right(cache, shared + own)
        assert len(cache) == len(shared) + len(own)
    (info,) = list_caches(tmp_path)
    assert info.sentences == len(shared) + len(own)


def test_the_cache_is_imported_without_torch() -> None:
    writer = start_writer(Path("unused"), "print([name for name in ('torch', 'transformers') if name in sys.modules])")
    assert writer.communicate(timeout=60)[0].strip() == "[]"
