"""A file of FewAsp is told to be the published one, the same records, perhaps the published one, or another file."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fewaspect.core.errors import DataError
from fewaspect.data.formats import Format, read_sentences, write_sentences
from fewaspect.data.labelled import LabelledSentence, SentenceSet
from fewaspect.data.provenance import (
    GENUINE,
    OTHER,
    SAME_RECORDS,
    UNPROVEN,
    Provenance,
    Published,
    _findings,
    provenance,
    published_files,
    records_digest,
)

DATA = Path(os.environ.get("FEWASPECT_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
needs_data = pytest.mark.skipif(
    not (DATA / "fewasp").is_dir(), reason="needs the FewAsp files: set FEWASPECT_DATA to the folder that holds fewasp/"
)
TRAIN = "fewasp-multi/train"
FOLDERS = {"fewasp-single": "single", "fewasp-multi": "multi", "fewasp": "all"}
KNOWN = [file for file in published_files() if file.sha256]
SMALL = Published(TRAIN.split("/")[0], "train", ("hotel", "staff owner", "money"), 4)
Lines = list[LabelledSentence]


def compare(path: Path, name: str | None = None, root: Path | None = None) -> Provenance:
    found = provenance(path, read_sentences(path), name, root)
    assert found is not None
    return found


def plausible() -> Lines:
    """Lines like those of a train file: a block for each aspect; each block's last text also stands in the next."""
    lines = [LabelledSentence(f"sentence {i} of {a}", (a,)) for a in SMALL.aspects for i in range(SMALL.block)]
    for n in range(1, len(SMALL.aspects)):
        both = LabelledSentence(f"shared {n}", (SMALL.aspects[n - 1], SMALL.aspects[n]))
        lines[n * SMALL.block - 1] = lines[n * SMALL.block] = both
    return lines


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """One published file, a small one, without a digest."""
    monkeypatch.setattr("fewaspect.data.provenance.published_files", lambda: (SMALL,))


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Lines], Path]:
    def write(lines: Lines) -> Path:
        write_sentences(lines, tmp_path / "train.json")
        return tmp_path / "train.json"

    return write


def changed(lines: Lines, place: int, text: str, *aspects: str) -> Lines:
    return [*lines[:place], LabelledSentence(text, aspects), *lines[place + 1 :]]


def test_the_published_sizes_are_those_of_the_papers_table_of_datasets() -> None:
    assert {file.name: (len(file.aspects), file.lines) for file in published_files()} == {
        "fewasp-single/train": (64, 12800), "fewasp-single/val": (16, 3200), "fewasp-single/test": (20, 4000),
        "fewasp-multi/train": (64, 25600), "fewasp-multi/val": (16, 6400), "fewasp-multi/test": (20, 8000),
        "fewasp/train": (64, 40320), "fewasp/val": (16, 10080), "fewasp/test": (20, 12600),
    }  # fmt: skip
    aspects = {aspect for file in published_files() for aspect in file.aspects}
    assert len(aspects) == 100


def test_digests_are_known_of_all_but_two_train_files() -> None:
    unknown = [file.name for file in published_files() if not (file.sha256 and file.records_sha256)]
    assert unknown == ["fewasp-multi/train", "fewasp/train"]


@needs_data
@pytest.mark.parametrize("file", KNOWN, ids=lambda file: file.name)
def test_a_published_file_is_genuine_and_its_records_are_known_in_any_order(file: Published, tmp_path: Path) -> None:
    path = DATA / "fewasp" / FOLDERS[file.benchmark] / f"{file.split}.json"
    sentences = read_sentences(path)
    found = compare(path)
    assert (found.published, found.verdict) == (file.name, GENUINE)
    against, agrees = _findings(sentences, file, None)  # what is asked of the train files without a digest holds of all
    assert against == []
    assert agrees[-1] == f"a block of {file.block} lines for each aspect, in the published order"
    lines = list(sentences)
    random.Random(0).shuffle(lines)
    write_sentences(lines, tmp_path / "other.jsonl")
    found = compare(tmp_path / "other.jsonl")
    assert (found.published, found.verdict, found.findings) == (file.name, SAME_RECORDS, ())
    assert str(found) == f"same records as {file.name}, in another order or form"


@needs_data
def test_the_form_that_other_groups_ship_has_the_same_records(tmp_path: Path) -> None:
    lines = [
        LabelledSentence(s.text, tuple(a.replace(" ", "_") for a in reversed(s.aspects)))
        for s in read_sentences(DATA / "fewasp" / "multi" / "val.json")
    ]
    write_sentences(lines, tmp_path / "val.json", Format.FEWASP_GROUPED)
    assert compare(tmp_path / "val.json").verdict == SAME_RECORDS


@needs_data
def test_one_changed_word_makes_it_another_file(tmp_path: Path) -> None:
    path = tmp_path / "val.json"
    shutil.copyfile(DATA / "fewasp" / "multi" / "val.json", path)
    path.chmod(0o644)
    path.write_text(path.read_text(encoding="utf-8").replace("gorgeous", "ugly", 1), encoding="utf-8")
    found = compare(path)
    assert (found.published, found.verdict) == ("fewasp-multi/val", OTHER)
    assert "its records have the SHA-256" in str(found)


@pytest.mark.usefixtures("small")
def test_a_file_made_like_the_others_may_be_the_published_one(written: Callable[[Lines], Path]) -> None:
    found = compare(written(plausible()))
    assert (found.published, found.verdict) == (TRAIN, UNPROVEN)
    assert str(found).startswith(f"may be {TRAIN}: no digest of it is known, and nothing speaks against it")
    assert "a block of 4 lines for each aspect, in the published order" in found.findings
    assert f"the SHA-256 of its records is {found.records_sha256}" in found.findings


@pytest.mark.usefixtures("small")
def test_another_order_is_named_and_speaks_not_against_it(written: Callable[[Lines], Path]) -> None:
    lines = plausible()
    lines[0], lines[5] = lines[5], lines[0]
    found = compare(written(lines))
    assert found.verdict == UNPROVEN
    assert 'not in the published order (line 1 lacks "hotel")' in found.findings


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (lambda lines: lines[1:], "11 lines instead of 12"),
        (lambda lines: changed(lines, 0, "x", "hotel", "parking"), "aspects that are not in it: parking"),
        (lambda lines: changed(changed(lines, 1, "x", "money"), 2, "y", "money"), "fewer than 4 lines: hotel (3)"),
        (lambda lines: changed(lines, 1, lines[2].text, *lines[2].aspects), "1 texts on more lines than they have"),
        (lambda lines: changed(lines, 4, "shared 1", "staff owner"), "1 lines with other aspects than an earlier line"),
        (lambda lines: lines[:7], "aspects that are missing: money"),
    ],
)
def test_what_cannot_be_in_the_published_file_is_named(
    change: Callable[[Lines], Lines], finding: str, written: Callable[[Lines], Path]
) -> None:
    found = compare(written(change(plausible())), TRAIN)
    assert found.verdict == OTHER
    assert finding in str(found)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("single", "yelp", "verdict", "finding"),
    [
        ("elsewhere", ("sentence 1 of staff owner", "staff_owner"), UNPROVEN, "1 texts shared"),
        ("elsewhere", ("elsewhere", "staff_owner"), OTHER, "0 texts shared"),
        ("elsewhere", ("sentence 1 of staff owner", "hotel"), OTHER, "0 of them with the same aspects"),
        ("sentence 1 of hotel", ("sentence 1 of money", "money"), OTHER, "1 texts of fewasp-single/train"),
    ],
)
def test_the_other_training_sentences_of_a_data_folder_speak_for_or_against_it(
    single: str, yelp: tuple[str, str], verdict: str, finding: str,
    written: Callable[[Lines], Path], tmp_path: Path,
) -> None:  # fmt: skip
    (tmp_path / "single").mkdir()
    write_sentences([LabelledSentence(single, ("hotel",))], tmp_path / "single" / "train.json")
    write_sentences([LabelledSentence(yelp[0], (yelp[1],))], tmp_path / "yelpaspect_train.jsonl")
    found = compare(written(plausible()), root=tmp_path)
    assert found.verdict == verdict
    assert finding in str(found)


def test_a_file_with_other_aspects_is_compared_only_if_asked(written: Callable[[Lines], Path]) -> None:
    path = written([LabelledSentence("the soup was cold", ("food",))])
    assert provenance(path, read_sentences(path)) is None
    assert compare(path, "fewasp-single/test").verdict == OTHER


def test_an_unknown_name_is_refused_with_the_known_ones(written: Callable[[Lines], Path]) -> None:
    path = written([LabelledSentence("the soup was cold", ("food",))])
    with pytest.raises(DataError, match='fewasp/test, found "fewasp-multi"'):
        compare(path, "fewasp-multi")


def test_the_digest_of_records_counts_repeats_and_not_order_case_spacing_or_underscores() -> None:
    one, two = LabelledSentence("a b", ("x y", "z")), LabelledSentence("c", ("z",))
    same = LabelledSentence(" A  b", ("z", "x_y"))
    assert records_digest(SentenceSet([one, two])) == records_digest(SentenceSet([two, same]))
    assert records_digest(SentenceSet([one, two])) != records_digest(SentenceSet([one, one, two]))
    assert records_digest(SentenceSet([one, two])) != records_digest(SentenceSet([one]))
