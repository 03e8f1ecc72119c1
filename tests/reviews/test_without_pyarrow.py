"""Where pyarrow is not installed, everything else works, and what needs it says in one line what to install."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from fewaspect.bulk.storage import find_files
from fewaspect.core.errors import ConfigError
from fewaspect.data.formats import read_sentences, write_sentences
from fewaspect.data.labelled import LabelledSentence
from fewaspect.detector.arrow_tables import names_of
from fewaspect.reviews.formats import InputFormat, OutputFormat
from fewaspect.reviews.pipeline import Stream, Summary, detect_stream
from fewaspect.reviews.readers.source import Source
from fewaspect.reviews.writers import Layout, Target
from fewaspect.studio.importing.uploads import keep_upload
from keyword_detector import KeywordDetector

PARQUET = 'Parquet needs pyarrow, which is not installed. Run: pip install "fewaspect[tables]"'


@pytest.fixture(autouse=True)
def _no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("pyarrow", "pyarrow.parquet", "pyarrow.compute", "pyarrow.types", "pyarrow.fs"):
        monkeypatch.setitem(sys.modules, name, None)


def detect(source: Path, target: Path) -> None:
    detector = KeywordDetector()
    stream = Stream(Source(str(source), InputFormat(source.suffix[1:])))
    classes = tuple(detector.classes_)
    where = Target(str(target), OutputFormat(target.suffix[1:]))
    detect_stream(detector, stream, where, Layout(classes), Summary(classes))


def refusal(action: object) -> str:
    with pytest.raises(ConfigError) as caught:
        action()  # type: ignore[operator]
    return str(caught.value)


@pytest.mark.parametrize("target", ["out.csv", "out.jsonl", "out.html"])
def test_text_is_read_and_written(tmp_path: Path, target: str) -> None:
    (path := tmp_path / "r.jsonl").write_text(json.dumps({"text": "cold soup"}))
    detect(path, tmp_path / target)
    assert "food" in (tmp_path / target).read_text()


def test_parquet_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    (text := tmp_path / "r.txt").write_text("cold soup\n")
    (parquet := tmp_path / "r.parquet").write_bytes(b"PAR1")
    assert refusal(lambda: detect(parquet, tmp_path / "out.csv")) == PARQUET
    assert refusal(lambda: detect(text, tmp_path / "out.parquet")) == PARQUET
    assert refusal(lambda: read_sentences(parquet)) == PARQUET
    assert refusal(lambda: write_sentences([LabelledSentence("a")], tmp_path / "a.parquet")) == PARQUET
    assert refusal(lambda: keep_upload(io.BytesIO(b"PAR1"), "r.parquet", 1 << 20)) == PARQUET
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.parquet", "r.txt"]


def test_bulk_jobs_and_batches_name_what_they_need(tmp_path: Path) -> None:
    from fewaspect.bulk import storage

    storage._local.cache_clear()
    needs = "needs pyarrow, which is not installed. Run: pip install"
    assert refusal(lambda: find_files(str(tmp_path))) == f'A bulk job {needs} "fewaspect[bulk]"'
    assert refusal(lambda: names_of({})) == f'predict_batch {needs} "fewaspect[tables]"'
