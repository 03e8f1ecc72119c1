"""The short form of `make attack`: a few processes killed at random instants."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from attacks.kills import attack
from attacks.studio_kills import Rounds

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")]


@pytest.mark.parametrize("name", ["save", "migration", "import"])
def test_what_was_killed_is_whole_and_done_again_the_same(name: str) -> None:
    killed, done, broken = attack(name, kills=2, seed=1, seconds=60)
    assert killed + done
    assert not broken


@pytest.mark.enable_socket
def test_a_studio_that_was_killed_has_what_it_acknowledged(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, seed=1)
    for number in range(2):
        acknowledged, broken = rounds.kill(number)
        assert not broken
    assert acknowledged
