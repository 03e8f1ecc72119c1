"""A sample of sentences or reviews is all of them, or a bounded and fair part."""

from __future__ import annotations

from fewaspect.reviews.sampling import ReviewSample, sample_sentences


def test_few_sentences_are_all_taken_each_once_in_order() -> None:
    reviews = ["The soup was cold. The waiter was kind.", "", "the soup  was cold.", "We left."]
    assert sample_sentences(reviews, 10) == ["The soup was cold.", "The waiter was kind.", "We left."]


def test_of_many_sentences_a_fair_part_is_taken() -> None:
    reviews = [f"Sentence number {i}." for i in range(2000)]
    found = sample_sentences(iter(reviews), 200)
    assert len(found) == len(set(found)) == 200
    assert found == sorted(found, key=reviews.index)
    early = sum(reviews.index(sentence) < 1000 for sentence in found)
    assert 70 < early < 130
    assert found == sample_sentences(reviews, 200), "the same each time"
    assert found != sample_sentences(reviews, 200, seed=1)


def test_a_sentence_that_occurs_often_has_no_better_chance() -> None:
    often, once = ["The soup was cold."] * 5000, [f"Sentence number {i}." for i in range(5000)]
    reviews = [sentence for pair in zip(often, once, strict=True) for sentence in pair]
    taken = sum("The soup was cold." in sample_sentences(reviews, 50, seed) for seed in range(20))
    assert taken < 5, "one in a hundred is expected"


def test_a_sample_of_reviews_is_the_same_in_any_order() -> None:
    reviews = [f"Review number {i}." for i in range(300)]

    def sampled(texts: list[str]) -> set[str]:
        sample = ReviewSample(100)
        for text in texts:
            sample.add(text)
        assert len(sample.texts()) == 100
        return set(sample.texts())

    assert sampled(reviews) == sampled([*reversed(reviews), *reviews])


def test_a_sample_of_reviews_holds_no_book() -> None:
    sample = ReviewSample()
    for text in ("", "The soup was cold. " * 5000):
        sample.add(text)
    assert [len(text) for text in sample.texts()] == [10_000]
