"""A detector as a folder: JSON to read, safetensors to compute with, a model card. Written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import shutil
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect import __version__
from fewaspect.core.errors import WRONG_VALUE, CheckpointError, ConfigError, FewAspectError
from fewaspect.core.files import (
    atomic_folder,
    atomic_write,
    check_digest,
    finish_replacement,
    load_arrays,
    save_arrays,
    sha256_of,
)
from fewaspect.core.settings import to_json
from fewaspect.data.polarity import check_polarity
from fewaspect.detector.explain import DEFAULT_THRESHOLD, thresholds_of
from fewaspect.detector.fitting import CachedEncoding, FittedState, Pile, encode_examples
from fewaspect.detector.labelling.target_precision import Promise
from fewaspect.detector.model import SAVED, InferenceModel, check_batch_size, load_model
from fewaspect.detector.support import Examples
from fewaspect.inference.encoder import GRAPH, HEAD, NAMED, SENTIMENT, TOKENIZER, is_model, model_files
from fewaspect.text.language import language_name

FORMAT, VERSION = "fewaspect-detector", 3
TENSORS, CARD, MODEL = "examples.safetensors", "MODEL_CARD.md", "model"
_PRECISION = {"fp32": "fp32", "int8": "int8", "float32": "fp32"}  # the last as version 0.1 called it


class ModelChangedWarning(UserWarning):
    """A saved detector whose examples were encoded again, because the shipped model is another now."""


@dataclass(frozen=True)
class SavedDetector:
    """The description of a saved detector: examples, thresholds and parameters; its files and its model."""

    examples: Examples
    tuned: dict[str, float]
    parameters: dict[str, Any]
    matrix: bool
    files: dict[str, str]
    identity: dict[str, str]
    version: str
    learned: int = 0  # unlabelled sentences
    promise: Promise | None = None


def write_detector(folder: Path, state: FittedState, parameters: Mapping[str, Any]) -> None:
    """Make the folder, or replace an earlier save in it; anything else that is there is left alone and refused."""
    model, promise = state.model, state.promise
    if model.folder is None:
        raise ConfigError("a detector on a model in memory cannot be saved. Export the run first: fewaspect export.")
    _refuse_foreign(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with atomic_folder(folder, replace=True) as new:
        save_arrays(new / TENSORS, _arrays(state), {"texts": _digest(state.examples)})
        if not model.shipped:
            (new / MODEL).mkdir()
            for source in model_files(model.folder):
                shutil.copyfile(source, new / MODEL / source.name)
        about = {
            "format": FORMAT, "version": VERSION, "fewaspect": __version__, "parameters": dict(parameters),
            "answers": "matrix" if state.matrix else "names", **_described(state.examples, state.tuned),
            **_learned(state.pile), **({} if promise is None else {"promise": asdict(promise)}),
            "model": dict(model.identity),
            "files": {name: sha256_of(new / name) for name in _digested(new)},
        }  # fmt: skip
        for name, content in ((SAVED, to_json(about)), (CARD, model_card(about, model.languages))):
            with atomic_write(new / name) as file:
                file.write(content)


def read_detector(folder: Path, *, encode_again: bool = False) -> tuple[SavedDetector, InferenceModel, FittedState]:
    """What `write_detector` wrote; what is damaged, foreign or newer is refused with the file and the reason."""
    finish_replacement(folder)
    path = folder / SAVED
    saved = read_description(path)
    for name in _digested(folder):
        if name not in saved.files:
            raise CheckpointError(f'{path}: expected the sha256 of {name} among its "files", found none.')
    for name, digest in saved.files.items():
        check_digest(folder / name, digest)
    own = any(name.startswith(f"{MODEL}/") for name in saved.files)
    if own and not is_model(folder / MODEL):
        raise CheckpointError(
            f"{folder}: was saved by fewaspect {saved.version} on a training run, which is exported first now.\n"
            f"Convert it: fewaspect export {folder} NEW-FOLDER."
        )
    named = saved.identity.get("encoder")
    model = load_model((folder / MODEL).resolve() if own else named if named in NAMED else None)
    if encode_again or not _same_model(path, saved, model, own):
        return replace(saved, promise=None), model, encode_examples(model, saved.examples)
    return saved, model, _encoded(folder / TENSORS, saved.examples, model)


def read_description(path: Path) -> SavedDetector:
    """What the description of a saved detector says by itself; nothing is computed and no other file is opened."""
    about = _read_about(path)
    try:
        examples = _examples(about)
        tuned = {a["name"]: float(a["threshold"]) for a in about["aspects"] if a["threshold"] is not None}
        files, identity = _texts(about["files"]), _texts(about["model"])
        parameters = {name: value for name, value in about["parameters"].items() if name != "backend"}  # of 0.1
        _check_parameters(parameters)
        thresholds_of(examples.names, parameters["threshold"], tuned)
        matrix, version = about["answers"] == "matrix", str(about.get("fewaspect", "?"))
        learned = int(about.get("unlabelled", {}).get("sentences", 0))
        promise = Promise.from_json(about["promise"], examples.names) if "promise" in about else None
    except (FewAspectError, *WRONG_VALUE) as error:
        raise CheckpointError(
            f"{path}: expected the description of a detector, found a damaged one: {error!r}."
        ) from error
    return SavedDetector(examples, tuned, parameters, matrix, files, identity, version, learned, promise)


def model_card(about: Mapping[str, Any], languages: Sequence[str] | None) -> str:
    """Markdown for a person who is handed the folder: what it detects, from what, how to use it, what to mind.

    `languages`: codes of those that the model was made for, if that is known.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(loader=PackageLoader("fewaspect.detector", "templates"), undefined=StrictUndefined)
    environment.filters["cell"] = _cell
    return environment.get_template("model_card.md").render(
        about, thresholds=[_threshold(aspect, about["parameters"]["threshold"]) for aspect in about["aspects"]],
        negatives=sum(not example["aspects"] for example in about["examples"]),
        precision=_PRECISION[about["model"]["precision"]],
        learned=about.get("unlabelled", {}).get("sentences", 0),
        languages=sorted(map(language_name, languages or ())),
    )  # fmt: skip


def _digested(folder: Path) -> list[str]:
    """The files whose digests stand in the description; a graph and its tokenizer have theirs in the metadata."""
    model = model_files(folder / MODEL) if is_model(folder / MODEL) else []
    return [
        TENSORS,
        *(f"{MODEL}/{path.name}" for path in model if path.name not in (GRAPH, TOKENIZER, HEAD, SENTIMENT)),
    ]


def _same_model(path: Path, saved: SavedDetector, model: InferenceModel, own: bool) -> bool:
    """Whether the encodings are those of this model. A detector on the shipped model may meet another version's."""
    then = {**saved.identity, "precision": _PRECISION.get(saved.identity.get("precision", "fp32"))}
    names = (*then, "lower_head")  # versions before it had no such encodings
    changed = [name for name in dict.fromkeys(names) if then.get(name) != model.identity.get(name)]
    if not changed:
        return True
    what = f"{path.parent}: was saved by fewaspect {saved.version} with another model"
    if own:
        raise CheckpointError(f"{what} than it holds ({', '.join(changed)} differ): the folder is damaged.")
    forgotten = "What it learned from unlabelled texts is left out: adapt it again. " if saved.learned else ""
    forgotten += "What it promised of accepted answers is void: tune it again. " if saved.promise else ""
    warnings.warn(
        f"{what} than fewaspect {__version__} ships. Its examples are encoded again, and probabilities may differ. "
        f"{forgotten}Save it again to keep the new encodings.",
        ModelChangedWarning,
        stacklevel=4,
    )
    return False


def _described(examples: Examples, tuned: Mapping[str, float]) -> dict[str, Any]:
    """Aspects and examples for JSON."""
    return {
        "aspects": [
            {
                "name": name,
                "named": name not in examples.unnamed,
                "description": examples.descriptions.get(name),
                "threshold": tuned.get(name),
                "examples": examples.shots(name),
            }
            for name in examples.names
        ],
        "examples": [
            {"text": text, "aspects": [name for name in examples.names if name in own]}
            for text, own in examples.sentences.items()
        ],
        **({"polarities": [{"text": t, "aspects": dict(own)} for t, own in examples.polarities.items()]}
           if examples.polarities else {}),
    }  # fmt: skip


def _learned(pile: Pile | None) -> dict[str, Any]:
    """How many unlabelled sentences it learned from, and a digest of what was learned; nothing without any."""
    if pile is None:
        return {}
    digest = hashlib.sha256(pile.sums.tobytes() + pile.lengths.astype(np.int64).tobytes()).hexdigest()
    return {"unlabelled": {"sentences": len(pile), "sha256": digest}}


def _read_about(path: Path) -> dict[str, Any]:
    about = _read_any_version(path)
    version = about.get("version")
    if version != VERSION:
        older = isinstance(version, int) and version < VERSION
        remedy = "Fit it again from its examples." if older else "Install that version or a newer one."
        raise CheckpointError(
            f"{path}: expected version {VERSION} of the format, found {version!r}, written by fewaspect "
            f"{about.get('fewaspect', '?')}; this is {__version__}. {remedy}"
        )
    return about


def _read_any_version(path: Path) -> dict[str, Any]:
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise CheckpointError(f"{path.parent}: expected a saved detector with {SAVED}, found none.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(
            f"{path}: expected the description of a detector, found a damaged file: {error}."
        ) from error
    found = about.get("format") if isinstance(about, dict) else None
    if found != FORMAT:
        raise CheckpointError(f'{path}: expected a file of format "{FORMAT}", found "{found or "no format"}".')
    return dict(about)


def _examples(about: Mapping[str, Any]) -> Examples:
    names = tuple(_text(aspect["name"]) for aspect in about["aspects"])
    if not names or len(set(names)) < len(names):
        raise ValueError(f"aspects must have names, each once, found {names}")
    sentences = {_text(entry["text"]): frozenset(entry["aspects"]) for entry in about["examples"]}
    if foreign := sorted({name for own in sentences.values() for name in own} - set(names)):
        raise ValueError(f"examples of aspects that are not there: {foreign}")
    described = {a["name"]: _text(a["description"]) for a in about["aspects"] if a["description"] is not None}
    unnamed = frozenset(aspect["name"] for aspect in about["aspects"] if not aspect["named"])
    given = about.get("polarities", ())
    polar = {_text(entry["text"]): _polarities(entry["aspects"], names) for entry in given}
    return Examples(names, sentences, described, unnamed, polarities=polar)


def _polarities(own: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, str]:
    if foreign := sorted(set(own) - set(names)):
        raise ValueError(f"polarities of aspects that are not there: {foreign}")
    return {name: check_polarity(value, f'"{name}"') for name, value in own.items()}


def _check_parameters(parameters: Mapping[str, Any]) -> None:
    if set(parameters) != {"threshold", "batch_tokens"}:
        raise ValueError(f"parameters must be threshold and batch_tokens, found {', '.join(parameters)}")
    check_batch_size(parameters["batch_tokens"])


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text was expected, found {value!r}")
    return value


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: _text(value) for name, value in values.items()}


def _arrays(state: FittedState) -> dict[str, np.ndarray]:
    """Examples, then label texts."""
    encodings = [*(state.encodings[text] for text in state.examples.texts), *state.label_encodings.values()]
    empty = CachedEncoding.empty(state.width)
    return {
        "pieces": np.array([len(encoding.lengths) for encoding in encodings], dtype=np.int64),
        **{
            name: np.concatenate([getattr(encoding, name) for encoding in (empty, *encodings)])
            for name in ("lengths", "keys", "vectors", "tokens")
        },
        **({"lower": np.concatenate(lower)} if (lower := [e.lower for e in encodings if e.lower is not None]) else {}),
        **({} if state.pile is None else {"pile_sums": state.pile.sums, "pile_lengths": state.pile.lengths}),
        **({} if state.pile is None or state.pile.lower is None else {"pile_lower": state.pile.lower}),
    }


def _encoded(path: Path, examples: Examples, model: InferenceModel) -> FittedState:
    arrays, about = load_arrays(path)
    if about.get("texts") != _digest(examples):
        raise CheckpointError(
            f"{path}: expected the encodings of the examples in {SAVED}, found those of others. "
            "If the examples were edited, load with encode_again=True."
        )
    try:
        ends = np.cumsum(arrays["pieces"])
        lengths, keys, vectors = (_parts(arrays[name], ends) for name in ("lengths", "keys", "vectors"))
        tokens = _parts(arrays["tokens"], np.cumsum([part.sum() for part in lengths], dtype=np.int64))
        label_texts = dict.fromkeys(text for text in map(examples.label_text, examples.names) if text)
        lower = _parts(arrays["lower"], ends) if "lower" in arrays else [None] * len(ends)
        parts = [CachedEncoding(*part) for part in zip(vectors, tokens, lengths, keys, lower, strict=True)]
        encodings = dict(zip(examples.texts, parts, strict=False))
        labels = dict(zip(label_texts, parts[len(encodings) :], strict=True))
    except WRONG_VALUE as error:
        raise CheckpointError(f"{path}: the encodings do not fit the examples in {SAVED}: {error}.") from error
    return FittedState(examples, encodings, labels, model.encoder.width, _pile(path, arrays, model))


def _pile(path: Path, arrays: Mapping[str, np.ndarray], model: InferenceModel) -> Pile | None:
    if "pile_sums" not in arrays:
        return None
    sums, lengths = arrays["pile_sums"], arrays.get("pile_lengths", np.zeros(0))
    if sums.ndim != 2 or sums.shape != (len(lengths), model.encoder.width) or (lengths < 1).any():
        raise CheckpointError(
            f"{path}: expected sums of unlabelled texts, found {sums.shape} and lengths {lengths.shape}."
        )
    return Pile(sums, lengths, arrays.get("pile_lower"))


def _parts(rows: np.ndarray, ends: np.ndarray) -> list[np.ndarray]:
    if len(rows) != (ends[-1] if len(ends) else 0):
        raise ValueError(f"{len(rows)} rows where {ends[-1] if len(ends) else 0} are announced")
    return np.split(rows, ends[:-1]) if len(ends) else []


def _digest(examples: Examples) -> str:
    """Of all that was read by the encoder."""
    read = [examples.texts, [*map(examples.label_text, examples.names)]]
    return hashlib.sha256(json.dumps(read).encode()).hexdigest()


def _threshold(aspect: Mapping[str, Any], given: Any) -> float:
    """What is in use: given for all or for this one, else tuned, else the default."""
    tuned = DEFAULT_THRESHOLD if aspect["threshold"] is None else aspect["threshold"]
    return float(given.get(aspect["name"], tuned) if isinstance(given, Mapping) else tuned if given is None else given)


def _cell(text: str | None) -> str:
    """Text that stays inside its cell of a table."""
    return " ".join((text or "").split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _refuse_foreign(folder: Path) -> None:
    finish_replacement(folder)
    if not folder.exists():
        return
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: expected a folder to save to, found a file.")
    names = {path.name for path in folder.iterdir()}
    if not names:
        return
    if SAVED in names and (version := _read_any_version(folder / SAVED).get("version")) != VERSION:
        raise CheckpointError(
            f"{folder}: expected a new folder, an empty one or a save of version {VERSION} of the format, found one of "
            f"version {version!r}, which is not replaced. Choose another folder, or delete this one."
        )
    if SAVED not in names or (foreign := names - {SAVED, TENSORS, CARD, MODEL}):
        found = sorted(foreign if SAVED in names else names)[0]
        raise CheckpointError(
            f'{folder}: expected a new folder, an empty one or an earlier save, found "{found}". Choose another folder.'
        )
