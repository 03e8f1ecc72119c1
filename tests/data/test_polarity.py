"""Files of sentences with the polarity of each aspect."""

from __future__ import annotations

from pathlib import Path

import pytest

from fewaspect.core.errors import DataError
from fewaspect.data.polarity import read_polarities

GOOD = '{"text": "nice room, rude staff", "aspects": [{"name": "room", "polarity": "positive"}, ' \
       '{"name": "staff", "polarity": "negative"}]}\n'  # fmt: skip


def test_sentences_are_read_with_their_polarities(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(GOOD + '{"text": "hello", "aspects": []}\n')
    first, second = read_polarities(tmp_path / "s.jsonl")
    assert first.polarities == {"room": "positive", "staff": "negative"}
    assert first.contrasting
    assert not second.contrasting


@pytest.mark.parametrize(
    "line", ["no json", '{"text": "a"}', '{"text": "a", "aspects": [{"name": "b", "polarity": "good"}]}', "[]"]
)
def test_a_faulty_line_is_named(line: str, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(GOOD + line + "\n")
    with pytest.raises(DataError, match=r"s\.jsonl, line 2: expected .*negative, neutral, positive or mixed"):
        read_polarities(tmp_path / "s.jsonl")
