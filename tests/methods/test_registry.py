"""Methods by name."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from fewaspect.core.errors import ConfigError
from fewaspect.core.settings import LPNSettings, MatchingSettings, TrainSettings
from fewaspect.methods import METHODS, build_method, complete_settings, method_entry
from fewaspect.methods.base import Method
from fewaspect.methods.lpn import LPN


@pytest.mark.parametrize("name", METHODS)
def test_every_name_builds_a_method_with_its_own_settings(name: str) -> None:
    settings = METHODS[name].settings()
    method = build_method(name, 8, settings, 5, 3)
    assert isinstance(method, Method)
    assert method.settings is settings
    assert (method.width, method.way, method.shot) == (8, 5, 3)
    assert any(parameter.requires_grad for parameter in method.parameters())


def test_names_lead_to_different_methods_with_different_titles() -> None:
    assert len({entry.class_path for entry in METHODS.values()}) == len(METHODS)
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
    with pytest.raises(ConfigError, match=r'^unknown method "zzz"\. Known: matching, .*, lpn, .*\.$'):
        build_method("zzz", 8, None, 5)


def test_listing_the_methods_does_not_import_torch() -> None:
    code = "import sys; from fewaspect.methods import METHODS; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_methods_stand_in_the_order_of_the_papers_tables() -> None:
    assert [entry.title for entry in METHODS.values()][:8] == [
        "Matching Network", "Prototypical Network", "Relation Network", "Graph Network", "IMP", "Proto-HATT",
        "Proto-AWATT", "LPN (w, w)",
    ]  # fmt: skip


def test_settings_are_the_recipe_then_what_the_method_wants_then_what_is_given() -> None:
    assert complete_settings({}) == (TrainSettings(), LPNSettings())
    assert complete_settings({"method": "graph"})[0].head_learning_rate == 1e-3
    assert complete_settings({"method": "graph", "recipe": "paper"})[0].head_learning_rate == 1e-3
    assert complete_settings({"method": "graph", "head_learning_rate": 0.5})[0].head_learning_rate == 0.5
    assert complete_settings({"method": "matching", "recipe": "paper"})[1] == MatchingSettings(unit_vectors=False)


def test_a_setting_of_another_method_is_an_error_that_says_whose_it_is() -> None:
    with pytest.raises(
        ConfigError, match=r'^flags: rank is no setting of the method "imp", but of lpn, lpn-wo, lpn-oo'
    ):
        complete_settings({"method": "imp", "rank": 3}, "flags")
    with pytest.raises(ConfigError, match=r"imp has: cluster_alpha, cluster_variance, unit_vectors\.$"):
        complete_settings({"method": "imp", "scale": 3.0}, "flags")


def test_an_unknown_setting_is_an_error_that_guesses_among_those_of_the_method() -> None:
    with pytest.raises(ConfigError, match=r"^c\.yaml: unknown setting cluster_alfa\. Did you mean cluster_alpha\?$"):
        complete_settings({"method": "imp", "cluster_alfa": 3}, "c.yaml")


@pytest.mark.parametrize("name", METHODS)
def test_what_a_method_wants_of_training_are_settings_of_training(name: str) -> None:
    TrainSettings(**METHODS[name].training)
