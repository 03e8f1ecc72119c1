"""Stored states come back bit for bit, whatever crashes, writes at the same time or is damaged."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fewaspect.encoders import cache as module
from fewaspect.encoders.cache import (
    DamagedCacheWarning,
    MissingStatesError,
    StateCache,
    cache_id,
    clear_cache,
    list_caches,
)
from fewaspect.errors import EncoderError

pytestmark = pytest.mark.filterwarnings("error")

KEY: dict[str, str | int] = {"weights": "ab" * 32, "freeze_layers": 3, "tokeniser": "cd" * 32, "max_length": 256}

# What the writers of the tests with several processes run: batches of texts, each with states that follow from it.
WRITER = """
import os, signal, sys, zlib
from pathlib import Path
import numpy as np
from fewaspect.encoders import cache as module

def states_of(text):
    return np.full((len(text) % 5 + 1, 4), zlib.crc32(text.encode()) % 9973, dtype=np.float32)

def die(*args, **kwargs):
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

cache = module.StateCache(Path(sys.argv[1]), eval(sys.argv[2]))
def add(texts):
    cache.add(texts, [states_of(text) for text in texts])
"""


def states_of(text: str) -> np.ndarray:
    return np.full((len(text) % 5 + 1, 4), zlib.crc32(text.encode()) % 9973, dtype=np.float32)


def start_writer(root: Path, code: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", WRITER + code, str(root), repr(KEY)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def filled(root: Path, *texts: str) -> StateCache:
    cache = StateCache(root, KEY)
    cache.add(texts, [states_of(text) for text in texts])
    return cache


def assert_right(cache: StateCache, texts: list[str]) -> None:
    for text, row in zip(texts, cache.rows(texts), strict=True):
        np.testing.assert_array_equal(row, states_of(text))


def segments(cache: StateCache) -> list[Path]:
    return sorted(cache.folder.glob("segment-*"))


texts_of_all_kinds = st.text(st.characters(exclude_categories=()), max_size=8)  # lone surrogates included
batches = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.dictionaries(
            texts_of_all_kinds,
            st.integers(0, 6).flatmap(lambda length: arrays(np.float32, (length, width))),
            min_size=1,
            max_size=5,
        ),
        min_size=1,
        max_size=4,
    )
)


@settings(max_examples=40, deadline=None)
@given(batches=batches, data=st.data())
def test_any_ragged_states_come_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, batches: list[dict[str, np.ndarray]], data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("root")
    writer = StateCache(root, KEY)
    expected: dict[str, np.ndarray] = {}
    for batch in batches:
        assert writer.missing(list(batch)) == [text for text in batch if text not in expected]
        writer.add(list(batch), list(batch.values()))
        expected = {**batch, **expected}
    wanted = data.draw(st.lists(st.sampled_from(sorted(expected)), max_size=8))
    for cache in (writer, StateCache(root, KEY)):
        assert len(cache) == len(expected)
        assert cache.missing(list(expected)) == []
        assert [row.tobytes() for row in cache.rows(wanted)] == [expected[text].tobytes() for text in wanted]
        for asked in (wanted, cache.handles(wanted)):
            packed, lengths = cache.gather(asked)
            assert lengths.tolist() == [len(expected[text]) for text in wanted]
            assert packed.tobytes() == b"".join(expected[text].tobytes() for text in wanted)
            assert packed.dtype == np.float32
    shutil.rmtree(root)


def test_truncation_and_lengths_are_kept(tmp_path: Path) -> None:
    cache = StateCache(tmp_path, KEY)
    cache.add(["short", "long", "short"], [np.ones((2, 3)), np.ones((5, 3)), np.zeros((1, 3))], [False, True, True])
    for reader in (cache, StateCache(tmp_path, KEY)):
        found = reader.lookup(["long", "short"])
        assert found.lengths.tolist() == [5, 2]
        assert found.truncated.tolist() == [True, False]
        assert found.gather()[0].shape == (7, 3)
        assert [row.shape for row in found.rows()] == [(5, 3), (2, 3)]


@pytest.mark.parametrize("other", ["cafe", "cafe\u0301", "Café", "café ", "caf\udce9", ""])
def test_texts_that_differ_at_all_are_different_texts(tmp_path: Path, other: str) -> None:
    cache = filled(tmp_path, "café", "caf?", "caf\ufffd", "caf")
    assert cache.missing([other, "café"]) == [other]


def test_missing_texts_are_named_once_and_in_order(tmp_path: Path) -> None:
    cache = filled(tmp_path, "b")
    assert cache.missing(["d", "b", "a", "d", "c"]) == ["d", "a", "c"]
    for ask in (cache.handles, cache.lookup, cache.rows, cache.gather):
        with pytest.raises(MissingStatesError, match="no states stored for 2 texts, the first: 'z'"):
            ask(["b", "z", "y", "z"])


def test_a_text_stored_twice_keeps_its_first_states_and_takes_no_more_room(tmp_path: Path) -> None:
    cache = filled(tmp_path, "a")
    cache.add(["a"], [np.zeros((9, 4))])
    assert_right(cache, ["a"])
    assert len(segments(cache)) == 1


def test_adding_nothing_writes_nothing(tmp_path: Path) -> None:
    StateCache(tmp_path, KEY).add([], [])
    assert list(tmp_path.iterdir()) == []


def test_states_that_do_not_fit_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    cache = filled(tmp_path, "a")
    before = sorted(cache.folder.rglob("*"))
    with pytest.raises(ValueError, match=r"expected states of shape \(tokens, 4\), found \(2, 5\)"):
        cache.add(["b"], [np.ones((2, 5))])
    with pytest.raises(ValueError, match=r"found \(4,\)"):
        cache.add(["b"], [np.ones(4)])
    with pytest.raises(ValueError, match="2 texts, 1 states"):
        cache.add(["b", "c"], [np.ones((2, 4))])
    assert sorted(cache.folder.rglob("*")) == before


@pytest.mark.parametrize("part", list(KEY))
def test_another_value_of_any_part_of_the_key_is_another_cache(tmp_path: Path, part: str) -> None:
    filled(tmp_path, "a")
    other = {**KEY, part: f"{KEY[part]}"[:-1] + "9"}
    assert StateCache(tmp_path, other).missing(["a"]) == ["a"]
    assert cache_id({**KEY, "more": 1}) != cache_id(KEY) != cache_id({k: v for k, v in KEY.items() if k != part})


def test_the_order_of_the_key_does_not_matter_and_its_name_is_no_part_of_it(tmp_path: Path) -> None:
    filled(tmp_path, "a")
    backwards = StateCache(tmp_path, dict(reversed(KEY.items())), encoder="minilm")
    assert backwards.missing(["a"]) == []
    assert json.loads((backwards.folder / "key.json").read_bytes())["key"] == KEY


def test_states_are_read_only_and_gathered_states_are_a_copy(tmp_path: Path) -> None:
    cache = filled(tmp_path, "a")
    with pytest.raises(ValueError, match="read-only"):
        cache.rows(["a"])[0][0] = 5
    cache.gather(["a"])[0][:] = 5
    assert_right(cache, ["a"])


def test_looking_up_stored_texts_opens_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = filled(tmp_path, "a", "b")
    cache.add(["c"], [states_of("c")])
    shutil.rmtree(tmp_path) if os.name == "posix" else None
    monkeypatch.setattr(np, "load", None)
    monkeypatch.setattr(StateCache, "refresh", None)
    handles = cache.handles(["c", "a"])
    np.testing.assert_array_equal(cache.gather(handles)[0], np.concatenate([states_of("c"), states_of("a")]))
    assert_right(cache, ["b", "c"])


def test_handles_stay_valid_when_more_is_stored(tmp_path: Path) -> None:
    cache = filled(tmp_path, "a", "b")
    handles = cache.handles(["b", "a"])
    filled(tmp_path, "0", "1", "2")
    cache.add(["c"], [states_of("c")])
    assert cache.missing(["0"]) == []
    np.testing.assert_array_equal(cache.gather(handles)[0], cache.gather(["b", "a"])[0])


def test_what_another_object_stores_is_found(tmp_path: Path) -> None:
    early = StateCache(tmp_path, KEY)
    filled(tmp_path, "a")
    assert_right(early, ["a"])
    filled(tmp_path, "b")
    assert early.missing(["b", "c"]) == ["c"]


@pytest.mark.parametrize(
    "moment",
    [
        "np.lib.format.write_array_header_1_0 = die",
        "np.save = die",
        "module.write_json = die",
        "os.fsync = die",
        "Path.rename = die",
        "cache._take_in = die",
    ],
)
def test_a_writer_killed_in_the_middle_leaves_the_cache_readable(tmp_path: Path, moment: str) -> None:
    writer = start_writer(tmp_path, f"add(['whole', 'text'])\n{moment}\nadd(['half', 'done'])")
    _, problems = writer.communicate(timeout=60)
    assert writer.returncode != 0
    assert problems == ""  # it was killed and did not fail
    cache = StateCache(tmp_path, KEY)
    assert_right(cache, ["whole", "text"])
    written = moment == "cache._take_in = die"
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


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def pickled(path: Path) -> None:
    np.save(path, np.array([print, None], dtype=object), allow_pickle=True)


def last_byte_changed(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def other_shape(path: Path) -> None:
    np.save(path, np.zeros((2, 3), dtype=np.float32))


def header_destroyed(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:10] + b"{(" * 30 + content[70:])


@pytest.mark.parametrize("array", ["states", "offsets", "keys", "truncated"])
@pytest.mark.parametrize(
    "damage", [cut_short, Path.unlink, pickled, other_shape, header_destroyed, lambda path: path.write_bytes(b"")]
)
def test_a_damaged_array_is_set_aside_and_computed_again(
    tmp_path: Path, array: str, damage: Callable[[Path], None]
) -> None:
    check_damage(tmp_path, f"{array}.npy", damage)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("offsets.npy", last_byte_changed),
        ("keys.npy", last_byte_changed),
        ("truncated.npy", last_byte_changed),
        ("manifest.json", cut_short),
        ("manifest.json", Path.unlink),
        ("manifest.json", lambda path: path.write_text(path.read_text().replace('"version": 1', '"version": 2'))),
    ],
)
def test_a_changed_index_is_set_aside_and_computed_again(
    tmp_path: Path, name: str, damage: Callable[[Path], None]
) -> None:
    check_damage(tmp_path, name, damage)


def check_damage(root: Path, name: str, damage: Callable[[Path], None]) -> None:
    good = filled(root, "good")
    (intact,) = segments(good)
    good.add(["bad", "worse"], [states_of("bad"), states_of("worse")])
    (hurt,) = set(segments(good)) - {intact}
    damage(hurt / name)
    with pytest.warns(DamagedCacheWarning, match=hurt.name):
        cache = StateCache(root, KEY)
    assert segments(cache) == [intact]
    assert (cache.folder / f"damaged-{hurt.name}").is_dir()
    assert cache.missing(["bad", "good", "worse"]) == ["bad", "worse"]
    cache.add(["bad", "worse"], [states_of("bad"), states_of("worse")])
    for reader in (cache, StateCache(root, KEY)):  # no second warning: warnings are errors here
        assert_right(reader, ["bad", "good", "worse"])


def test_a_segment_of_another_width_is_set_aside(tmp_path: Path) -> None:
    early = StateCache(tmp_path, KEY)
    filled(tmp_path, "a")
    early.add(["b"], [np.ones((2, 7))])
    with pytest.warns(DamagedCacheWarning, match="width"):
        late = StateCache(tmp_path, KEY)
    assert len(late) == 1


def test_a_segment_that_cannot_be_read_now_is_kept_for_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path, "a")

    def busy(path: Path) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(module, "_open_segment", busy)
        with pytest.warns(DamagedCacheWarning, match="Too many open files"):
            cache = StateCache(tmp_path, KEY)
        assert cache.missing(["a"]) == ["a"]
    assert StateCache(tmp_path, KEY).missing(["a"]) == []


def test_remains_of_crashes_are_swept_after_a_day(tmp_path: Path) -> None:
    cache = filled(tmp_path, "a")
    names = [".segment-1.0.part", ".segment-2.0.part", "damaged-segment-3", "damaged-segment-4"]
    for name in names:
        (cache.folder / name).mkdir()
        (cache.folder / name / "states.npy").write_bytes(b"half")
    (cache.folder / ".key.json.0.part").write_bytes(b"half")
    yesterday = time.time() - 25 * 3600
    for name in (names[0], names[2], ".key.json.0.part"):
        os.utime(cache.folder / name, (yesterday, yesterday))
    assert_right(StateCache(tmp_path, KEY), ["a"])
    left = {path.name for path in cache.folder.iterdir()} - {path.name for path in segments(cache)}
    assert left == {"key.json", names[1], names[3]}


def test_a_full_disk_is_an_error_that_says_what_to_do_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = filled(tmp_path, "a")
    before = sorted(cache.folder.iterdir())

    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(EncoderError, match=r"No space left on device.*fewaspect cache clear.*FEWASPECT_CACHE"):
        cache.add(["b"], [states_of("b")])
    assert sorted(cache.folder.iterdir()) == before


def test_caches_are_listed_with_key_size_sentences_and_last_use(tmp_path: Path) -> None:
    assert list_caches(tmp_path / "absent") == []
    cache = filled(tmp_path, "a", "b")
    other = StateCache(tmp_path, {**KEY, "freeze_layers": 6}, encoder="minilm")
    other.add(["a"], [np.ones((1000, 4))])
    StateCache(tmp_path, {**KEY, "freeze_layers": 6}, encoder="copy of minilm")
    for path in cache.folder.rglob("*"):
        os.utime(path, (1000, 1000))
    (tmp_path / "something else").mkdir()
    first, second = list_caches(tmp_path)
    assert (first.encoders, first.key["freeze_layers"], first.sentences) == (("copy of minilm", "minilm"), 6, 1)
    assert (second.id, second.encoders, second.key, second.sentences) == (cache_id(KEY), (), KEY, 2)
    assert second.last_used == 1000
    assert first.bytes == sum(path.stat().st_size for path in other.folder.rglob("*") if path.is_file()) > 16_000
    StateCache(tmp_path, KEY)
    assert list_caches(tmp_path)[0].id == cache_id(KEY)


def test_clearing_removes_one_cache_and_nothing_else(tmp_path: Path) -> None:
    filled(tmp_path, "a")
    other = StateCache(tmp_path, {**KEY, "freeze_layers": 6})
    other.add(["a"], [states_of("a")])
    (chosen,) = [info for info in list_caches(tmp_path) if info.id == cache_id(KEY)]
    clear_cache(chosen)
    clear_cache(chosen)  # gone already: no error
    assert list(tmp_path.iterdir()) == [other.folder]
    assert StateCache(tmp_path, KEY).missing(["a"]) == ["a"]


@pytest.mark.skipif(os.name != "posix", reason="only here can files in use be deleted")
def test_a_run_goes_on_when_its_cache_is_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = filled(tmp_path, "a")
    real = module.write_json

    def clear_before_the_first_manifest(path: Path, content: dict[str, object]) -> None:
        if path.name == "manifest.json":
            monkeypatch.setattr(module, "write_json", real)
            clear_cache(list_caches(tmp_path)[0])
            return
        real(path, content)

    monkeypatch.setattr(module, "write_json", clear_before_the_first_manifest)
    cache.add(["b"], [states_of("b")])
    assert_right(cache, ["a", "b"])
    assert_right(StateCache(tmp_path, KEY), ["b"])
    assert list_caches(tmp_path)[0].key == KEY


def test_the_cache_is_imported_without_torch() -> None:
    writer = start_writer(Path("unused"), "print([name for name in ('torch', 'transformers') if name in sys.modules])")
    assert writer.communicate(timeout=60)[0].strip() == "[]"
