"""Settings as dataclasses that check themselves; the command line's flags and the run files derive from them."""

from __future__ import annotations

import dataclasses
import difflib
import json
import math
import re
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

from fewaspect.core.errors import ConfigError

S = TypeVar("S", bound="Settings")
_MOST_BITS = 63


def option(default: Any, help: str, **limits: Any) -> Any:
    """A field with its help text and its limits (`least`, `most`, `choices`, `range`)."""
    return field(default=default, metadata={"help": help, **limits})


class Settings:
    """Base class: types and limits of the fields are checked on construction."""

    renamed: ClassVar[Mapping[str, str]] = {}  # names that version 0.1 wrote, and what they are called now

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for item in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, item.name)
            _check_type(item.name, value, hints[item.name])
            _check_limits(item.name, value, item.metadata)


class MethodSettings(Settings):
    """Base class of the hyper-parameters of a method; `family` is the title of its flags on the command line."""

    family: ClassVar[str]


@dataclass(frozen=True)
class VectorSettings(MethodSettings):
    """Hyper-parameters that all methods of the paper share."""

    family: ClassVar[str] = "Every method of the paper"
    unit_vectors: bool = option(True, "Compare unit vectors, at a learned scale.")


@dataclass(frozen=True)
class ScaledSettings(VectorSettings):
    """Hyper-parameters of methods that compare by distance or cosine; all that the Prototypical Network has."""

    family: ClassVar[str] = "Methods that compare by distance"
    scale: float = option(10.0, "Start of the learned scale of the distances.", least=1e-6)


@dataclass(frozen=True)
class MatchingSettings(ScaledSettings):
    """Hyper-parameters of the Matching Network."""

    family: ClassVar[str] = "Matching Network"
    full_context: bool = option(False, "Full context embeddings: support and query read the whole support.")
    context_steps: int = option(2, "Steps of the query's attention over the support.", least=1)


@dataclass(frozen=True)
class RelationSettings(ScaledSettings):
    """Hyper-parameters of the Relation Network."""

    family: ClassVar[str] = "Relation Network"
    relation_start: str = option("distance", "Where the relation starts.", choices=("distance", "random"))


@dataclass(frozen=True)
class GraphSettings(VectorSettings):
    """Hyper-parameters of the Graph Network."""

    family: ClassVar[str] = "Graph Network"
    graph_width: int = option(96, "Width F of the adjacency's network; a layer adds half of it to a node.", least=2)
    graph_start: str = option("distance", "Where the graph's edges start.", choices=("distance", "random"))


@dataclass(frozen=True)
class IMPSettings(VectorSettings):
    """Hyper-parameters of the infinite mixture prototypes."""

    family: ClassVar[str] = "IMP"
    cluster_alpha: float = option(0.1, "alpha: the smaller, the farther a shot that opens a cluster.", least=1e-12)
    cluster_variance: float = option(0.05, "Start of the learned variance sigma of a cluster.", least=1e-9)


@dataclass(frozen=True)
class HATTSettings(ScaledSettings):
    """Hyper-parameters of Proto-HATT."""

    family: ClassVar[str] = "Proto-HATT"
    feature_dropout: float = option(0.5, "Dropout in the feature attention.", least=0.0, most=0.9)


@dataclass(frozen=True)
class AWATTSettings(ScaledSettings):
    """Hyper-parameters of Proto-AWATT."""

    family: ClassVar[str] = "Proto-AWATT"
    attention_scale: float = option(15.0, "Start of the learned scale of both attentions (unit vectors).", least=1e-6)
    policy_episodes: int = option(200, "Episodes that the threshold policy learns from; 0: no policy.", least=0)
    policy_passes: int = option(5, "Passes of the threshold policy over them.", least=1)
    policy_learning_rate: float = option(3e-3, "Learning rate of the threshold policy.", least=0.0)


@dataclass(frozen=True)
class LPNSettings(ScaledSettings):
    """Hyper-parameters of the label-enhanced prototypical network. Defaults: the recommended recipe."""

    family: ClassVar[str] = "LPN"
    pooling_hidden: int = option(256, "Width d' of the pooling's hidden layer.", least=1)
    pooling_heads: int = option(4, "Number R of pooling heads.", least=1)
    pooling_start: str = option(
        "mean", "Where the pooling starts; normal: random, F2 from a unit normal (authors' code).",
        choices=("mean", "random", "normal"),
    )  # fmt: skip
    pooling_relu: bool = option(False, "A ReLU between the heads and F3 (authors' code).")
    layer_biases: bool = option(False, "Biases in F1 and F3, U and V (authors' code).")
    unmasked_length: int = option(
        0, "Pad to this length and let padding take weight (authors' code); 0: mask.", least=0
    )
    rank: int = option(100, "Rank k of the bilinear shot weights.", least=1)
    label_share: float = option(
        0.27, "Start of the learned share of the label text in a prototype; 0: none.", least=0.0, most=0.99
    )
    attention_start: str = option("blend", "Where the label attention starts.", choices=("blend", "random"))
    attention_scaled: bool = option(False, "Divide the label attention by sqrt(d) (authors' code).")
    contrastive_weight: float = option(0.01, "gamma, weight of the contrastive loss.", least=0.0)
    contrastive_temperature: float = option(0.1, "tau of the contrastive loss.", least=1e-6)
    contrastive_normalise: bool = option(True, "Unit vectors in the contrastive loss.")
    positives_plus_one: bool = option(False, "Divide an anchor's loss by positives + 1 (authors' code).")
    mean_over_classes: bool = option(False, "Average the class loss over classes too (authors' code).")
    count_weight: float = option(0.1, "lambda, weight of the count loss.", least=0.0)
    count_outputs: int = option(0, "Largest count the count head knows; 0: the N of training.", least=0)
    count_start: str = option("even", "Where the count head starts.", choices=("even", "random"))
    method_dropout: float = option(
        0.0, "Dropout in the bilinear form and of the label-specific embeddings.", least=0.0, most=0.9
    )


@dataclass(frozen=True)
class LPNPlusSettings(MethodSettings):
    """Hyper-parameters of LPN+."""

    family: ClassVar[str] = "LPN+"
    scale: float = option(20.0, "Start of the learned scale of the scores.", least=1e-6)
    attention_scale: float = option(20.0, "Start of the learned scale of the aspect's attention.", least=1e-6)
    attended_weight: float = option(
        0.5, "Start of the learned weight of the attended sentence beside the whole one.", least=0.01, most=0.99
    )
    label_share_one: float = option(0.4, "Start of the label text's share with one shot.", least=0.01, most=0.99)
    label_share_five: float = option(0.27, "Start of the label text's share with five shots.", least=0.01, most=0.99)
    attention_steps: int = option(
        2, "Attention steps: with the prototype, then with what the last one attended to.", least=1
    )
    ridge_weight: float = option(1.2, "Weight of the ridge regression beside the cosines.", least=0.0)
    ridge_strength: float = option(0.5, "Regularisation strength of the ridge regression.", least=1e-6)
    token_match_weight: float = option(0.6, "Weight of the best token that the aspect has and no other.", least=0.0)
    count_hidden: int = option(32, "Width of the count's hidden layer.", least=1)
    max_count: int = option(6, "Largest count.", least=1)
    query_contrast: float = option(
        0.0, "Weight of the class loss over queries: an aspect's sentences against all others.", least=0.0
    )
    unnamed_rate: float = option(0.0, "Share of aspects whose label text is hidden in training.", least=0.0, most=0.95)
    centred: bool = option(False, "Subtract from token states their mean over the examples.")
    head_weight: float = option(0.0, "Weight of a linear classifier of whole sentences (detector).", least=0.0)
    neighbour_weight: float = option(0.0, "Weight of the scores of the nearest sentences (detector).", least=0.0)
    lower_head: bool = option(False, "A linear classifier of the states of a lower layer, too (detector).")
    renamed: ClassVar[Mapping[str, str]] = {
        "seen_share": "attended_weight",
        "looks": "attention_steps",
        "word_weight": "token_match_weight",
        "most_aspects": "max_count",
        "across": "query_contrast",
        "nameless": "unnamed_rate",
    }


@dataclass(frozen=True)
class TrainSettings(Settings):
    """Settings of a training run. Defaults: the recommended recipe."""

    benchmark: str = option("fewasp-single", "Named benchmark: fewasp-single, fewasp-multi, fewasp or sample.")
    train: str = option("", "Training file(s) instead of the benchmark's own, separated by commas.")
    corpus: str = option("", "Folder of label sets with a manifest: each episode is drawn from one of them.")
    corpus_without: str = option("", "Label sets, or kinds of them, to leave out, separated by commas.")
    train_share: float = option(0.12, "With a corpus: share of episodes from --train, if given.", least=0.0, most=1.0)
    aspect_weight: float = option(1.0, "With a corpus: factor on the chance of sets of review aspects.", least=0.0)
    method: str = option("lpn", "Method by name; `fewaspect methods` lists them.")
    recipe: str = option("recommended", "Set of defaults.", choices=("recommended", "paper", "authors"))
    encoder: str = option("minilm", "Encoder: minilm (embedded), a local folder, or a Hugging Face id.")
    freeze_layers: int = option(-1, "Number of frozen layers; -1: the lower half.", least=-1)
    encoder_dropout: float = option(
        0.0, "Dropout in the trainable layers; -1: the encoder's own.", least=-1.0, most=0.9
    )
    way: str = option("5", 'Classes per episode, N: a number, or a range like "4-12".', range=True)
    shot: str = option("5", 'Support sentences per class, K: a number, or a range like "1-10".', range=True)
    queries: int = option(5, "Queries per class.", least=1)
    none_rate: float = option(0.0, "Share of queries that carry none of the episode's aspects.", least=0.0, most=0.95)
    protocol: str = option("disjoint", "How episodes are drawn.", choices=("disjoint", "authors"))
    joined: float = option(0.3, "Sentences made by joining two, as a share of the training sentences.", least=0.0)
    episodes: int = option(600, "Training episodes in all.", least=1)
    episodes_per_step: int = option(1, "Episodes per optimiser step.", least=1)
    learning_rate: float = option(1e-5, "Learning rate of the encoder.", least=0.0)
    head_learning_rate: float = option(1e-5, "Learning rate of the method's own parameters.", least=0.0)
    weight_decay: float = option(0.01, "AdamW weight decay.", least=0.0)
    warmup: int = option(50, "Warm-up steps before the linear decay.", least=0)
    max_grad_norm: float = option(1.0, "Gradients are clipped to this norm; 0: never.", least=0.0)
    validation_episodes: int = option(100, "Fixed episodes per validation.", least=1)
    validate_every: int = option(200, "Steps between validations.", least=1)
    validation_metric: str = option(
        "f1", "Metric that chooses the best checkpoint.", choices=("f1", "auc", "oracle_count_f1")
    )
    patience: int = option(0, "Validations without improvement before stopping early; 0: never.", least=0)
    seed: int = option(0, "Seed of everything random.", least=0, most=2**32 - 1)
    precision: str = option(
        "float32", "Number format of the trained layers; bf16 is for GPUs.", choices=("float32", "bf16")
    )
    compile: bool = option(False, "Compile the trained layers first (torch.compile): takes a minute, for GPUs.")


@dataclass(frozen=True)
class EvaluateSettings(Settings):
    """Settings of an evaluation."""

    benchmark: str = option("fewasp-single", "Named benchmark: fewasp-single, fewasp-multi, fewasp or sample.")
    split: str = option("test", "Whose classes: a split of the benchmark.", choices=("test", "validation"))
    way: str = option("5", 'Classes per episode, N: a number, or a range like "4-12".', range=True)
    shot: str = option("5", 'Support sentences per class, K: a number, or a range like "1-10".', range=True)
    queries: int = option(5, "Queries per class.", least=1)
    none_rate: float = option(0.0, "Share of queries that carry none of the episode's aspects.", least=0.0, most=0.95)
    protocol: str = option("disjoint", "How episodes are drawn.", choices=("disjoint", "authors"))
    episodes: int = option(600, "Number of episodes.", least=2)
    seed: int = option(1, "Seed of the episodes.", least=0, most=2**32 - 1)


_PAPER: dict[str, Any] = {
    "pooling_start": "random", "unit_vectors": False, "label_share": 0.0, "attention_start": "random",
    "count_start": "random", "contrastive_normalise": False, "joined": 0.0, "encoder_dropout": -1.0,
    "episodes": 2000, "warmup": 0,
}  # fmt: skip
_AUTHORS: dict[str, Any] = {
    **_PAPER, "pooling_start": "normal", "pooling_relu": True, "layer_biases": True, "unmasked_length": 50,
    "attention_scaled": True, "contrastive_normalise": True, "positives_plus_one": True, "mean_over_classes": True,
    "count_outputs": 5, "method_dropout": 0.1, "protocol": "authors", "validate_every": 100, "weight_decay": 0.2,
    "warmup": 100, "max_grad_norm": 0.0,
}  # fmt: skip
RECIPES: dict[str, dict[str, Any]] = {"recommended": {}, "paper": _PAPER, "authors": _AUTHORS}
"""Sets of defaults by name: ours, the paper to the letter, the authors' released code."""


def parse_range(name: str, text: str) -> int | tuple[int, int]:
    """ "5" is 5, "4-12" is (4, 12)."""
    parts = text.split("-")
    if not (1 <= len(parts) <= 2 and all(re.fullmatch("[0-9]{1,9}", part.strip()) for part in parts)):
        raise ConfigError(f'{name}: expected a number like "5" or a range like "4-12", found "{text}".')
    return int(parts[0]) if len(parts) == 1 else (int(parts[0]), int(parts[1]))


def largest(name: str, text: str) -> int:
    """The number itself, or the upper end of a range."""
    size = parse_range(name, text)
    return size if isinstance(size, int) else size[1]


def build_settings(kind: type[S], values: Mapping[str, Any], where: str = "settings") -> S:
    """A settings object from plain values; an unknown name is refused with the nearest known one."""
    if not isinstance(values, Mapping):
        raise ConfigError(f"{where}: expected a mapping of setting names to values, found {values!r}.")
    values = current_names(kind, values)
    known = {item.name for item in dataclasses.fields(kind)}  # type: ignore[arg-type]
    refuse_unknown(values, known, where)
    hints = get_type_hints(kind)
    # YAML reads `way: 5` as a number.
    numbers = {n for n, v in values.items() if hints[n] is str and type(v) is int and v.bit_length() <= _MOST_BITS}
    return kind(**{n: str(v) if n in numbers else v for n, v in values.items()})


def current_names(kind: type[Settings], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values under the names of today, where version 0.1 wrote others; one that is given twice stays as it is."""
    renamed = {old: new for old, new in kind.renamed.items() if new not in values}
    return {renamed.get(name, name): value for name, value in values.items()}


def setting_names(kind: type[Settings]) -> set[str]:
    return {item.name for item in dataclasses.fields(kind)}  # type: ignore[arg-type]


def differences(before: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Changed settings in words; both mappings go from a part ("train", "method") to its settings."""
    return [
        f"{name} was {before[part].get(name)!r}, now {value!r}"
        for part in now
        for name, value in now[part].items()
        if before[part].get(name) != value
    ]


def refuse_unknown(values: Mapping[str, Any], known: set[str], where: str) -> None:
    for name in values:
        if name not in known:
            guess = difflib.get_close_matches(str(name), known, n=1)  # YAML may read a name as a number or a boolean
            hint = f" Did you mean {guess[0]}?" if guess else f" Known: {', '.join(sorted(known))}."
            raise ConfigError(f"{where}: unknown setting {name}.{hint}")


def read_config(path: Path) -> dict[str, Any]:
    """A YAML or JSON mapping of setting names to values."""
    import yaml

    from fewaspect.core.yaml_reader import YamlReader, load_yaml

    class Reader(YamlReader):
        """Reads 1e-5 as a number, as JSON does; PyYAML by itself wants 1.0e-5."""

    number = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$")
    Reader.add_implicit_resolver("tag:yaml.org,2002:float", number, list("-+0123456789"))
    try:
        content = load_yaml(path.read_text(encoding="utf-8"), Reader)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}.") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: other encodings, impossible dates
        raise ConfigError(f"{path}: expected YAML or JSON, found something else: {error}") from error
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise ConfigError(f"{path}: expected a mapping of setting names to values, found {type(content).__name__}.")
    return content


def to_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _check_type(name: str, value: Any, hint: Any) -> None:
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise ConfigError(f"{name}: expected a number of at most {_MOST_BITS} bits, found one of {value.bit_length()}.")
    allowed = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    fits = isinstance(value, allowed) and not (isinstance(value, bool) and bool not in allowed)
    if not fits and not (float in allowed and type(value) is int):
        expected = " or ".join(getattr(kind, "__name__", str(kind)) for kind in allowed)
        raise ConfigError(f"{name}: expected {expected}, found {value!r}.")


def _check_limits(name: str, value: Any, limits: Mapping[str, Any]) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{name}: expected a finite number, found {value}.")
    if "choices" in limits and value not in limits["choices"]:
        raise ConfigError(f'{name}: expected one of {", ".join(limits["choices"])}, found "{value}".')
    if limits.get("range"):
        parse_range(name, value)
    if "least" in limits and not value >= limits["least"]:
        raise ConfigError(f"{name}: expected at least {limits['least']}, found {value}.")
    if "most" in limits and not value <= limits["most"]:
        raise ConfigError(f"{name}: expected at most {limits['most']}, found {value}.")
