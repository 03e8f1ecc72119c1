"""A detector as a folder: JSON to read, safetensors to compute with, a model card. Written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect import __version__
from fewaspect.core.arrays import check_digest, load_arrays, save_arrays
from fewaspect.core.errors import CheckpointError, FewAspectError
from fewaspect.core.files import atomic_folder, atomic_write, sha256_of
from fewaspect.core.settings import to_json
from fewaspect.detector.decision import thresholds_of
from fewaspect.detector.encoding import CachedEncoding, FittedState, learn
from fewaspect.detector.fitted import is_batch_size
from fewaspect.detector.model import SAVED, InferenceModel, load_model
from fewaspect.detector.model_card import model_card
from fewaspect.detector.support import Examples
from fewaspect.inference import model_folder as runtime
from fewaspect.training.backends import BACKENDS, RANGES
from fewaspect.training.product_weights import PRESENCE
from fewaspect.training.run_folder import RunFolder

FORMAT, VERSION = "fewaspect-detector", 3
ABOUT, TENSORS, CARD, MODEL = SAVED, "examples.safetensors", "MODEL_CARD.md", "model"


@dataclass(frozen=True)
class Stored:
    """What a folder holds of a detector, beside the weights."""

    known: FittedState
    scorer: InferenceModel
    model: str | None  # folder of the weights, or the shipped ones
    matrix: bool
    tuned: dict[str, float]
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Definition:
    """What a saved detector was told: examples, thresholds and parameters; which files and weights belong to it."""

    examples: Examples
    tuned: dict[str, float]
    parameters: dict[str, Any]
    matrix: bool
    files: dict[str, str]
    identity: dict[str, Any]


def write(folder: Path, stored: Stored) -> None:
    """Make the folder, or replace an earlier save in it; anything else that is there is left alone and refused."""
    _refuse_foreign(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with atomic_folder(folder, replace=True) as new:
        save_arrays(new / TENSORS, _arrays(stored.known), {"texts": _digest(stored.known.examples)})
        if stored.model is not None:
            (new / MODEL).mkdir()
            for source in _model_files(Path(stored.model)):
                shutil.copyfile(source, new / MODEL / source.name)
        about = _about(stored, {name: sha256_of(new / name) for name in _answered_for(new)})
        for name, content in ((ABOUT, to_json(about)), (CARD, model_card(about))):
            with atomic_write(new / name) as file:
                file.write(content)


def read(folder: Path, backend: str = "auto", *, encode_again: bool = False) -> Stored:
    """What `write` wrote; what is damaged, foreign or newer is refused with the file and the reason."""
    path = folder / ABOUT
    said = read_definition(path)
    files, identity, parameters = said.files, said.identity, said.parameters
    for name in _answered_for(folder):
        if name not in files:
            raise CheckpointError(f'{path}: expected the sha256 of {name} among its "files", found none.')
    for name, digest in files.items():
        check_digest(folder / name, digest)
    model = str((folder / MODEL).resolve()) if any(name.startswith(f"{MODEL}/") for name in files) else None
    precision = str(identity.setdefault("precision", "float32"))  # which all had before it was said
    if backend == "auto":
        backend = parameters.get("backend", "auto")
    scorer = load_model(model, backend, None if encode_again else precision)
    parameters["backend"] = backend
    if encode_again:
        return Stored(learn(scorer, said.examples), scorer, model, said.matrix, said.tuned, parameters)
    _check_model(path, identity, scorer)
    known = _knowledge(folder / TENSORS, said.examples, scorer)
    return Stored(known, scorer, model, said.matrix, said.tuned, parameters)


def read_definition(path: Path) -> Definition:
    """What the description of a saved detector says by itself; nothing is computed and no other file is opened."""
    about = _read_about(path)
    try:
        examples = _examples(about)
        tuned = {a["name"]: float(a["threshold"]) for a in about["aspects"] if a["threshold"] is not None}
        files, identity = dict(about["files"]), dict(about["model"])
        parameters, matrix = dict(about["parameters"]), about["answers"] == "matrix"
        _check_parameters(parameters)
        thresholds_of(examples.names, parameters["threshold"], tuned)
    except (KeyError, TypeError, ValueError, AttributeError, FewAspectError) as error:
        raise CheckpointError(
            f"{path}: expected the description of a detector, found a damaged one: {error!r}."
        ) from error
    return Definition(examples, tuned, parameters, matrix, files, identity)


def _answered_for(folder: Path) -> list[str]:
    """The files whose digests stand in the description; a graph and its tokeniser have one of their own."""
    model = _model_files(folder / MODEL) if (folder / MODEL).is_dir() else []
    own = (runtime.GRAPH, runtime.TOKENISER)
    return [TENSORS, *(f"{MODEL}/{path.name}" for path in model if path.name not in own)]


def _model_files(folder: Path) -> list[Path]:
    """Of a training run what it takes to serve, or all of an exported model."""
    if (folder / runtime.ABOUT).is_file():
        return [folder / name for name in runtime.FILES]
    run = RunFolder(folder)
    return [run.metadata, run.best, *folder.glob(PRESENCE), *folder.glob(RANGES)]


def _about(stored: Stored, files: Mapping[str, str]) -> dict[str, Any]:
    examples = stored.known.examples
    return {
        "format": FORMAT,
        "version": VERSION,
        "fewaspect": __version__,
        "parameters": stored.parameters,
        "answers": "matrix" if stored.matrix else "names",
        "aspects": [
            {
                "name": name,
                "named": name not in examples.nameless,
                "description": examples.descriptions.get(name),
                "threshold": stored.tuned.get(name),
                "examples": examples.shots(name),
            }
            for name in examples.names
        ],
        "examples": [
            {"text": text, "aspects": [name for name in examples.names if name in own]}
            for text, own in examples.sentences.items()
        ],
        "model": stored.scorer.identity,
        "files": dict(files),
    }


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
        raise CheckpointError(f"{path.parent}: expected a saved detector with {ABOUT}, found none.") from None
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
    nameless = frozenset(aspect["name"] for aspect in about["aspects"] if not aspect["named"])
    return Examples(names, sentences, described, nameless)


def _check_parameters(parameters: Mapping[str, Any]) -> None:
    if set(parameters) - {"backend"} != {"threshold", "batch_tokens"}:  # before there were backends, it was not said
        raise ValueError(f"parameters must be threshold, batch_tokens and backend, found {', '.join(parameters)}")
    if parameters.get("backend", "auto") not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, found {parameters['backend']!r}")
    if not is_batch_size(parameters["batch_tokens"]):
        raise ValueError(f"batch_tokens must be a whole number from 1, or null, found {parameters['batch_tokens']!r}")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text was expected, found {value!r}")
    return value


def _arrays(known: FittedState) -> dict[str, np.ndarray]:
    """Examples, then label texts."""
    kept = [*(known.kept[text] for text in known.examples.texts), *known.labels.values()]
    nothing = np.zeros((0, known.width), dtype=np.float32)
    lengths = np.zeros(0, dtype=np.int64)
    return {
        "pieces": np.array([len(part.lengths) for part in kept], dtype=np.int64),
        "lengths": np.concatenate([lengths, *(part.lengths for part in kept)]),
        "keys": np.concatenate([lengths, *(part.keys for part in kept)]),
        "vectors": np.concatenate([nothing, *(part.vectors for part in kept)]),
        "tokens": np.concatenate([nothing.astype(np.float16), *(part.tokens for part in kept)]),
    }


def _knowledge(path: Path, examples: Examples, scorer: InferenceModel) -> FittedState:
    arrays, about = load_arrays(path)
    if about.get("texts") != _digest(examples):
        raise CheckpointError(
            f"{path}: expected the representations of the examples in {ABOUT}, found those of others. "
            "If the examples were edited, load with encode_again=True."
        )
    try:
        ends = np.cumsum(arrays["pieces"])
        lengths, keys, vectors = (_parts(arrays[name], ends) for name in ("lengths", "keys", "vectors"))
        tokens = _parts(arrays["tokens"], np.cumsum([part.sum() for part in lengths], dtype=np.int64))
        named = dict.fromkeys(text for text in map(examples.label_text, examples.names) if text)
        parts = [CachedEncoding(*part) for part in zip(vectors, tokens, lengths, keys, strict=True)]
        kept = dict(zip(examples.texts, parts, strict=False))
        labels = dict(zip(named, parts[len(kept) :], strict=True))
    except (KeyError, ValueError) as error:
        raise CheckpointError(f"{path}: the representations do not fit the examples in {ABOUT}: {error}.") from error
    return FittedState(examples, kept, labels, scorer.looking, scorer.presence, scorer.encoder.width)


def _parts(rows: np.ndarray, ends: np.ndarray) -> list[np.ndarray]:
    if len(rows) != (ends[-1] if len(ends) else 0):
        raise ValueError(f"{len(rows)} rows where {ends[-1] if len(ends) else 0} are announced")
    return np.split(rows, ends[:-1]) if len(ends) else []


def _digest(examples: Examples) -> str:
    """Of all that was read by the encoder."""
    read = [examples.texts, [*map(examples.label_text, examples.names)]]
    return hashlib.sha256(json.dumps(read).encode()).hexdigest()


def _check_model(path: Path, saved: Mapping[str, Any], scorer: InferenceModel) -> None:
    here = scorer.identity
    parts = (
        ("encoder_digest", f'encoder "{saved.get("encoder")}"'),
        ("weights", "weights"),
        ("precision", "precision"),
        ("ranges", "ranges"),
    )
    for part, what in parts:
        if saved.get(part) != here.get(part):
            raise CheckpointError(
                f"{path}: was saved with {what} {saved.get(part)}, found {here.get(part)} here. Fit it again, or load "
                "it with encode_again=True to represent its examples with what is here; probabilities will then differ."
            )


def _refuse_foreign(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: expected a folder to save to, found a file.")
    names = {path.name for path in folder.iterdir()}
    if not names:
        return
    if ABOUT in names and (version := _read_any_version(folder / ABOUT).get("version")) != VERSION:
        raise CheckpointError(
            f"{folder}: expected a new folder, an empty one or a save of version {VERSION} of the format, found one of "
            f"version {version!r}, which is not replaced. Choose another folder, or delete this one."
        )
    if ABOUT not in names or (foreign := names - {ABOUT, TENSORS, CARD, MODEL}):
        found = sorted(foreign if ABOUT in names else names)[0]
        raise CheckpointError(
            f'{folder}: expected a new folder, an empty one or an earlier save, found "{found}". Choose another folder.'
        )
