"""Files that come from outside, kept in a folder of their own; never larger than allowed."""

from __future__ import annotations

import gzip
import hashlib
import re
import shutil
import tempfile
import zlib
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from fewaspect.core.errors import ConfigError, DataError, FewAspectError
from fewaspect.data.formats.parquet import opened_parquet
from fewaspect.data.formats.records import Place
from fewaspect.reviews.formats import InputFormat, choose_formats
from fewaspect.reviews.readers.text_format import SAMPLE, holds_table
from fewaspect.studio.importing.budget import Budget, TimedSource
from fewaspect.studio.problems import TooLargeError, UnsupportedError

PIECE = 1 << 20


@dataclass(frozen=True)
class Reading:
    """How a person says that a file is to be read; what is None is detected."""

    encoding: str | None = None
    delimiter: str | None = None  # NO_CELLS: each line is a review
    sheet: str | None = None


AS_DETECTED = Reading()
NO_CELLS = "none"
_TEXTS = (InputFormat.TXT, InputFormat.CSV, InputFormat.TSV)


@dataclass(frozen=True)
class Upload:
    """A file and the folder that goes with it when it is done."""

    folder: Path
    name: str
    format: InputFormat
    reading: Reading = AS_DETECTED

    @property
    def path(self) -> Path:
        return self.folder / self.name

    def source(self, budget: Budget) -> TimedSource:
        how = self.reading
        delimiter = None if how.delimiter == NO_CELLS else how.delimiter
        return TimedSource(str(self.path), self.format, how.encoding, delimiter, how.sheet, budget)

    @property
    def title(self) -> str:
        """By which it is listed: its name, and the sheet that was asked for."""
        return f"{self.name}, {self.reading.sheet}" if self.reading.sheet else self.name

    @property
    def digest(self) -> str:
        """Of its content, unpacked."""
        with self.path.open("rb") as file:
            found = hashlib.sha256()
            while piece := file.read(PIECE):
                found.update(piece)
            return found.hexdigest()

    def as_user_error(self, error: FewAspectError) -> FewAspectError:
        """The same error about the file as the user knows it, without advice that is for the command line."""
        problem, _, remedy = str(error).replace(f"{self.folder}/", "").partition("\n")
        advice = [sentence for sentence in re.split(r"(?<=[.?]) ", remedy) if "--" not in sentence]
        return type(error)(f"{problem}\n{' '.join(advice)}".rstrip("\n"))

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def keep_upload(
    file: BinaryIO, name: str | None, most_bytes: int, reading: Reading = AS_DETECTED, within: Path | None = None
) -> Upload:
    """The upload on disk, unpacked if it was compressed; only the last part of its name is used."""
    plain = re.sub(r"[^\w. -]", "_", Path((name or "").replace("\\", "/")).name)[-80:].lstrip(".") or "upload"
    try:
        read_as, _ = choose_formats(plain, "-")
    except ConfigError:
        kinds = ", ".join(f".{kind.value}" for kind in InputFormat)
        raise UnsupportedError(f"{plain}: expected a file that ends in {kinds}, found another.") from None
    folder = Path(tempfile.mkdtemp(prefix="fewaspect-", dir=within))
    upload = Upload(folder, plain.removesuffix(".gz"), read_as, reading)
    try:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        _copy(gzip.GzipFile(fileobj=file, mode="rb") if packed else file, upload, most_bytes)
        if upload.format is InputFormat.PARQUET:
            _refuse_large_parquet(upload, most_bytes)
        if upload.format in _TEXTS:
            upload = replace(upload, format=_text_format(upload))
    except BaseException:
        upload.remove()
        raise
    return upload


def _text_format(upload: Upload) -> InputFormat:
    """A table, or a review in each line: as it is said, else by the name, and for .txt by the content."""
    if upload.reading.delimiter is not None:
        if upload.reading.delimiter == NO_CELLS:
            return InputFormat.TXT
        return InputFormat.CSV if upload.format is InputFormat.TXT else upload.format
    if upload.format is InputFormat.TXT:
        with upload.path.open("rb") as file, suppress(LookupError):  # of an encoding: refused when it is read
            if holds_table(file.read(SAMPLE), upload.reading.encoding):
                return InputFormat.TSV
    return upload.format


def _copy(file: BinaryIO | gzip.GzipFile, upload: Upload, most_bytes: int) -> None:
    """In pieces: a small file may unpack to a very large one."""
    left = most_bytes
    with upload.path.open("xb") as target:
        try:
            while piece := file.read(PIECE):
                left -= len(piece)
                if left < 0:
                    raise TooLargeError(f"{upload.name}: expected at most {most_bytes >> 20} MB unpacked, found more.")
                target.write(piece)
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise DataError(f"{upload.name}: expected gzip-compressed data, found damaged ones ({error}).") from None


def _refuse_large_parquet(upload: Upload, most_bytes: int) -> None:
    with opened_parquet(upload.path, Place(upload.name)) as parquet:
        metadata = parquet.metadata
        size = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    if size > most_bytes:
        raise TooLargeError(f"{upload.name}: expected at most {most_bytes >> 20} MB unpacked, found more.")
