"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: Literal["w", "wb"] = "w") -> Iterator[IO[Any]]:
    """A file handle whose content takes the place of `path` at the end of the block; after an error nothing changed.

    Text is UTF-8 with line ends left as written. A file that is replaced leaves its mode to the new one; a pipe or a
    device has no place that could be taken and gets what is written as it comes.
    """
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    if Path(path).exists() and not Path(path).is_file():  # before links are followed: that of a pipe leads nowhere
        with Path(path).open(mode, **text) as file:
            yield file
        return
    target = Path(path).resolve()  # a link stays a link: its target is replaced
    temporary = _beside(target)
    try:
        with _named_after(path, temporary):
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
    """An empty folder to fill, which becomes `path` at the end of the block; after an error nothing changed.

    An existing `path` raises FileExistsError unless `replace` is set; then it leaves its mode to the new one.
    """
    target = Path(path).resolve()
    if target.exists() and not replace:
        raise FileExistsError(f"{target} exists already")
    temporary = _beside(target)
    try:
        with _named_after(path, temporary):
            temporary.mkdir()
            yield temporary
            _sync_tree(temporary)
            if target.exists():
                shutil.copymode(target, temporary)  # now that it is filled: it may forbid that
            _put_in_place(temporary, target, replace)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _sync_folder(target.parent)


def sha256_of(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file as hexadecimal digits, read in pieces."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.part")


@contextmanager
def _named_after(path: str | os.PathLike[str], temporary: Path) -> Iterator[None]:
    """An error of writing names what the user asked for, not the temporary file or one in the temporary folder."""
    try:
        yield
    except OSError as error:
        if error.errno is None or not str(error.filename or temporary).startswith(str(temporary)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _put_in_place(temporary: Path, target: Path, replace: bool) -> None:
    """Rename, with an existing folder set aside first (no system call swaps two folders portably)."""
    if not target.exists():
        try:
            temporary.rename(target)
        except OSError as error:  # systems differ in what they call a folder that appeared this instant
            if target.exists():
                raise FileExistsError(f"{target} exists already") from error
            raise
        return
    if not replace:  # appeared while the block ran
        raise FileExistsError(f"{target} exists already")
    old = _beside(target)
    target.rename(old)
    try:
        temporary.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old) if old.is_dir() else old.unlink()


def _sync_tree(folder: Path) -> None:
    for parent, _, names in os.walk(folder):
        for name in names:
            with (Path(parent) / name).open("rb") as file, suppress(OSError):
                os.fsync(file.fileno())
        _sync_folder(Path(parent))


def _sync_folder(folder: Path) -> None:
    """Make a rename durable; systems that cannot sync a folder are left to themselves."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
