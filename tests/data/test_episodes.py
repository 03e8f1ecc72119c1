"""Episodes keep their promises and are the same everywhere; impossible settings say how to mend them."""

from __future__ import annotations

import hashlib
import multiprocessing
import random
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fewaspect.core.errors import EpisodeError
from fewaspect.data import episodes as module
from fewaspect.data.episodes import Episode, EpisodeSampler
from fewaspect.data.labelled import LabelledSentence, SentenceSet
from fewaspect.text.identity import text_identity


def sentence_set(*lines: tuple[str, str], name: str = "") -> SentenceSet:
    """Lines of (text, aspects separated by spaces)."""
    return SentenceSet((LabelledSentence(text, tuple(aspects.split())) for text, aspects in lines), name)


def plain_set(sizes: dict[str, int], unlabelled: int = 0) -> SentenceSet:
    """Sentences with one aspect each, all different."""
    lines = [(f"{aspect} sentence {i}", aspect) for aspect, size in sizes.items() for i in range(size)]
    return sentence_set(*lines, *((f"nothing {i}", "") for i in range(unlabelled)))


def overlapping_set() -> SentenceSet:
    """60 sentences, five aspects, most sentences with two or three of them."""
    return sentence_set(*((f"s{i}", f"a{i % 5} a{i * 3 % 5} a{i // 7 % 5}") for i in range(60)))


def drawn_for(episode: Episode, sampler: EpisodeSampler, n: int) -> list[int]:
    """The queries drawn for class n: they stand in the order of the classes."""
    return episode.queries[n * sampler.queries : (n + 1) * sampler.queries].tolist()


def fingerprint(episode: Episode) -> tuple[object, ...]:
    arrays = (episode.support, episode.membership, episode.support_labels, episode.queries, episode.query_labels)
    return (episode.classes, *((array.dtype.str, array.tolist()) for array in arrays))


@st.composite
def samplers(draw: st.DrawFn, protocol: str) -> EpisodeSampler:
    """Any setting on any set in which each aspect has K + Q sentences of its own; the other lines are wild.

    Wild lines carry any aspects or none, and repeat each other's texts with other labels, case and spacing.
    """
    way, shot = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    low_way, low_shot = draw(st.integers(2, way)), draw(st.integers(1, shot))
    queries = draw(st.integers(1, 3))
    names = [f"aspect {c}" for c in range(draw(st.integers(way, 6)))]
    lines = [LabelledSentence(f"{name} {i}", (name,)) for name in names for i in range(shot + queries)]
    wild = st.builds(
        LabelledSentence,
        st.sampled_from(["Wild 0", "wild  0", "WILD 0", "wild 1", "wild 1 ", "wild 2", "wild 3", "Wild 4", "wild 5"]),
        st.sets(st.sampled_from(names), max_size=3).map(lambda found: tuple(sorted(found))),
    )
    lines += draw(st.lists(wild, max_size=30))
    none_rate = draw(st.sampled_from([0.0, 0.1, 0.25, 0.5]))
    if none_rate:
        lines += [LabelledSentence(f"nothing {i}") for i in range(way * queries)]
    return EpisodeSampler(
        SentenceSet(draw(st.permutations(lines))),
        way=(low_way, way),
        shot=(low_shot, shot),
        queries=queries,
        none_rate=none_rate,
        protocol=protocol,
        seed=draw(st.integers(0, 2**40)),
    )


def check_shape(episode: Episode, sampler: EpisodeSampler) -> None:
    """What both protocols promise, with labels left aside."""
    way = len(episode.classes)
    assert sampler.way[0] <= way <= sampler.way[1]
    assert len(set(episode.classes)) == way
    assert episode.support.dtype == episode.queries.dtype == np.int64
    assert episode.membership.dtype == np.float32
    assert episode.support_labels.dtype == episode.query_labels.dtype == bool
    assert episode.membership.shape == episode.support_labels.shape == (len(episode.support), way)
    assert episode.query_labels.shape == (len(episode.queries), way)
    assert set(episode.membership.ravel().tolist()) == {0.0, 1.0}
    assert (episode.membership.sum(axis=1) == 1).all()
    shots = episode.membership.sum(axis=0)
    assert ((shots >= sampler.shot[0]) & (shots <= sampler.shot[1])).all()
    assert episode.support_labels[episode.membership.astype(bool)].all()
    for n, name in enumerate(episode.classes):
        assert episode.query_labels[n * sampler.queries : (n + 1) * sampler.queries, n].all()
        lines = [*episode.support[episode.membership[:, n] == 1].tolist(), *drawn_for(episode, sampler, n)]
        assert all(name in sampler.sentences[line].aspects for line in lines)
    none = len(episode.queries) - way * sampler.queries
    assert abs(none - way * sampler.queries * sampler.none_rate / (1 - sampler.none_rate)) < 1
    assert not episode.query_labels[way * sampler.queries :].any()


def check_labels(episode: Episode, carried: dict[int, set[str]]) -> None:
    """The label matrices say what each line carries, for the episode's classes in their order."""
    for lines, labels in ((episode.support, episode.support_labels), (episode.queries, episode.query_labels)):
        expected = [[name in carried[line] for name in episode.classes] for line in lines.tolist()]
        assert labels.tolist() == expected


@settings(max_examples=120, deadline=None)
@given(samplers("disjoint"), st.integers(0, 2**40))
def test_disjoint_episodes_never_show_a_text_twice_to_the_queries(sampler: EpisodeSampler, index: int) -> None:
    texts = [text_identity(text) for text in sampler.sentences.texts]
    aspects: dict[str, set[str]] = {}
    for text, sentence in zip(texts, sampler.sentences, strict=True):
        aspects.setdefault(text, set()).update(sentence.aspects)
    for episode in (sampler.episode(index), sampler.episode(0)):
        check_shape(episode, sampler)
        check_labels(episode, {line: aspects[text] for line, text in enumerate(texts)})
        queries = [texts[line] for line in episode.queries]
        assert len(set(queries)) == len(queries)
        assert not {texts[line] for line in episode.support} & set(queries)
        for n in range(len(episode.classes)):
            shots = [texts[line] for line in episode.support[episode.membership[:, n] == 1]]
            assert len(set(shots)) == len(shots)


@settings(max_examples=120, deadline=None)
@given(samplers("authors"), st.integers(0, 2**40))
def test_authors_episodes_draw_different_lines_within_each_class(sampler: EpisodeSampler, index: int) -> None:
    for episode in (sampler.episode(index), sampler.episode(0)):
        check_shape(episode, sampler)
        check_labels(episode, {line: set(s.aspects) for line, s in enumerate(sampler.sentences)})
        for n in range(len(episode.classes)):
            lines = [*episode.support[episode.membership[:, n] == 1].tolist(), *drawn_for(episode, sampler, n)]
            assert len(set(lines)) == len(lines)


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 6), max_size=6),
    st.integers(2, 5),
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from(["disjoint", "authors"]),
)
def test_a_set_without_overlap_is_refused_exactly_when_it_is_too_small(
    sizes: dict[str, int], way: int, shot: int, queries: int, protocol: str
) -> None:
    small = [f"{name} ({size})" for name, size in sizes.items() if size < shot + queries]

    def build() -> EpisodeSampler:
        return EpisodeSampler(plain_set(sizes), way=way, shot=shot, queries=queries, protocol=protocol)

    if len(sizes) < way or small:
        with pytest.raises(EpisodeError) as caught:
            build()
        assert len(sizes) < way or all(found in str(caught.value) for found in small)
    else:
        sampler = build()
        check_shape(sampler.episode(0), sampler)


def test_the_first_episodes_are_those_of_every_other_machine() -> None:
    digest = hashlib.sha256()
    for protocol in ("disjoint", "authors"):
        lines = [*overlapping_set(), *(LabelledSentence(f"nothing {i}") for i in range(9))]
        sampler = EpisodeSampler(
            SentenceSet(lines), way=(2, 4), shot=(1, 3), queries=2, none_rate=0.2, protocol=protocol, seed=7
        )
        for episode in sampler.episodes(20):
            digest.update(repr(episode.classes).encode())
            for array in (episode.support, episode.queries):
                digest.update(array.astype("<i8").tobytes())
            for array in (episode.membership, episode.support_labels, episode.query_labels):
                digest.update(array.astype(np.uint8).tobytes())
    assert digest.hexdigest() == "40cf6f8efff5ba43aa76067c4fb5904093767b202e5cc68284d4381b283bd847"


def test_an_episode_is_the_same_in_any_order_and_in_any_process() -> None:
    sampler = EpisodeSampler(overlapping_set(), way=(2, 3), shot=(1, 3), queries=2, seed=3)
    forward = [fingerprint(episode) for episode in sampler.episodes(12)]
    assert [fingerprint(sampler.episode(i)) for i in reversed(range(12))] == forward[::-1]
    assert [fingerprint(episode) for episode in islice(sampler, 12)] == forward
    assert [fingerprint(episode) for episode in sampler.episodes(5, start=7)] == forward[7:]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert [fingerprint(episode) for episode in pool.map(sampler.episode, range(12), chunksize=1)] == forward


def test_other_seeds_and_other_numbers_give_other_episodes() -> None:
    found = {
        repr(fingerprint(EpisodeSampler(overlapping_set(), way=3, shot=2, queries=2, seed=seed).episode(index)))
        for seed in range(10)
        for index in range(10)
    }
    assert len(found) == 100


@pytest.mark.parametrize("protocol", ["disjoint", "authors"])
def test_sampling_leaves_the_global_random_state_untouched(protocol: str) -> None:
    before = random.getstate(), repr(np.random.get_state())
    sampler = EpisodeSampler(overlapping_set(), way=2, shot=2, queries=2, none_rate=0.2, protocol=protocol)
    first = fingerprint(sampler.episode(0))
    assert (random.getstate(), repr(np.random.get_state())) == before
    random.seed(1)
    np.random.seed(1)
    assert fingerprint(sampler.episode(0)) == first


@pytest.mark.parametrize("protocol", ["disjoint", "authors"])
def test_all_aspects_and_all_their_sentences_are_drawn_equally_often(protocol: str) -> None:
    sizes = {f"a{i}": size for i, size in enumerate([6, 6, 8, 10, 15, 40, 100, 6])}
    sampler = EpisodeSampler(plain_set(sizes), way=3, shot=2, queries=1, protocol=protocol)
    classes, places = Counter[str](), Counter[str]()
    shots, queries = Counter[int](), Counter[int]()
    for episode in sampler.episodes(2400):
        classes.update(episode.classes)
        places.update([episode.classes[0]])
        shots.update(episode.support.tolist())
        queries.update(episode.queries.tolist())
    assert set(classes) == set(sizes)
    assert all(abs(count - 900) < 120 for count in classes.values())  # 2400 * 3/8, five standard deviations
    assert all(abs(count - 300) < 80 for count in places.values())
    assert all(abs(shots[line] - 300) < 70 for line in range(12))  # a0 and a1: 900 times 2 of 6
    assert all(abs(queries[line] - 150) < 60 for line in range(12))


def test_way_and_shot_ranges_reach_both_ends_and_shots_are_uneven() -> None:
    sampler = EpisodeSampler(plain_set(dict.fromkeys("abcdef", 8)), way=(2, 5), shot=(1, 4), queries=2)
    drawn = list(sampler.episodes(200))
    shots = [tuple(episode.membership.sum(axis=0).astype(int).tolist()) for episode in drawn]
    assert {len(episode.classes) for episode in drawn} == {2, 3, 4, 5}
    assert {k for episode in shots for k in episode} == {1, 2, 3, 4}
    assert any(len(set(episode)) > 1 for episode in shots)


def test_none_queries_have_their_share_on_average_however_small() -> None:
    sentences = plain_set(dict.fromkeys("abc", 8), unlabelled=40)
    for rate in (0.02, 0.2, 0.5, 0.75):
        sampler = EpisodeSampler(sentences, way=2, shot=2, queries=5, none_rate=rate)
        drawn = [episode.query_labels.any(axis=1) for episode in sampler.episodes(1000)]
        none, total = sum(int((~labels).sum()) for labels in drawn), sum(map(len, drawn))
        assert none / total == pytest.approx(rate, abs=0.006)


def test_none_queries_are_unlabelled_sentences_and_those_of_other_aspects() -> None:
    sentences = plain_set(dict.fromkeys("abcd", 8), unlabelled=8)
    sampler = EpisodeSampler(sentences, way=2, shot=2, queries=4, none_rate=0.5)
    found = Counter(len(sentences[i].aspects) for episode in sampler.episodes(300) for i in episode.queries[8:])
    assert found[0] / found[1] == pytest.approx(8 / 16, rel=0.1)


def test_asking_for_none_queries_changes_nothing_else_in_the_episode() -> None:
    sentences = plain_set(dict.fromkeys("abcd", 8), unlabelled=8)
    without, with_none = (
        EpisodeSampler(sentences, way=2, shot=2, queries=4, none_rate=rate).episode(5) for rate in (0.0, 0.5)
    )
    assert with_none.classes == without.classes
    assert with_none.support.tolist() == without.support.tolist()
    assert with_none.queries[:8].tolist() == without.queries.tolist()


def test_a_none_query_carries_no_aspect_through_another_line_of_its_text() -> None:
    copies = [(f"A  Sentence {i}", "") for i in range(8)]  # the same texts as the sentences of "a", without the label
    sentences = sentence_set(*((s.text, " ".join(s.aspects)) for s in plain_set({"a": 8, "b": 8}, 4)), *copies)
    sampler = EpisodeSampler(sentences, way=2, shot=2, queries=2, none_rate=0.5)
    found = {sentences[line].text for episode in sampler.episodes(100) for line in episode.queries[4:]}
    assert found == {f"nothing {i}" for i in range(4)}


def test_a_sentence_of_two_classes_can_be_a_shot_of_both() -> None:
    sentences = sentence_set(*((f"s{i}", "a b") for i in range(8)))
    episodes = list(EpisodeSampler(sentences, way=2, shot=2, queries=2).episodes(100))
    twice = [episode for episode in episodes if len(set(episode.support.tolist())) < 4]
    assert twice
    assert all(episode.support_labels.all() for episode in episodes)
    assert all(episode.membership.tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]] for episode in episodes)


def test_only_the_authors_protocol_repeats_queries_and_asks_about_support_of_other_classes() -> None:
    repeated, leaked = Counter[str](), Counter[str]()
    for protocol in ("disjoint", "authors"):
        sampler = EpisodeSampler(overlapping_set(), way=4, shot=3, queries=3, protocol=protocol)
        for episode in sampler.episodes(100):
            repeated[protocol] += len(set(episode.queries.tolist())) < len(episode.queries)
            leaked[protocol] += bool(set(episode.queries.tolist()) & set(episode.support.tolist()))
    assert repeated["disjoint"] == leaked["disjoint"] == 0
    assert repeated["authors"] > 10
    assert leaked["authors"] > 10


def test_where_every_sentence_has_one_aspect_and_none_is_repeated_both_protocols_draw_the_same_episodes() -> None:
    """So it is in FewAsp (single)."""
    sentences = plain_set({f"a{c}": 9 for c in range(6)})
    drawn = [
        [fingerprint(e) for e in EpisodeSampler(sentences, way=4, shot=3, queries=3, protocol=protocol).episodes(50)]
        for protocol in ("disjoint", "authors")
    ]
    assert drawn[0] == drawn[1]


def test_aspects_that_cannot_stand_together_are_drawn_apart() -> None:
    twins = ((f"twin {i}", "a b") for i in range(4))
    others = ((s.text, s.aspects[0]) for s in plain_set({"c": 4, "d": 4}))
    sampler = EpisodeSampler(sentence_set(*twins, *others), way=2, shot=2, queries=2)
    pairs = Counter("".join(sorted(episode.classes)) for episode in sampler.episodes(300))
    assert set(pairs) == {"ac", "ad", "bc", "bd", "cd"}


def test_a_tight_set_is_redrawn_until_it_fits() -> None:
    sampler = EpisodeSampler(sentence_set(("1", "a"), ("2", "a b"), ("3", "b")), way=2, shot=1, queries=1)
    for episode in sampler.episodes(100):
        assert episode.support.tolist() == [1, 1]  # the only way: "2" is the shot of both
        assert sorted(episode.queries.tolist()) == [0, 2]


def test_an_episode_that_cannot_be_filled_is_named_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EPISODE_DRAWS", 1)
    sampler = EpisodeSampler(sentence_set(("1", "a"), ("2", "a b"), ("3", "b")), way=2, shot=1, queries=1, seed=4)
    with pytest.raises(EpisodeError, match=r'Episode \d+ \(seed 4\) .* "[ab]" ran out of queries.* Lower way, shot'):
        list(sampler.episodes(50))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_aspects_that_share_their_sentences_are_refused_when_the_sampler_is_built(seed: int) -> None:
    twins = sentence_set(*((f"twin {i}", "food meals") for i in range(4)))
    with pytest.raises(EpisodeError, match=r'The largest episode .*"(food|meals)" ran out .* its 4 sentences .*remove'):
        EpisodeSampler(twins, way=2, shot=2, queries=2, seed=seed)
    assert EpisodeSampler(twins, way=2, shot=2, queries=2, seed=seed, protocol="authors").episode(0)


def test_small_aspects_are_named_with_their_sizes_and_the_remedy() -> None:
    sentences = sentence_set(
        *((s.text, s.aspects[0]) for s in plain_set({"food": 9, "music": 3, "toilets": 1})),
        ("Music sentence  0", "music"),  # the same text again does not count
        name="reviews.jsonl",
    )
    with pytest.raises(EpisodeError) as caught:
        EpisodeSampler(sentences, way=2, shot=2, queries=2)
    assert str(caught.value) == (
        'Each aspect needs 4 distinct sentences (2 shots + 2 queries); too few in "reviews.jsonl": '
        "toilets (1), music (3). Lower shot or queries, or remove these aspects."
    )


def test_the_largest_shot_of_a_range_decides_whether_an_aspect_is_too_small() -> None:
    with pytest.raises(EpisodeError, match=r"needs 6 distinct sentences \(4 shots \+ 2 queries\).* b \(5\)"):
        EpisodeSampler(plain_set({"a": 6, "b": 5}), way=2, shot=(1, 4), queries=2)


def test_too_few_aspects_are_refused_with_their_names() -> None:
    with pytest.raises(EpisodeError, match=r"5-way episodes need 5 aspects, found 2: food, music\. Lower way"):
        EpisodeSampler(plain_set({"food": 20, "music": 20}), way=(2, 5), shot=5)
    with pytest.raises(EpisodeError, match=r"need 5 aspects, found 0\. Lower way"):
        EpisodeSampler(SentenceSet([]), way=5, shot=5)


def test_a_long_list_of_small_aspects_is_cut_and_counted() -> None:
    with pytest.raises(EpisodeError, match=r"a09 \(2\) and 15 more\."):
        EpisodeSampler(plain_set({f"a{i:02}": 2 for i in range(25)}), way=5, shot=5)


@pytest.mark.parametrize("protocol", ["disjoint", "authors"])
def test_a_none_rate_that_cannot_be_met_is_refused_when_the_sampler_is_built(protocol: str) -> None:
    sizes = dict.fromkeys("abc", 8)
    with pytest.raises(EpisodeError, match=r"none_rate 0\.1 asks for 2 queries .* only 0 sentences .*Lower none_rate"):
        EpisodeSampler(plain_set(sizes), way=3, shot=2, none_rate=0.1, protocol=protocol)
    with pytest.raises(EpisodeError, match=r"asks for 2 queries .* only 1 sentences"):
        EpisodeSampler(plain_set(sizes, unlabelled=1), way=3, shot=2, none_rate=0.1, protocol=protocol)
    assert EpisodeSampler(plain_set(sizes), way=2, shot=2, none_rate=0.1, protocol=protocol).episode(0)
    assert EpisodeSampler(plain_set(sizes, unlabelled=2), way=3, shot=2, none_rate=0.1, protocol=protocol).episode(0)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"way": 1}, "way must be an integer of at least 2, found 1"),
        ({"way": (1, 2)}, "way must be an integer of at least 2, found 1"),
        ({"way": 2.5}, "way must be an integer of at least 2, found 2.5"),
        ({"way": "2"}, "way must be an integer of at least 2, found '2'"),
        ({"shot": 0}, "shot must be an integer of at least 1, found 0"),
        ({"shot": True}, "shot must be an integer of at least 1, found True"),
        ({"shot": (3, 2)}, "shot must be a pair (lowest, highest), found (3, 2); swap them"),
        ({"shot": (1, 2, 3)}, "shot must be an integer or a pair (lowest, highest), found (1, 2, 3)"),
        ({"queries": 0}, "queries must be an integer of at least 1, found 0"),
        ({"seed": -1}, "seed must be an integer of at least 0, found -1"),
        ({"none_rate": 1.0}, "none_rate must be a number of at least 0 and below 1, found 1.0"),
        ({"none_rate": -0.1}, "none_rate must be a number of at least 0 and below 1, found -0.1"),
        ({"none_rate": float("nan")}, "none_rate must be a number of at least 0 and below 1, found nan"),
        ({"none_rate": "0.1"}, "none_rate must be a number of at least 0 and below 1, found '0.1'"),
        ({"protocol": "paper"}, 'protocol must be one of disjoint, authors; found "paper"'),
    ],
)
def test_values_without_sense_are_refused(setting: dict[str, object], message: str) -> None:
    with pytest.raises(EpisodeError) as caught:
        EpisodeSampler(plain_set({"a": 20, "b": 20}, 20), **{"way": 2, "shot": 2, **setting})
    assert message in str(caught.value)


def test_an_episode_number_below_zero_is_refused() -> None:
    sampler = EpisodeSampler(plain_set({"a": 8, "b": 8}), way=2, shot=2)
    with pytest.raises(EpisodeError, match="index must be an integer of at least 0, found -1"):
        sampler.episode(-1)


def test_numpy_integers_and_lists_serve_as_numbers_and_ranges() -> None:
    sentences = plain_set({"a": 8, "b": 8, "c": 8})
    plain = EpisodeSampler(sentences, way=(2, 3), shot=2, queries=3, seed=5).episode(1)
    other = EpisodeSampler(
        sentences,
        way=[2, 3],
        shot=np.int64(2),
        queries=np.int32(3),
        seed=np.int64(5),
    ).episode(np.int64(1))
    assert fingerprint(other) == fingerprint(plain)
