"""Named benchmarks are the published ones, share no aspect between splits, and say what they were trained on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fewaspect.core.errors import BenchmarkError
from fewaspect.core.files import sha256_of
from fewaspect.data import benchmarks
from fewaspect.data.benchmarks import Benchmark, load_benchmark, verify_checksums
from fewaspect.data.formats import write_sentences
from fewaspect.data.labelled import LabelledSentence, SentenceSet

DATA = Path(os.environ.get("FEWASPECT_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
needs_data = pytest.mark.skipif(
    not (DATA / "fewasp").is_dir(), reason="needs the FewAsp files: set FEWASPECT_DATA to the folder that holds fewasp/"
)

Build = Callable[..., Path]


def sentences(*aspects: str, each: int = 2) -> list[LabelledSentence]:
    return [LabelledSentence(f"{aspect} {i}", (aspect,)) for aspect in aspects for i in range(each)]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder laid out as FewAsp with published counts to match: 2 lines for each of 2, 1 and 1 aspects."""
    monkeypatch.setattr(benchmarks, "_ASPECTS", {"train": 2, "val": 1, "test": 1})
    for name in ("fewasp-single", "fewasp-multi"):
        counts = benchmarks._FewAsp(benchmarks._FEWASP[name].folder, {"train": 4, "val": 2, "test": 2})
        monkeypatch.setitem(benchmarks._FEWASP, name, counts)
    root = tmp_path / "data"
    for folder in ("single", "multi"):
        (root / "fewasp" / folder).mkdir(parents=True)
        write_sentences(sentences("room overall"), root / "fewasp" / folder / "val.json")
        write_sentences(sentences("parking"), root / "fewasp" / folder / "test.json")
    write_sentences(sentences("food main", "price"), root / "fewasp" / "single" / "train.json")
    write_sentences(sentences("food_main", "Price", "drinks", each=3), root / "extra.jsonl")
    monkeypatch.chdir(tmp_path)
    return root


def test_the_own_train_file_is_named_as_the_source(small: Path) -> None:
    benchmark = load_benchmark("fewasp-single", small)
    assert benchmark.require_train().classes == ("food main", "price")
    assert benchmark.train_source == "fewasp-single train.json"
    assert benchmark.validation.classes == ("room overall",)
    assert benchmark.test.classes == ("parking",)


def test_the_fewasp_folder_itself_may_be_the_root(small: Path) -> None:
    assert len(load_benchmark("fewasp-single", small / "fewasp").require_train()) == 4


def test_an_absent_train_file_stops_training_only_and_names_the_substitute(small: Path) -> None:
    benchmark = load_benchmark("fewasp-multi", small)
    assert benchmark.train is None
    assert len(benchmark.test) == 2
    with pytest.raises(BenchmarkError) as caught:
        benchmark.require_train()
    for part in ("fewasp/multi/train.json", "4 lines with 2 aspects", '"text_u"', "--train yelpaspect_train.jsonl"):
        assert part in str(caught.value).replace(os.sep, "/")


def test_a_substitute_is_found_in_the_data_folder_and_marked_in_the_source(small: Path) -> None:
    benchmark = load_benchmark("fewasp-multi", small, train="extra.jsonl")
    assert benchmark.train_source == "extra.jsonl (substitute)"
    assert benchmark.require_train().classes == ("drinks", "food main", "price")


def test_the_working_folder_comes_before_the_data_folder(small: Path, tmp_path: Path) -> None:
    write_sentences(sentences("here"), tmp_path / "extra.jsonl")
    assert load_benchmark("fewasp-multi", small, train="extra.jsonl").require_train().classes == ("here",)


@pytest.mark.parametrize("train", ["fewasp-single, extra.jsonl", ["fewasp-single", Path("extra.jsonl")]])
def test_several_training_files_are_joined(small: Path, train: str | list[str | Path]) -> None:
    benchmark = load_benchmark("fewasp-multi", small, train=train)
    assert len(benchmark.require_train()) == 4 + 9
    assert benchmark.train_source == "fewasp-single train.json + extra.jsonl (substitute)"


@pytest.mark.parametrize("train", ["fewasp-single", "fewasp/single/train.json"])
def test_naming_the_own_train_file_is_no_substitute(small: Path, train: str) -> None:
    assert load_benchmark("fewasp-single", small, train=train).train_source == "fewasp-single train.json"


def test_training_aspects_of_a_held_out_split_are_refused_however_they_are_spelt(small: Path) -> None:
    write_sentences(sentences("Room_Overall", "food"), small / "leak.jsonl")
    with pytest.raises(
        BenchmarkError, match=r"found 1 of the training data .* in the validation split too: room overall"
    ):
        load_benchmark("fewasp-multi", small, train="leak.jsonl")


@pytest.mark.parametrize(("name", "same"), [("food", "food"), ("FOOD#MAIN", "food main"), ("food", "Food")])
def test_splits_that_share_an_aspect_are_refused(name: str, same: str) -> None:
    one, other = SentenceSet(sentences(name)), SentenceSet(sentences(same, "price"))
    with pytest.raises(BenchmarkError, match="validation split in the test split too: food"):
        Benchmark("mine", None, one, other, "")


def test_other_counts_than_the_published_ones_are_refused(small: Path) -> None:
    write_sentences(sentences("parking", each=3), small / "fewasp" / "multi" / "test.json")
    with pytest.raises(
        BenchmarkError, match="expected the published 2 lines with 1 aspects, found 3 lines with 1 aspects"
    ):
        load_benchmark("fewasp-multi", small)
    write_sentences(sentences("parking", "pool", each=1), small / "fewasp" / "multi" / "test.json")
    with pytest.raises(BenchmarkError, match="found 2 lines with 2 aspects"):
        load_benchmark("fewasp-multi", small)


@pytest.mark.parametrize(
    ("train", "says"),
    [
        ("nowhere.jsonl", "expected the training file nowhere.jsonl, found no"),
        ("extra.jsonl,,", "expected names of training files"),
        ("extra.jsonl,extra.jsonl", "twice"),
        ("fewasp-multi", "expected the train split of fewasp-multi for --train fewasp-multi"),
        ([], "expected names of training files"),
    ],
)
def test_training_files_that_cannot_be_used_are_named(small: Path, train: str | list[str], says: str) -> None:
    with pytest.raises(BenchmarkError, match=says):
        load_benchmark("fewasp-multi", small, train=train)


def test_missing_files_and_unknown_names_are_reported(tmp_path: Path) -> None:
    with pytest.raises(
        BenchmarkError, match=r"val\.json: expected the val split of fewasp \(10,080 lines, 16 aspects\)"
    ):
        load_benchmark("fewasp", tmp_path)
    with pytest.raises(BenchmarkError, match="Pass --data FOLDER"):
        load_benchmark("fewasp")
    with pytest.raises(BenchmarkError, match='fewasp-single, fewasp-multi, fewasp, sample, found "fewsap"'):
        load_benchmark("fewsap", tmp_path)


def test_a_listed_checksum_must_match_and_an_unlisted_file_may_be_anything(small: Path) -> None:
    path = small / "fewasp" / "single" / "test.json"
    sums = small / "SHA256SUMS"
    sums.write_text(f"{sha256_of(path)}  ./fewasp/single/test.json\n")
    verify_checksums(small, [path, small / "extra.jsonl"])
    assert len(load_benchmark("fewasp-single", small).test) == 2
    sums.write_text(f"{'0' * 64}  ./fewasp/single/test.json\n")
    with pytest.raises(BenchmarkError, match=r"test\.json: expected the SHA-256 0000"):
        load_benchmark("fewasp-single", small)


def test_the_sample_needs_no_folder_and_takes_other_training_data(small: Path) -> None:
    sample = load_benchmark("sample")
    assert len(sample.require_train()) > 0
    assert sample.train_source == "sample train split"
    other = load_benchmark("sample", small, train="fewasp-single")
    assert other.train_source == "fewasp-single train.json (substitute)"
    assert other.test.texts == sample.test.texts


@needs_data
@pytest.mark.parametrize(
    ("name", "validation", "test"),
    [("fewasp-single", 3_200, 4_000), ("fewasp-multi", 6_400, 8_000), ("fewasp", 10_080, 12_600)],
)
def test_the_real_files_have_the_published_counts(name: str, validation: int, test: int) -> None:
    benchmark = load_benchmark(name, DATA)
    assert (len(benchmark.validation), len(benchmark.test)) == (validation, test)
    assert (len(benchmark.validation.classes), len(benchmark.test.classes)) == (16, 20)
    assert set(benchmark.validation.classes).isdisjoint(benchmark.test.classes)


@needs_data
def test_the_substitute_has_exactly_the_training_aspects_of_fewasp() -> None:
    own = load_benchmark("fewasp-single", DATA).require_train()
    substitute = load_benchmark("fewasp-multi", DATA, train="yelpaspect_train.jsonl").require_train()
    assert len(own) == 12_800
    assert len(own.classes) == 64
    assert substitute.classes == own.classes
