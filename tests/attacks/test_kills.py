"""The short form of `make attack`: a few processes killed at random instants."""

from __future__ import annotations

import os

import pytest
from attacks.kills import attack


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("name", ["save", "migration", "import", "bulk"])
def test_what_was_killed_is_whole_and_done_again_the_same(name: str) -> None:
    killed, done, broken = attack(name, kills=2, seed=1, seconds=20)
    assert killed + done
    assert not broken
