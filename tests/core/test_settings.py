"""Settings check themselves, guess what was meant, and hold the paper's numbers under the paper's name."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from fewaspect.core.errors import ConfigError
from fewaspect.core.settings import (
    RECIPES,
    EvaluateSettings,
    LPNPlusSettings,
    LPNSettings,
    Settings,
    TrainSettings,
    build_settings,
    parse_range,
    read_config,
    to_json,
)
from fewaspect.methods import METHODS, complete_settings

METHOD_KINDS = tuple(dict.fromkeys(entry.settings for entry in METHODS.values()))
KINDS: tuple[type[Any], ...] = (*METHOD_KINDS, TrainSettings, EvaluateSettings)
LIMITED = [
    (kind, item.name, side, item.metadata[side])
    for kind in KINDS
    for item in dataclasses.fields(kind)
    for side in ("least", "most")
    if side in item.metadata
]


def in_recipe(recipe: str) -> tuple[LPNSettings, TrainSettings]:
    """The effective settings under a recipe."""
    values = RECIPES[recipe]
    return tuple(
        kind(**{f.name: values[f.name] for f in dataclasses.fields(kind) if f.name in values})
        for kind in (LPNSettings, TrainSettings)
    )


def chosen(settings: Settings, *names: str) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in names}


def test_the_paper_recipe_has_the_papers_hyper_parameters() -> None:
    method, train = in_recipe("paper")
    assert chosen(method, "pooling_hidden", "pooling_heads", "rank") == {
        "pooling_hidden": 256, "pooling_heads": 4, "rank": 100,
    }  # fmt: skip
    assert (method.count_weight, method.contrastive_weight, method.contrastive_temperature) == (0.1, 0.01, 0.1)
    assert (train.learning_rate, train.head_learning_rate) == (1e-5, 1e-5)
    assert train.freeze_layers == -1  # the lower half: 6 of BERT's 12
    assert (train.protocol, train.queries) == ("disjoint", 5)


def test_the_paper_recipe_adds_nothing_to_the_papers_equations() -> None:
    method, _ = in_recipe("paper")
    switches = ("unit_vectors", "contrastive_normalise", "pooling_relu", "attention_scaled", "positives_plus_one")
    assert not any(chosen(method, *switches, "mean_over_classes", "layer_biases").values())
    assert (method.label_share, method.unmasked_length, method.method_dropout, method.count_outputs) == (0, 0, 0, 0)
    assert (method.pooling_start, method.attention_start, method.count_start) == ("random", "random", "random")


def test_the_authors_recipe_has_what_their_code_does() -> None:
    method, train = in_recipe("authors")
    switches = ("contrastive_normalise", "pooling_relu", "attention_scaled", "positives_plus_one", "mean_over_classes")
    assert all(chosen(method, *switches, "layer_biases").values())
    assert method.unmasked_length > 0
    assert (method.pooling_start, train.max_grad_norm) == ("normal", 0.0)
    assert (method.count_outputs, method.method_dropout) == (5, 0.1)
    assert (train.protocol, train.weight_decay, train.warmup) == ("authors", 0.2, 100)
    assert (train.episodes, train.validation_episodes, train.queries) == (2000, 100, 5)
    assert (method.pooling_hidden, method.pooling_heads, method.rank) == (256, 4, 100)
    assert (train.learning_rate, method.count_weight, method.contrastive_weight) == (1e-5, 0.1, 0.01)


def test_the_recommended_recipe_is_the_defaults() -> None:
    assert in_recipe("recommended") == (LPNSettings(), TrainSettings())


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes_name_only_settings_that_exist(recipe: str) -> None:
    known = {f.name for kind in KINDS for f in dataclasses.fields(kind)}
    assert set(RECIPES[recipe]) <= known


def test_a_setting_belongs_to_the_method_or_to_the_training_never_to_both() -> None:
    train = {f.name for f in dataclasses.fields(TrainSettings)}
    for kind in METHOD_KINDS:
        assert not train & {f.name for f in dataclasses.fields(kind)}


def test_a_name_takes_the_same_values_in_every_method() -> None:
    seen: dict[str, Any] = {}
    for kind in METHOD_KINDS:
        for f in dataclasses.fields(kind):
            meaning = (f.type, {limit: value for limit, value in f.metadata.items() if limit != "help"})
            assert seen.setdefault(f.name, meaning) == meaning


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_has_a_help_text(kind: type[Any]) -> None:
    assert all(f.metadata["help"].endswith(".") for f in dataclasses.fields(kind))


@pytest.mark.parametrize(("kind", "name", "side", "limit"), LIMITED)
def test_a_value_beyond_its_limit_is_an_error_and_the_limit_is_not(
    kind: type[Any], name: str, side: str, limit: float
) -> None:
    assert getattr(kind(**{name: limit}), name) == limit
    beyond = limit - 1 if side == "least" else limit + 1
    word = "at least" if side == "least" else "at most"
    with pytest.raises(ConfigError, match=f"^{name}: expected {word} {limit}, found {beyond}"):
        kind(**{name: beyond})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scale", 0.0),  # its logarithm is learned
        ("label_share", 1.0),  # its logit is learned
        ("contrastive_temperature", 0.0),
        ("contrastive_weight", -0.1),
        ("pooling_heads", 0),
        ("rank", 0),
        ("method_dropout", 1.0),
    ],
)
def test_a_value_that_no_method_can_be_built_with_is_an_error(name: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"^{name}: expected at "):
        LPNSettings(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("rank", 2.0, "int"),
        ("rank", "2", "int"),
        ("rank", True, "int"),
        ("rank", None, "int"),
        ("pooling_relu", 1, "bool"),
        ("pooling_relu", "yes", "bool"),
        ("scale", "ten", "float"),
        ("scale", False, "float"),
        ("pooling_start", 3, "str"),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error_that_names_both(name: str, value: Any, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        LPNSettings(**{name: value})
    assert str(caught.value) == f"{name}: expected {expected}, found {value!r}."


def test_a_whole_number_is_a_number() -> None:
    assert LPNSettings(scale=3).scale == 3


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_an_error(value: float) -> None:
    with pytest.raises(ConfigError, match="learning_rate: expected a finite number, found"):
        TrainSettings(learning_rate=value)


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, f.name) for kind in KINDS for f in dataclasses.fields(kind) if "choices" in f.metadata],
)
def test_a_value_that_is_no_choice_is_an_error_that_lists_the_choices(kind: type[Any], name: str) -> None:
    choices = next(f.metadata["choices"] for f in dataclasses.fields(kind) if f.name == name)
    for choice in choices:
        assert getattr(kind(**{name: choice}), name) == choice
    with pytest.raises(ConfigError, match=f'^{name}: expected one of {", ".join(choices)}, found "nonsense"'):
        kind(**{name: "nonsense"})


def test_settings_cannot_be_changed_afterwards() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        LPNSettings().rank = 3  # type: ignore[misc]


def test_an_unknown_setting_is_an_error_that_guesses() -> None:
    with pytest.raises(ConfigError, match=r"^run\.yaml: unknown setting learning_rat\. Did you mean learning_rate\?$"):
        build_settings(TrainSettings, {"learning_rat": 1e-3}, "run.yaml")


def test_an_unknown_setting_like_no_other_is_an_error_that_lists_all() -> None:
    with pytest.raises(ConfigError, match=r"unknown setting zzz\. Known: benchmark, episodes, .*, way\.$"):
        build_settings(EvaluateSettings, {"zzz": 1})


def test_settings_are_built_from_plain_values_and_survive_json() -> None:
    built = build_settings(TrainSettings, {"way": "4-8", "learning_rate": 3e-5})
    assert built == TrainSettings(way="4-8", learning_rate=3e-5)
    assert build_settings(TrainSettings, json.loads(to_json(dataclasses.asdict(built)))) == built


def test_the_names_of_version_0_1_are_read() -> None:
    old = {"seen_share": 0.3, "looks": 3, "word_weight": 0.1, "most_aspects": 4, "across": 0.5, "nameless": 0.2}
    expected = LPNPlusSettings(
        attended_weight=0.3,
        attention_steps=3,
        token_match_weight=0.1,
        max_count=4,
        query_contrast=0.5,
        unnamed_rate=0.2,
    )
    assert build_settings(LPNPlusSettings, old) == expected
    assert complete_settings({"method": "lpn-plus", **old})[1] == expected
    assert set(old) == set(LPNPlusSettings.renamed)


def test_a_setting_under_two_names_is_an_error() -> None:
    with pytest.raises(ConfigError, match="unknown setting looks"):
        build_settings(LPNPlusSettings, {"looks": 3, "attention_steps": 2})


@pytest.mark.parametrize(("text", "value"), [("5", 5), ("4-12", (4, 12)), (" 4 - 12 ", (4, 12)), ("007", 7)])
def test_a_range_is_a_number_or_two(text: str, value: int | tuple[int, int]) -> None:
    assert parse_range("way", text) == value


@pytest.mark.parametrize("text", ["", "-", "-5", "5-", "4-8-12", "five", "4..12", "4.5", "1e3", "\N{SUPERSCRIPT TWO}"])
def test_what_is_no_range_is_an_error_that_shows_one(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_range("way", text)
    assert str(caught.value) == f'way: expected a number like "5" or a range like "4-12", found "{text}".'


BILLION = list(zip("abcdefg", "bcdefgh", strict=True))


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "config.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    ['way: "5"\nlearning_rate: 1e-5\nmethod: lpn\n', '{"way": "5", "learning_rate": 1e-05, "method": "lpn"}'],
)
def test_yaml_and_json_are_read_alike(tmp_path: Path, content: str) -> None:
    assert read_config(written(tmp_path, content)) == {"way": "5", "learning_rate": 1e-5, "method": "lpn"}


def test_what_we_write_is_what_we_read(tmp_path: Path) -> None:
    for settings in (*in_recipe("authors"), EvaluateSettings()):
        values = dataclasses.asdict(settings)
        read = read_config(written(tmp_path, to_json(values)))
        assert read == values
        assert build_settings(type(settings), read) == settings


@pytest.mark.parametrize(("text", "value"), [("1e-5", 1e-5), ("-2E+3", -2000.0), ("1.5e-3", 0.0015), ("1.e2", 100.0)])
def test_numbers_with_an_exponent_are_numbers(tmp_path: Path, text: str, value: float) -> None:
    assert read_config(written(tmp_path, f"x: {text}")) == {"x": value}
    assert read_config(written(tmp_path, f'x: "{text}"')) == {"x": text}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("", "found NoneType"),
        ("- way\n- shot\n", "found list"),
        ("just words", "found str"),
        ("5: 3", "mapping of setting names"),
        ("{", "expected YAML or JSON"),
        ("a: [1\nb: 2", "expected YAML or JSON"),
        (b"\xff\xfe\x00way", "expected YAML or JSON"),
        (b"\x00\x01\x02", "expected YAML or JSON"),
        ("way: 2024-13-45", "expected YAML or JSON"),
        ("x: !!python/object/apply:os.system ['true']", "expected YAML or JSON"),
        ("x: !!bool maybe", "a value that does not fit bool"),
        ('x: !!int ""', "a value that does not fit int"),
        ("x: !!timestamp now", "a value that does not fit timestamp"),
        ("x: &x [*x]", "or for themselves"),
        (
            "a: &a [1, 1]\n" + "".join(f"{n}: &{n} [{', '.join(['*' + b] * 9)}]\n" for b, n in BILLION),
            "more than 1,000",
        ),
        ("[" * 3000, "thousands deep"),
    ],
)
def test_what_is_no_configuration_is_an_error_with_the_file(tmp_path: Path, content: str | bytes, found: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(ConfigError, match=found) as caught:
        read_config(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_missing_configuration_or_a_folder_is_an_error_with_the_reason(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(ConfigError, match=r"cannot be read: (No such file|Is a directory)"):
            read_config(path)


def test_json_has_no_numbers_that_are_none() -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_json({"x": float("nan")})
