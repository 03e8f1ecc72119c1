"""Files by path or address (s3://, gs://) through pyarrow: listed, read, and written atomically."""

from __future__ import annotations

import fnmatch
import gzip
import io
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any, cast

from fewaspect.core.extras import require
from fewaspect.core.files import atomic_write
from fewaspect.data.formats.records import Place

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem, NativeFile

_BUFFER = 1 << 20
_RENAME = "Rename it: bulk jobs read names in UTF-8 only."
_END = fnmatch.translate("")[-2:]  # "\\Z", or since Python 3.14 "\\z"


@dataclass(frozen=True)
class InputFile:
    """A file and what tells whether it is still the same."""

    path: str  # with its scheme, if it has one
    size: int
    modified: int  # in nanoseconds


def arrow(module: str = "pyarrow") -> ModuleType:
    """pyarrow, or one of its modules."""
    return require(module, "bulk", "A bulk job")


def native_file(path: str) -> NativeFile:
    """A file as Arrow reads it, from any offset."""
    system, inside = filesystem(path)
    return system.open_input_file(inside)


def opened(path: str) -> IO[bytes]:
    """A file to read from any offset; one that ends in .gz is decompressed."""
    file = io.BufferedReader(cast(Any, native_file(path)), _BUFFER)
    return cast(IO[bytes], gzip.GzipFile(fileobj=file)) if path.lower().endswith(".gz") else file


@contextmanager
def local_copy(path: str) -> Iterator[str]:
    """A file on this machine with the same content: itself, or for the length of the block a copy."""
    system, inside = filesystem(path)
    if system.type_name == "local":
        yield inside
        return
    with tempfile.TemporaryDirectory(prefix="fewaspect-") as folder:
        copy = Path(folder) / Path(inside).name
        with native_file(path) as source, copy.open("wb") as target:
            shutil.copyfileobj(cast(Any, source), target)
        yield str(copy)


def write_file(path: str, content: Any) -> None:
    """A whole file or none: by a rename on a disk, while an object store has whole ones only."""
    system, inside = filesystem(path)
    if system.type_name == "local":
        Path(inside).parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(inside, "wb") as file:
            file.write(content)
        return
    with system.open_output_stream(inside) as stream:
        stream.write(content)


def read_file(path: str) -> bytes | None:
    """What a file holds, None if there is none."""
    system, inside = filesystem(path)
    with suppress(FileNotFoundError), system.open_input_stream(inside, compression=None) as stream:
        return stream.read()
    return None


def list_names(folder: str) -> set[str]:
    """Of the files and folders directly in it; empty if there is none."""
    system, inside = filesystem(folder)
    selector = arrow("pyarrow.fs").FileSelector(inside, allow_not_found=True)
    return {info.base_name for info in system.get_file_info(selector)}


def remove_temporary_files(folder: str) -> None:
    """What a killed process was writing on a disk: files with the hidden names of unfinished ones."""
    system, inside = filesystem(folder)
    if system.type_name == "local":
        for path in Path(inside).glob(".*.part"):
            path.unlink(missing_ok=True)


def find_files(given: str) -> list[InputFile]:
    """A file, all files of a folder and its subfolders, or those that match a glob with * ? [] and **, by name.

    Files and folders whose names begin with "_" or "." are left out, as Hadoop and Spark do.
    """
    system, inside = filesystem(given)
    wild = re.search(r"[^/]*[*?\[]", inside)
    root = inside[: wild.start()] if wild else inside
    matches = re.compile(_glob_pattern(inside) if wild else ".*", re.DOTALL)
    files = [
        info
        for info in _listed(system, root, Place(given))
        if matches.fullmatch(info.path) and not _is_hidden(info.path[len(root) :])
    ]
    if not files:
        raise Place(given).error("expected files with reviews, found none.")
    scheme = given[: given.index("://") + 3] if "://" in given else ""
    described = (InputFile(scheme + info.path, info.size or 0, info.mtime_ns or 0) for info in files)
    return sorted(described, key=lambda file: file.path)


def _listed(system: FileSystem, root: str, place: Place) -> list[FileInfo]:
    """The file itself, or all files below a folder."""
    fs = arrow("pyarrow.fs")
    own = system.get_file_info(root.rstrip("/"))
    if own.type == fs.FileType.NotFound:
        raise place.error("expected reviews, found nothing of that name.")
    if own.type == fs.FileType.File:
        return [own]
    try:
        below = [(info, info.path) for info in system.get_file_info(fs.FileSelector(root, recursive=True))]
    except UnicodeDecodeError as error:
        raise place.error(f"expected names in UTF-8, found a file with another ({error.object!r}).", _RENAME) from None
    return [info for info, _ in below if info.type == fs.FileType.File]


def filesystem(path: str) -> tuple[FileSystem, str]:
    """What reads a path, and its name there."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise Place(path).error("expected a name in UTF-8, found another.", _RENAME) from None
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
    return arrow("pyarrow.fs").LocalFileSystem()


@cache
def _remote(scheme: str, bucket: str) -> tuple[FileSystem, str]:
    """Made once for a bucket: to look for its region takes a request over the network."""
    system, start = arrow("pyarrow.fs").FileSystem.from_uri(f"{scheme}://{bucket}/")
    return system, start.rstrip("/")


def _is_hidden(inside: str) -> bool:
    return any(part.startswith(("_", ".")) for part in inside.split("/"))


def _glob_pattern(glob: str) -> str:
    """A glob as a regular expression: *, ? and [] stop at a slash, ** does not."""
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[!?\]?[^]]*\])", glob)
    return "".join(known.get(part) or _class_pattern(part) for part in parts)


def _class_pattern(part: str) -> str:
    """[a-c], or [!a-c] for all others, by the rules of fnmatch; a range that runs backwards matches nothing."""
    if len(part) < 2 or not part.startswith("["):
        return re.escape(part)
    return f"(?!/){fnmatch.translate(part)[: -len(_END)]}"
