"""Methods by name."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from fewaspect.errors import ConfigError
from fewaspect.methods import METHODS, build_method, method_entry
from fewaspect.methods.base import Method
from fewaspect.methods.lpn import LPN


@pytest.mark.parametrize("name", METHODS)
def test_every_name_builds_a_method_with_its_own_settings(name: str) -> None:
    settings = METHODS[name].settings()
    method = build_method(name, 8, settings, 5)
    assert isinstance(method, Method)
    assert method.settings is settings
    assert (method.width, method.way) == (8, 5)
    assert any(parameter.requires_grad for parameter in method.parameters())


def test_names_lead_to_different_methods_with_different_titles() -> None:
    assert len({entry.place for entry in METHODS.values()}) == len(METHODS)
    assert len({entry.title for entry in METHODS.values()}) == len(METHODS)


@pytest.mark.parametrize(
    ("name", "title", "label_enhanced", "contrastive"),
    [
        ("lpn", "LPN (w, w)", True, True),
        ("lpn-wo", "LPN (w, o)", True, False),
        ("lpn-oo", "LPN (o, o)", False, False),
    ],
)
def test_the_variants_of_lpn_are_the_papers(name: str, title: str, label_enhanced: bool, contrastive: bool) -> None:
    method = build_method(name, 8, METHODS[name].settings(), 5)
    assert METHODS[name].title == title
    assert isinstance(method, LPN)
    assert hasattr(method, "bilinear") is label_enhanced
    assert hasattr(method, "label_attention") is contrastive
    assert hasattr(method, "count_head")


def test_the_same_seed_builds_the_same_method() -> None:
    built = []
    for _ in range(2):
        torch.manual_seed(3)
        built.append(build_method("lpn", 8, METHODS["lpn"].settings(), 5).state_dict())
    assert built[0].keys() == built[1].keys()
    assert all(torch.equal(built[0][name], built[1][name]) for name in built[0])


def test_an_unknown_name_is_an_error_that_guesses() -> None:
    with pytest.raises(ConfigError, match=r'^unknown method "lpn_ww"\. Did you mean "lpn'):
        method_entry("lpn_ww")
    with pytest.raises(ConfigError, match=r'^unknown method "LPN-OO"\. Did you mean "lpn-oo"\?$'):
        method_entry("LPN-OO")


def test_an_unknown_name_like_no_other_is_an_error_that_lists_all() -> None:
    with pytest.raises(ConfigError, match=r'^unknown method "zzz"\. Known: lpn, .*\.$'):
        build_method("zzz", 8, None, 5)


def test_listing_the_methods_does_not_import_torch() -> None:
    code = "import sys; from fewaspect.methods import METHODS; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
