"""The sample set keeps its promises: enough of everything, nothing twice, nothing leaked between splits."""

import json
import re
from collections import Counter
from importlib.resources import files
from itertools import combinations

import pytest

from fewaspect.core.errors import DataError
from fewaspect.data.sample_set import SAMPLE_SPLITS, _read, load_sample, load_showcase
from fewaspect.text.identity import text_identity

DOMAINS = {"restaurants", "hotels", "salons"}


@pytest.fixture(scope="module")
def sample():
    return load_sample()


@pytest.fixture(scope="module")
def showcase():
    return load_showcase()


@pytest.fixture(scope="module")
def records():
    """(split, record) for each line, read without the loader: the loader drops the domain."""
    folder = files("fewaspect.data") / "sample"
    return [
        (split, json.loads(line))
        for split in SAMPLE_SPLITS
        for line in (folder / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


@pytest.fixture(scope="module")
def domain_of(records):
    return {aspect: record["domain"] for _, record in records for aspect in record["labels"]}


def showcase_texts(showcase):
    return [text for texts in showcase.examples.values() for text in texts] + [r.text for r in showcase.reviews]


def split_texts(sample):
    return [text for split in sample.values() for text in split.texts]


def words_of(text):
    return frozenset(re.findall(r"\w+", text.casefold()))


def test_the_loader_returns_each_line_of_the_files(sample, records):
    loaded = [(name, s.text, list(s.aspects)) for name, split in sample.items() for s in split]
    assert loaded == [(split, record["text"], record["labels"]) for split, record in records]


def test_each_line_has_text_labels_and_domain_only(records):
    for _, record in records:
        assert set(record) == {"text", "labels", "domain"}
        assert record["domain"] in DOMAINS
        assert len(record["labels"]) == len(set(record["labels"])) <= 3


def test_there_are_at_least_24_aspects_with_8_or_9_in_each_domain(domain_of):
    assert len(domain_of) >= 24
    per_domain = Counter(domain_of.values())
    assert set(per_domain) == DOMAINS
    assert all(8 <= count <= 9 for count in per_domain.values()), per_domain


def test_an_aspect_belongs_to_one_domain(records, domain_of):
    for _, record in records:
        assert {domain_of[aspect] for aspect in record["labels"]} <= {record["domain"]}, record["text"]


def test_the_splits_share_no_aspect(sample):
    for one, other in combinations(sample.values(), 2):
        assert not set(one.classes) & set(other.classes)


def test_each_split_has_enough_aspects_and_all_domains(sample, domain_of):
    assert {name: len(split.classes) for name, split in sample.items()} == {"train": 12, "validation": 6, "test": 8}
    for split in sample.values():
        assert {domain_of[aspect] for aspect in split.classes} == DOMAINS


def test_each_aspect_has_at_least_25_distinct_sentences(sample):
    for split in sample.values():
        for column, aspect in enumerate(split.classes):
            assert len(set(split.text_ids[split.labels[:, column]])) >= 25, aspect


def test_at_least_a_third_of_the_labelled_sentences_have_several_aspects(sample):
    for split in sample.values():
        labelled = [s for s in split if s.aspects]
        assert 3 * sum(len(s.aspects) > 1 for s in labelled) >= len(labelled), split.name


def test_each_split_has_sentences_with_no_aspect(sample):
    nones = [sum(not s.aspects for s in split) for split in sample.values()]
    assert min(nones) >= 10
    assert 35 <= sum(nones) <= 45


def test_no_text_occurs_twice(sample, showcase):
    counts = Counter(map(text_identity, split_texts(sample) + showcase_texts(showcase)))
    assert [text for text, count in counts.items() if count > 1] == []


def test_no_two_texts_are_near_copies(sample, showcase):
    texts = split_texts(sample) + showcase_texts(showcase)
    bags = [(text, words_of(text)) for text in texts]
    near = [(a, b) for (a, x), (b, y) in combinations(bags, 2) if len(x & y) > 0.7 * len(x | y)]
    assert near == []


def test_sentences_have_4_to_35_words(sample, showcase):
    odd = [text for text in split_texts(sample) + showcase_texts(showcase) if not 4 <= len(text.split()) <= 35]
    assert odd == []


def test_sentences_seldom_contain_the_name_of_their_aspect(sample):
    for split in sample.values():
        for column, aspect in enumerate(split.classes):
            texts = [split.texts[row].casefold() for row in split.labels[:, column].nonzero()[0]]
            assert 3 * sum(aspect in text for text in texts) < len(texts), aspect


def test_the_showcase_has_six_test_aspects_with_4_or_5_examples(sample, showcase):
    assert len(showcase.examples) == 6
    assert set(showcase.examples) <= set(sample["test"].classes)
    assert all(4 <= len(texts) <= 5 for texts in showcase.examples.values())


def test_the_showcase_reviews_mention_up_to_three_of_its_aspects(showcase):
    assert 12 <= len(showcase.reviews) <= 14
    for review in showcase.reviews:
        assert len(review.aspects) <= 3
        assert set(review.aspects) <= set(showcase.examples)
    mentioned = Counter(aspect for review in showcase.reviews for aspect in review.aspects)
    assert all(mentioned[aspect] >= 2 for aspect in showcase.examples), mentioned
    assert sum(len(review.aspects) >= 2 for review in showcase.reviews) >= 4


def test_no_showcase_sentence_is_in_a_split(sample, showcase):
    assert not set(map(text_identity, split_texts(sample))) & set(map(text_identity, showcase_texts(showcase)))


def test_a_file_missing_from_the_package_is_named_in_the_error():
    with pytest.raises(DataError, match=r'"absent\.jsonl".*Install fewaspect again'):
        _read("absent.jsonl")
