"""Stored states come back bit for bit; caches are listed and cleared."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fewaspect.encoders import state_cache as module
from fewaspect.encoders.state_cache import (
    MissingStatesError,
    StateCache,
    cache_id,
    clear_cache,
    list_caches,
)
from stored_states import KEY, assert_right, filled, segments, states_of

pytestmark = pytest.mark.filterwarnings("error")


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
        texts = ["long", "short"]
        assert reader.lengths(texts).tolist() == [5, 2]
        assert reader.truncated(texts).tolist() == [True, False]
        assert reader.gather(texts)[0].shape == (7, 3)
        assert [row.shape for row in reader.rows(texts)] == [(5, 3), (2, 3)]


@pytest.mark.parametrize("other", ["cafe", "cafe\u0301", "Café", "café ", "caf\udce9", ""])
def test_texts_that_differ_at_all_are_different_texts(tmp_path: Path, other: str) -> None:
    cache = filled(tmp_path, "café", "caf?", "caf\ufffd", "caf")
    assert cache.missing([other, "café"]) == [other]


def test_missing_texts_are_named_once_and_in_order(tmp_path: Path) -> None:
    cache = filled(tmp_path, "b")
    assert cache.missing(["d", "b", "a", "d", "c"]) == ["d", "a", "c"]
    for ask in (cache.handles, cache.lengths, cache.truncated, cache.rows, cache.gather):
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
