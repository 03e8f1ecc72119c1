"""Frozen states are computed once per text, ever, and are what the encoder would compute."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fewaspect.encoders.frozen import FrozenStates
from fewaspect.encoders.transformer import TokenEncoder

Build = Callable[..., TokenEncoder]

TEXTS = ["the food was great", "a slow waiter", "bad !", "the food was great", "our room is very clean"]


@pytest.fixture
def counted(tiny_encoder: Build) -> tuple[TokenEncoder, list[int]]:
    """An encoder, and how many sentences each of its forward passes had."""
    encoder, passes = tiny_encoder(), []
    encoder.frozen.model.register_forward_pre_hook(
        lambda module, args, kwargs: passes.append(len(kwargs["input_ids"])), with_kwargs=True
    )
    return encoder, passes


def direct(encoder: TokenEncoder, texts: list[str]) -> list[np.ndarray]:
    return [encoder.frozen.states([text])[0][0] for text in texts]


def test_states_from_the_cache_are_what_the_encoder_computes(tmp_path: Path, tiny_encoder: Build) -> None:
    encoder = tiny_encoder()
    expected = direct(encoder, TEXTS)
    for _ in range(2):  # computed, then read
        frozen = FrozenStates(encoder, tmp_path)
        handles = frozen.handles(TEXTS)
        packed = frozen.gather(handles)
        assert packed.lengths.tolist() == frozen.lengths(handles).tolist() == [len(e) for e in expected]
        np.testing.assert_allclose(packed.values.numpy(), np.concatenate(expected), rtol=0, atol=1e-5)


def test_the_second_call_computes_nothing(tmp_path: Path, counted: tuple[TokenEncoder, list[int]]) -> None:
    encoder, passes = counted
    frozen = FrozenStates(encoder, tmp_path)
    first = frozen.handles(TEXTS)
    assert sum(passes) == 4  # one text occurs twice
    assert first[0] == first[3]
    passes.clear()
    assert frozen.handles(TEXTS).tolist() == first.tolist()
    again = FrozenStates(encoder, tmp_path)
    again.gather(again.handles(TEXTS))
    assert passes == []
    again.handles([*TEXTS, "cheap pizza"])
    assert passes == [1]


def test_a_used_encoder_finds_what_a_fresh_one_stored(tmp_path: Path, counted: tuple[TokenEncoder, list[int]]) -> None:
    encoder, passes = counted
    FrozenStates(encoder, tmp_path).handles(TEXTS)
    encoder.frozen.states(["something else"])
    passes.clear()
    FrozenStates(encoder, tmp_path).handles(TEXTS)
    assert passes == []


def test_many_texts_are_stored_in_parts(tmp_path: Path, tiny_encoder: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewaspect.encoders.frozen.TEXTS_PER_SEGMENT", 2)
    encoder = tiny_encoder()
    frozen = FrozenStates(encoder, tmp_path)
    handles = frozen.handles(TEXTS)
    assert len(list(tmp_path.glob("*/segment-*"))) == 2
    reversed_states = frozen.gather(handles[::-1].copy()).values.numpy()
    np.testing.assert_allclose(reversed_states, np.concatenate(direct(encoder, TEXTS[::-1])), rtol=0, atol=1e-5)


def test_every_text_is_reported_done_whether_computed_or_found(tmp_path: Path, tiny_encoder: Build) -> None:
    frozen = FrozenStates(tiny_encoder(), tmp_path)
    for texts in (TEXTS[:2], TEXTS, TEXTS):  # all new, some new, none new
        done: list[int] = []
        frozen.handles(texts, done.append)
        assert sum(done) == len(texts)


def test_texts_that_were_cut_are_counted_also_from_the_cache(tmp_path: Path, tiny_encoder: Build) -> None:
    texts = ["food " * 50, "food", "room " * 50]
    for _ in range(2):
        frozen = FrozenStates(tiny_encoder(), tmp_path)
        assert frozen.truncated(frozen.handles(texts)) == 2
        assert frozen.truncated(frozen.handles(texts[1:])) == 1
        assert frozen.truncated(frozen.handles(TEXTS)) == 0


def test_another_cut_or_other_weights_have_states_of_their_own(tmp_path: Path, tiny_encoder: Build) -> None:
    encoders = [tiny_encoder(), tiny_encoder(freeze_layers=1), tiny_encoder(seed=1)]
    found = []
    for encoder in encoders:
        frozen = FrozenStates(encoder, tmp_path)
        found.append(frozen.gather(frozen.handles(TEXTS)).values.numpy())
        np.testing.assert_allclose(found[-1], np.concatenate(direct(encoder, TEXTS)), rtol=0, atol=1e-5)
    assert not np.allclose(found[0], found[1], atol=1e-2)
    assert not np.allclose(found[0], found[2], atol=1e-2)


def test_states_are_kept_under_the_folder_of_the_environment(
    tmp_path: Path, tiny_encoder: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEWASPECT_CACHE", str(tmp_path / "mine"))
    FrozenStates(tiny_encoder()).handles(TEXTS)
    assert len(list((tmp_path / "mine" / "states").glob("*/segment-*"))) == 1
