"""Disk cache of the token states after the frozen layers: computed once per text, then memory-mapped.

A cache is a folder of immutable segments. A segment appears by a rename, so that a crash leaves only a `.part` folder
that nobody reads, and two processes that write at the same time write two segments.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import threading
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.errors import EncoderError
from fewaspect.core.files import atomic_folder
from fewaspect.encoders.sources import cache_folder, read_json, write_json

_VERSION = 1
_KEY_BYTES = 16
_ONE_DAY = 24 * 3600
_CACHE_ID = re.compile(r"[0-9a-f]{64}")


class MissingStatesError(LookupError):
    """The states of a text are not stored."""


class DamagedCacheWarning(UserWarning):
    """A segment is damaged and was skipped."""


class StateCache:
    """(T, d) float32 states by text, for one combination of weights, frozen layers and tokeniser (the key)."""

    def __init__(self, root: Path, key: Mapping[str, str | int], encoder: str = "") -> None:
        """`encoder` is the name of the weights in listings; it is no part of the key."""
        self.key = dict(key)
        self.encoder = encoder
        self.folder = Path(root) / cache_id(key)
        self.width: int | None = None
        self._states: list[np.ndarray] = []  # one memory-mapped (tokens, d) array per segment
        self._locations = np.empty((0, 4), dtype=np.int64)  # per handle: segment, first row, length, truncated
        self._handles: dict[bytes, int] = {}
        self._loaded: set[str] = set()
        self._lock = threading.RLock()
        if self.folder.is_dir():
            _remove_leftovers(self.folder, (".*.part", "damaged-*"))
            self._write_key()
            self.refresh()

    def __len__(self) -> int:
        return len(self._handles)

    def refresh(self) -> None:
        """Load the segments that other processes have written."""
        with self._lock:
            for path in sorted(self.folder.glob("segment-*")):
                if path.name not in self._loaded:
                    self._load_segment(path)

    def missing(self, texts: Sequence[str]) -> list[str]:
        """The distinct texts that are not stored, in order."""
        distinct = {text: _text_key(text) for text in texts}
        if not self._handles.keys() >= set(distinct.values()):
            self.refresh()
        return [text for text, key in distinct.items() if key not in self._handles]

    def add(self, texts: Sequence[str], states: Sequence[np.ndarray], truncated: Sequence[bool] | None = None) -> None:
        """Store the (T, d) states of each text as one new segment; texts that are stored already stay unchanged."""
        flags = [False] * len(texts) if truncated is None else list(truncated)
        if not len(texts) == len(states) == len(flags):
            raise ValueError(f"{len(texts)} texts, {len(states)} states and {len(flags)} truncation flags do not match")
        new: dict[bytes, int] = {}  # position of each new text
        for i, key in enumerate(map(_text_key, texts)):
            if key not in self._handles:
                new.setdefault(key, i)
        if not new:
            return
        arrays = self._checked([states[i] for i in new.values()])
        keys = np.frombuffer(b"".join(new), dtype=np.uint8).reshape(-1, _KEY_BYTES)
        path = self._write(arrays, keys, np.array([flags[i] for i in new.values()], dtype=bool))
        with self._lock:
            self._load_segment(path)
        if not self._handles.keys() >= new.keys():
            raise EncoderError(
                f"{path}: could not read back the encoder states that were stored. Start again when the cache is not "
                "cleared meanwhile, and where the process may open more files."
            )

    def handles(self, texts: Sequence[str]) -> np.ndarray:
        """(n,) indices of the texts, valid as long as this object lives; faster than texts for repeated use."""
        keys = [_text_key(text) for text in texts]
        if not self._handles.keys() >= set(keys):
            self.refresh()
        try:
            return np.array([self._handles[key] for key in keys], dtype=np.int64)
        except KeyError:
            missing = self.missing(texts)
            raise MissingStatesError(f"no states stored for {len(missing)} texts, the first: {missing[0]!r}") from None

    def lengths(self, texts: Sequence[str] | np.ndarray) -> np.ndarray:
        """(n,) number of tokens of each text (or handle)."""
        return self._locations[self._as_handles(texts), 2]

    def truncated(self, texts: Sequence[str] | np.ndarray) -> np.ndarray:
        """(n,) whether each text (or handle) was longer than the encoder can read."""
        return self._locations[self._as_handles(texts), 3].astype(bool)

    def rows(self, texts: Sequence[str] | np.ndarray) -> list[np.ndarray]:
        """The (T, d) states of each text (or handle), as read-only views of the files."""
        handles = self._as_handles(texts)  # first: it may load segments
        locations = self._locations[handles].tolist()
        return [self._states[segment][start : start + length] for segment, start, length, _ in locations]

    def gather(self, texts: Sequence[str] | np.ndarray, out: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The states of the texts (or handles) concatenated, (tokens, d), and their lengths, (n,)."""
        handles = self._as_handles(texts)
        lengths = self.lengths(handles)
        packed = np.empty((int(lengths.sum()), self.width or 0), dtype=np.float32) if out is None else out
        if len(handles):
            np.concatenate(self.rows(handles), out=packed)
        return packed, lengths

    def _as_handles(self, texts: Sequence[str] | np.ndarray) -> np.ndarray:
        return texts if isinstance(texts, np.ndarray) else self.handles(texts)

    def _write_key(self) -> None:
        """Write the key file, whose modification time is the time of the last use."""
        path = self.folder / "key.json"
        found = read_json(path)
        encoders = sorted({*found.get("encoders", ()), self.encoder} - {""})
        with suppress(OSError):  # a read-only cache can still be used
            if found.get("key") == self.key and found.get("encoders") == encoders:
                os.utime(path)
            else:
                write_json(path, {"version": _VERSION, "encoders": encoders, "key": self.key})

    def _checked(self, states: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Contiguous little-endian float32 arrays, all of the cache's width."""
        arrays = [np.ascontiguousarray(array, dtype="<f4") for array in states]
        width = self.width if self.width is not None else arrays[0].shape[-1]
        for array in arrays:
            if array.ndim != 2 or array.shape[1] != width:
                raise ValueError(f"expected states of shape (tokens, {width}), found {array.shape}")
        return arrays

    def _write(self, arrays: list[np.ndarray], keys: np.ndarray, truncated: np.ndarray) -> Path:
        """Write a segment; once more if the cache is cleared in the middle."""
        try:
            try:
                return self._write_segment(arrays, keys, truncated)
            except FileNotFoundError:
                return self._write_segment(arrays, keys, truncated)
        except OSError as error:
            raise EncoderError(
                f"{self.folder}: could not store encoder states: {error}. Free space with `fewaspect cache clear`, "
                "or set FEWASPECT_CACHE to a folder that can be written."
            ) from error

    def _write_segment(self, arrays: list[np.ndarray], keys: np.ndarray, truncated: np.ndarray) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_key()
        path = self.folder / f"segment-{secrets.token_hex(8)}"
        offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int64)
        shape = (int(offsets[-1]), arrays[0].shape[1])
        with atomic_folder(path) as folder:
            with (folder / "states.npy").open("wb") as file:
                np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
                for array in arrays:
                    file.write(array.data)
            for name, array in (("offsets", offsets), ("keys", keys), ("truncated", truncated)):
                np.save(folder / f"{name}.npy", array, allow_pickle=False)
            write_json(folder / "manifest.json", _manifest(shape, offsets, keys, truncated))
        return path

    def _load_segment(self, path: Path) -> None:
        """Add a segment's texts to the index; a damaged segment is skipped."""
        self._loaded.add(path.name)
        try:
            states, offsets, keys, truncated = _open_segment(path)
            if self.width not in (None, states.shape[1]):
                raise ValueError(f"states of width {states.shape[1]} among states of width {self.width}")
        except Exception as error:  # a damaged file may raise anything
            if path.exists():  # else another process has cleared it
                _quarantine(path, error)
            return
        raw = keys.tobytes()
        text_keys = [raw[i : i + _KEY_BYTES] for i in range(0, len(raw), _KEY_BYTES)]
        new = [i for i, key in enumerate(text_keys) if key not in self._handles]
        segment = np.full(len(new), len(self._states))
        locations = np.stack([segment, offsets[new], np.diff(offsets)[new], truncated[new]], axis=1).astype(np.int64)
        first = len(self._locations)
        self.width = states.shape[1]
        self._states.append(states)
        self._locations = np.concatenate([self._locations, locations])
        self._handles.update((text_keys[i], first + row) for row, i in enumerate(new))  # last: readers take no lock


@dataclass(frozen=True)
class CacheInfo:
    """A cache as `fewaspect cache` lists it."""

    id: str
    folder: Path
    encoders: tuple[str, ...]
    key: dict[str, Any]
    sentences: int
    bytes: int
    last_used: float  # seconds since 1970


def states_root() -> Path:
    """The folder of all caches."""
    return cache_folder() / "states"


def cache_id(key: Mapping[str, str | int]) -> str:
    """The name of the cache's folder: a hash of the key."""
    return hashlib.sha256(json.dumps(dict(key), sort_keys=True).encode()).hexdigest()


def list_caches(root: Path) -> list[CacheInfo]:
    """All caches under `root`, the last used first."""
    if not root.is_dir():
        return []
    _remove_leftovers(root, ("cleared-*",), age=0)
    folders = [path for path in root.iterdir() if _CACHE_ID.fullmatch(path.name) and path.is_dir()]
    return sorted(map(_cache_info, folders), key=lambda info: info.last_used, reverse=True)


def clear_cache(cache: CacheInfo) -> None:
    """Delete a cache. It is renamed first, so that nobody reads a half-deleted one."""
    renamed = cache.folder.with_name(f"cleared-{secrets.token_hex(8)}")
    try:
        cache.folder.rename(renamed)
        shutil.rmtree(renamed)
    except FileNotFoundError:
        return  # another process was faster
    except OSError as error:
        raise EncoderError(f"{cache.folder}: could not delete this cache: {error}. Is a run still using it?") from error


def _cache_info(folder: Path) -> CacheInfo:
    stored = read_json(folder / "key.json")
    keys: set[bytes] = set()
    for path in folder.glob("segment-*/keys.npy"):
        with suppress(OSError, ValueError, EOFError):
            keys.update(row.tobytes() for row in np.load(path, allow_pickle=False))
    size, last_used = 0, 0.0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # a temporary file of a writer may be gone by now
                status = (Path(parent) / name).stat()
                size, last_used = size + status.st_size, max(last_used, status.st_mtime)
    encoders = tuple(map(str, stored.get("encoders", ())))
    return CacheInfo(folder.name, folder, encoders, stored.get("key", {}), len(keys), size, last_used)


def _text_key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()


def _manifest(shape: tuple[int, ...], offsets: np.ndarray, keys: np.ndarray, truncated: np.ndarray) -> dict[str, Any]:
    """What a segment is checked against: a digest of its index, and the shape of its states."""
    index = hashlib.blake2b(offsets.tobytes() + keys.tobytes() + truncated.tobytes(), digest_size=16).hexdigest()
    return {"version": _VERSION, "n": len(keys), "tokens": shape[0], "width": shape[1], "index": index}


def _open_segment(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """States (memory-mapped), offsets, keys and truncated; ValueError if they differ from the manifest."""
    names = ("offsets", "keys", "truncated")
    offsets, keys, truncated = (np.load(path / f"{name}.npy", allow_pickle=False) for name in names)
    states = np.load(path / "states.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray)
    n = len(keys)
    if (offsets.shape, keys.shape, truncated.shape) != ((n + 1,), (n, _KEY_BYTES), (n,)) or states.ndim != 2:
        raise ValueError("arrays of the wrong shape")
    if (states.dtype, offsets.dtype, keys.dtype, truncated.dtype) != (np.float32, np.int64, np.uint8, np.bool_):
        raise ValueError("arrays of the wrong type")
    if read_json(path / "manifest.json") != _manifest(states.shape, offsets, keys, truncated):
        raise ValueError("arrays that differ from manifest.json")
    if offsets[0] != 0 or offsets[-1] != len(states) or (np.diff(offsets) < 0).any():
        raise ValueError("offsets outside the states")
    return states, offsets, keys, truncated


def _quarantine(path: Path, error: Exception) -> None:
    """Warn that a segment is skipped, and rename it if it is damaged."""
    if not isinstance(error, OSError) or error.errno == errno.ENOENT:  # other system errors may be temporary
        with suppress(OSError):
            path.rename(path.with_name(f"damaged-{path.name}"))
    warnings.warn(
        f"{path}: this part of the cache of encoder states is damaged ({error}); its sentences are computed again.",
        DamagedCacheWarning,
        stacklevel=2,
    )


def _remove_leftovers(folder: Path, patterns: Sequence[str], age: float = _ONE_DAY) -> None:
    """Remove what crashes and damage left behind, once it is old enough that nobody is writing it."""
    for path in (path for pattern in patterns for path in folder.glob(pattern)):
        with suppress(OSError):
            if path.stat().st_mtime <= time.time() - age:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
