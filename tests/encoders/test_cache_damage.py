"""Damaged states are set aside and computed again; a full disk leaves nothing behind."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fewaspect.core.errors import EncoderError
from fewaspect.encoders import state_cache as module
from fewaspect.encoders.state_cache import DamagedCacheWarning, StateCache
from stored_states import KEY, assert_right, filled, segments, states_of

pytestmark = pytest.mark.filterwarnings("error")


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


def test_states_that_cannot_be_read_back_are_an_error_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = StateCache(tmp_path, KEY)

    def no_descriptors(path: Path) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(module, "_open_segment", no_descriptors)
    with pytest.warns(DamagedCacheWarning), pytest.raises(EncoderError, match="could not read back the encoder states"):
        cache.add(["a"], [states_of("a")])
