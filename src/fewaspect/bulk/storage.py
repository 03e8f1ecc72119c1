"""Files by path or address (s3://, gs://) through pyarrow: listed, read, and put in place whole."""

from __future__ import annotations

import gzip
import io
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from fewaspect.core.files import atomic_write
from fewaspect.data.formats.places import Place

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

_BUFFER = 1 << 20


@dataclass(frozen=True)
class InputFile:
    """A file and what tells whether it is still the same."""

    path: str  # with its scheme, if it has one
    size: int
    changed: int  # in nanoseconds


def opened(path: str) -> IO[bytes]:
    """A file to read from any place in it; one that ends in .gz is decompressed."""
    system, inside = filesystem(path)
    file = io.BufferedReader(cast(Any, system.open_input_file(inside)), _BUFFER)
    return cast(IO[bytes], gzip.GzipFile(fileobj=file)) if is_compressed(path) else file


def is_compressed(path: str) -> bool:
    return path.lower().endswith(".gz")


def put(path: str, content: Any) -> None:
    """A whole file or none: by a rename on a disk, while a store of objects has them whole only."""
    system, inside = filesystem(path)
    if system.type_name == "local":
        Path(inside).parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(inside, "wb") as file:
            file.write(content)
        return
    with system.open_output_stream(inside) as stream:
        stream.write(content)


def get(path: str) -> bytes | None:
    """What a file holds, None if there is none."""
    system, inside = filesystem(path)
    with suppress(FileNotFoundError), system.open_input_stream(inside, compression=None) as stream:
        return stream.read()
    return None


def names_in(folder: str) -> set[str]:
    """Of the files and folders directly in it; empty if there is none."""
    from pyarrow.fs import FileSelector

    system, inside = filesystem(folder)
    return {info.base_name for info in system.get_file_info(FileSelector(inside, allow_not_found=True))}


def remove_leftovers(folder: str) -> None:
    """What a killed process was writing on a disk: files with the hidden names of unfinished ones."""
    system, inside = filesystem(folder)
    if system.type_name == "local":
        for path in Path(inside).glob(".*.part"):
            path.unlink(missing_ok=True)


def find_files(given: str) -> list[InputFile]:
    """A file, all files of a folder and its subfolders, or what fits a pattern with * ? [] and **, by name.

    Files and folders whose names begin with "_" or "." are left out, as everywhere in this trade.
    """
    from pyarrow.fs import FileSelector, FileType

    system, inside = filesystem(given)
    wild = re.search(r"[^/]*[*?\[]", inside)
    root = inside[: wild.start()] if wild else inside
    own = system.get_file_info(root.rstrip("/"))
    if own.type == FileType.NotFound:
        raise Place(given).error("expected reviews, found nothing of that name.")
    listed = [own] if own.type == FileType.File else system.get_file_info(FileSelector(root, recursive=True))
    fits = re.compile(_pattern(inside) if wild else ".*", re.DOTALL)
    files = [
        info
        for info in listed
        if info.type == FileType.File and fits.fullmatch(info.path) and not _hidden(info.path[len(root) :])
    ]
    if not files:
        raise Place(given).error("expected files with reviews, found none.")
    scheme = given[: given.index("://") + 3] if "://" in given else ""
    return sorted((_described(info, scheme) for info in files), key=lambda file: file.path)


def filesystem(path: str) -> tuple[FileSystem, str]:
    """What reads a path, and its name there."""
    if "://" not in path:
        return _local(), str(Path(path).absolute())
    scheme, rest = path.split("://", 1)
    try:
        system, start = _remote(scheme, rest.partition("/")[0])
    except (OSError, ValueError, ImportError) as error:
        raise Place(path).error(f"cannot be reached ({error}).") from None
    return system, start + rest.removeprefix(rest.partition("/")[0])


@cache
def _local() -> FileSystem:
    from pyarrow.fs import LocalFileSystem

    return LocalFileSystem()


@cache
def _remote(scheme: str, bucket: str) -> tuple[FileSystem, str]:
    """Made once for a bucket: to look for its region takes a question to the network."""
    from pyarrow.fs import FileSystem

    system, start = FileSystem.from_uri(f"{scheme}://{bucket}/")
    return system, start.rstrip("/")


def _described(info: FileInfo, scheme: str) -> InputFile:
    return InputFile(scheme + info.path, info.size or 0, info.mtime_ns or 0)


def _hidden(inside: str) -> bool:
    return any(part.startswith(("_", ".")) for part in inside.split("/"))


def _pattern(glob: str) -> str:
    """A glob as a regular expression: * and ? stop at a slash, ** does not."""
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^]]+\])", glob)
    return "".join(known.get(part) or (part if part.startswith("[") else re.escape(part)) for part in parts)
