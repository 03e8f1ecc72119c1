"""Episodes that are read ahead arrive as if they were not."""

from __future__ import annotations

import threading
import time

import pytest
import torch
from torch import Tensor

from fewaspect.encoders.packed import PackedStates
from fewaspect.methods.few_shot_model import EpisodeTensors
from fewaspect.training.prefetch import episodes_on, prefetched


@pytest.mark.parametrize("count", [0, 1, 2, 3, 9])
def test_everything_comes_in_order(count: int) -> None:
    assert list(prefetched(lambda index: index * index, range(count))) == [i * i for i in range(count)]


def test_loading_goes_on_while_the_last_is_used_but_not_too_far() -> None:
    begun: list[int] = []
    episodes = prefetched(lambda index: begun.append(index) or index, range(100), depth=2)
    assert next(episodes) == 0
    deadline = time.monotonic() + 10
    while len(begun) < 3 and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(0.02)
    assert begun == [0, 1, 2]


def test_an_error_comes_where_its_episode_would() -> None:
    def load(index: int) -> int:
        if index == 3:
            raise OSError("disk gone")
        return index

    episodes = prefetched(load, range(10))
    assert [next(episodes) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(OSError, match="disk gone"):
        next(episodes)


def test_nothing_goes_on_after_an_early_end() -> None:
    episodes = prefetched(lambda index: index, range(100))
    next(episodes)
    episodes.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("prefetch")]


def test_what_goes_to_a_gpu_is_pinned_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no GPU here: pinning and copying are stood in for, and all of an episode must pass through both."""
    pinned: list[Tensor] = []
    moved: list[tuple[str, bool]] = []
    monkeypatch.setattr(Tensor, "pin_memory", lambda tensor: pinned.append(tensor) or tensor)

    def to(tensor: Tensor, device: torch.device, non_blocking: bool) -> Tensor:
        moved.append((device.type, non_blocking))
        return tensor

    monkeypatch.setattr(Tensor, "to", to)
    frozen = PackedStates(torch.ones(3, 2), torch.tensor([2, 1]))
    episode = EpisodeTensors(*(torch.tensor([part]) for part in range(6)))
    [(_, found)] = episodes_on(torch.device("cuda"), lambda index: (frozen, episode), [0])
    assert len(pinned) == 8  # two of the states, six of the episode
    assert moved == [("cuda", True)] * 8
    assert [int(part) for part in vars(found).values()] == list(range(6))
