"""Files and folders that are there whole or not at all, SHA-256, arrays with JSON metadata, locks between processes.

Nothing is ever unpickled. A lock vanishes with the process that holds it: one that is killed leaves nothing behind.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from fewaspect.core.errors import WRONG_VALUE, CheckpointError
from fewaspect.core.exchange import exchange

FORMAT = "fewaspect-checkpoint-1"
_RETRY_SECONDS = 0.05


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: Literal["w", "wb"] = "w") -> Iterator[IO[Any]]:
    """A temporary file that replaces `path` at the end of the block; after an error nothing has changed.

    Text is UTF-8 with line ends left as written. The mode of a replaced file is kept; a pipe or device is written to
    directly.
    """
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    if Path(path).exists() and not Path(path).is_file():  # before links are resolved: /dev/stdout may lead to no path
        with Path(path).open(mode, **text) as file:
            yield file
        return
    target = Path(path).resolve()  # a link stays a link: its target is replaced
    temporary = _temporary_path(target)
    try:
        with _naming_target(path, temporary):
            with temporary.open(mode.replace("w", "x"), **text) as file:
                if target.exists():
                    shutil.copymode(target, temporary)
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


@contextmanager
def atomic_folder(path: str | os.PathLike[str], *, replace: bool = False) -> Iterator[Path]:
    """A temporary folder that becomes `path` at the end of the block; after an error nothing has changed.

    An existing `path` raises FileExistsError unless `replace` is set; then its mode is kept.
    """
    target = Path(path).resolve()
    finish_replacement(target)
    if target.exists() and not replace:
        raise FileExistsError(f"{target} exists already")
    temporary = _temporary_path(target)
    try:
        with _naming_target(path, temporary):
            temporary.mkdir()
            yield temporary
            _sync_tree(temporary)
            if target.exists():
                shutil.copymode(target, temporary)  # last: the mode may forbid writing
            _rename_into_place(temporary, target, replace)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _sync_folder(target.parent)


def finish_replacement(path: str | os.PathLike[str]) -> None:
    """What was killed between two renames, on a system that cannot exchange: the old folder, if the new one is not
    there, gets its name back. Whoever opens a folder asks for this first."""
    target = Path(path).resolve()
    old, unneeded = _set_aside(target), _temporary_path(target)
    if old.exists():
        with suppress(OSError):  # another process has just done it
            old.rename(unneeded if target.exists() else target)
            _remove(unneeded)


def sha256_of(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file as hexadecimal digits."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, Any]) -> None:
    """Write arrays and JSON-able metadata to one safetensors file."""
    from safetensors.numpy import save

    header = {"format": FORMAT, "about": json.dumps(metadata, allow_nan=False)}
    content = save({name: np.asarray(value, order="C") for name, value in arrays.items()}, header)
    with atomic_write(path, "wb") as file:
        file.write(content)


def load_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays and metadata that `save_arrays` wrote; another file is refused."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise CheckpointError(f"{path}: expected a checkpoint, found no such file.")
    try:
        with safe_open(path, framework="np") as file:
            header = file.metadata() or {}
            if header.get("format") != FORMAT:
                raise CheckpointError(
                    f'{path}: expected a file of format "{FORMAT}", found "{header.get("format", "no format")}".'
                )
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            return arrays, dict(json.loads(header["about"]))
    except (SafetensorError, *WRONG_VALUE) as error:
        raise CheckpointError(f"{path}: expected a safetensors checkpoint, found a damaged file: {error}") from error


def check_digest(path: Path, digest: str) -> None:
    """Refuse a file that is missing or whose SHA-256 is another."""
    if not path.is_file():
        raise CheckpointError(f"{path}: expected a file of the saved model, found none. Copy the whole folder.")
    if (found := sha256_of(path)) != digest:
        raise CheckpointError(f"{path}: expected sha256 {digest}, found {found}: the file is damaged or was replaced.")


@contextmanager
def hold_lock(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Whether this process holds the lock for the length of the block; with `wait`, once the others let it go."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        while not (held := _try_lock(file)) and wait:
            time.sleep(_RETRY_SECONDS)
        yield held


def _temporary_path(target: Path) -> Path:
    return target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.part")


@contextmanager
def _naming_target(path: str | os.PathLike[str], temporary: Path) -> Iterator[None]:
    """System errors about the temporary path are raised with the path that the user named."""
    try:
        yield
    except OSError as error:
        if error.errno is None or not str(error.filename or temporary).startswith(str(temporary)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _rename_into_place(temporary: Path, target: Path, replace: bool) -> None:
    if not target.exists():
        try:
            temporary.rename(target)
        except OSError as error:  # which error a folder that has just appeared causes depends on the system
            if target.exists():
                raise FileExistsError(f"{target} exists already") from error
            raise
        return
    if not replace:  # appeared while the block ran
        raise FileExistsError(f"{target} exists already")
    if not exchange(temporary, target):
        old = _set_aside(target)
        target.rename(old)
        try:
            temporary.rename(target)
        finally:
            finish_replacement(target)
    _remove(temporary)


def _set_aside(target: Path) -> Path:
    """Where the old folder is between two renames, on a system that cannot exchange."""
    return target.with_name(f".{target.name}.old")


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def _sync_tree(folder: Path) -> None:
    for parent, _, names in os.walk(folder):
        for name in names:
            with (Path(parent) / name).open("rb") as file, suppress(OSError):
                os.fsync(file.fileno())
        _sync_folder(Path(parent))


def _sync_folder(folder: Path) -> None:
    """Make a rename durable, where the system can sync a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _try_lock(file: IO[str]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
