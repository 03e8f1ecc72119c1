"""When two texts are the same."""

from __future__ import annotations

import pytest

from fewaspect.text.identity import example_identity, text_identity


def test_case_and_spacing_do_not_count() -> None:
    assert text_identity(" The\tSOUP \n was cold ") == text_identity("the soup was cold")
    assert text_identity("the cafe") != text_identity("the café")


@pytest.mark.parametrize("other", ["the cafe\u0301", "\ufeffthe café", "the\u200b ca\u00adfé", "the café\x00"])
def test_examples_that_look_the_same_are_the_same(other: str) -> None:
    assert example_identity(other) == example_identity("The  café") != example_identity("the cafe")
    assert text_identity(other) != text_identity("the café")
