"""Pinned versions are compared with a list of known weaknesses."""

from __future__ import annotations

from attacks.audit import CONSTRAINTS, known_weaknesses, pins


def test_a_pin_within_a_weak_range_is_found_and_others_are_not() -> None:
    pinned = pins("Jinja2==2.11.2\nruamel.yaml[x]==0.17\n# a comment\npyyaml==6.0\n")
    assert pinned == {"jinja2": {"2.11.2"}, "ruamel-yaml": {"0.17"}, "pyyaml": {"6.0"}}
    weak = {"specs": ["<2.11.3"], "cve": "CVE-2020-28493", "advisory": "slow"}
    listed = {"jinja2": [weak], "ruamel_yaml": [{"specs": [">=1"], "id": "x"}], "pyyaml": [{"specs": ["<5.4", ">7"]}]}
    assert known_weaknesses(pinned, listed) == ["jinja2 2.11.2: CVE-2020-28493 slow"]


def _pin(line: str) -> str:
    return line.partition(";")[0].strip().lower()


def test_every_pin_is_read() -> None:
    lines = [line for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines() if "==" in line]
    assert sum(map(len, pins("\n".join(lines)).values())) == len(set(map(_pin, lines))) > 50
