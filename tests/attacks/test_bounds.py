"""Attacks end in time, and say how far they came."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from attacks import cluster_kills, faults, fuzz, greedy, guided, kills, machines, record, studio_kills

BOUNDED = (cluster_kills, faults, fuzz, greedy, guided, kills, machines, studio_kills)


@pytest.mark.parametrize("attack", BOUNDED, ids=lambda attack: attack.__name__)
def test_every_attack_has_a_bound_on_time(
    attack: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["attack", "--help"])
    with pytest.raises(SystemExit):
        attack.main()
    assert "--seconds" in capsys.readouterr().out


def test_a_line_of_the_table_says_how_far_an_attack_came() -> None:
    line = {"attack": "kills", "count": 27, "wanted": 1050, "broken": 0, "seconds": 900, "again": "x"}
    assert "| kills | 27 of 1,050 | 0 |" in record.table([line])
    assert "| kills | 27 | 0 |" in record.table([{**line, "wanted": 27}])


def test_failing_systems_are_tried_as_long_as_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "try_fault", lambda *of, **how: [])
    every = faults.run_faults("save", 0, 4)
    assert every[0] == every[1] > 4
    assert faults.run_faults("save", 0, 4, seconds=-1) == (0, every[1], [])


def test_walks_end_in_time_and_are_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    walked: list[tuple[int, int]] = []
    for name in ("walk_store", "walk_api"):
        monkeypatch.setattr(machines, name, lambda folder, seed, walks, steps: walked.append((seed, walks)))
    monkeypatch.setattr(sys, "argv", ["machines", "--walks", "25"])
    assert machines.main() == 0
    assert walked == [(0, 10), (10, 10), (20, 5), (0, 5)]
    monkeypatch.setattr(sys, "argv", ["machines", "--walks", "25", "--seconds", "-1"])
    capsys.readouterr()
    assert machines.main() == 0
    assert len(walked) == 4
    assert '"walks": 0, "wanted_walks": 25' in capsys.readouterr().out


def test_a_studio_that_answers_no_more_is_ended_in_time() -> None:
    killed = threading.Event()
    studio: Any = SimpleNamespace(process=SimpleNamespace(kill=killed.set))

    def wait(studio: Any, count: int) -> list[str]:
        assert killed.wait(60)
        raise httpx.ReadError("gone")

    assert greedy.within(0, wait, studio, 1) == ["it took more than 0 s"]
