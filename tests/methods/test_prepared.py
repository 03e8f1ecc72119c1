"""A prepared set gives each episode its frozen states, and the model on top of them learns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from fewaspect.core.settings import LPNSettings
from fewaspect.data.episodes import Episode, EpisodeSampler
from fewaspect.data.labelled import LabelledSentence, SentenceSet
from fewaspect.data.labels import describe_aspect
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.encoders.transformer import SUPPORTED_TYPES, TokenEncoder
from fewaspect.methods import build_method
from fewaspect.methods.few_shot_model import EpisodeTensors, FewShotModel, build_task
from fewaspect.methods.prepared import PreparedSet, distinct_by_first_use, episode_tensors

ASPECTS = ("FOOD#PRICE", "room_clean", "staff", "bar")
ADJECTIVES = ("good", "bad", "slow", "cold", "great", "cheap", "dirty")


def sentences() -> SentenceSet:
    """Seven sentences per aspect; every other one also carries the next aspect."""
    made = []
    for i, aspect in enumerate(ASPECTS):
        for j, adjective in enumerate(ADJECTIVES):
            also = (ASPECTS[(i + 1) % 4],) if j % 2 else ()
            made.append(LabelledSentence(f"the {describe_aspect(aspect)} was {adjective}", (aspect, *also)))
    made.append(LabelledSentence("food " * 60, ("staff",)))
    return SentenceSet(made)


@pytest.fixture
def prepared(tmp_path: Path, tiny_encoder: Callable[..., TokenEncoder]) -> PreparedSet:
    return PreparedSet.of(sentences(), FrozenStates(tiny_encoder(dropout=0.0), tmp_path))


@pytest.fixture
def episode(prepared: PreparedSet) -> Episode:
    return EpisodeSampler(prepared.sentences, way=3, shot=2, queries=2, seed=1).episode(0)


def states_of(prepared: PreparedSet, text: str) -> np.ndarray:
    return prepared.frozen.encoder.frozen.states([text])[0][0]


def test_an_episode_is_loaded_with_the_states_of_its_own_texts(prepared: PreparedSet, episode: Episode) -> None:
    packed, placed = prepared.load(episode)
    texts = prepared.sentences.texts
    expected = [
        (placed.support, [texts[i] for i in episode.support]),
        (placed.labels, [describe_aspect(name) for name in episode.classes]),
        (placed.queries, [texts[i] for i in episode.queries]),
    ]
    for places, wanted in expected:
        taken = packed.take(places)
        for found, text in zip(taken.values.split(taken.lengths.tolist()), wanted, strict=True):
            np.testing.assert_allclose(found.numpy(), states_of(prepared, text), rtol=0, atol=1e-5)


def test_an_episode_is_loaded_with_what_its_sentences_carry(prepared: PreparedSet, episode: Episode) -> None:
    _, placed = prepared.load(episode)
    np.testing.assert_array_equal(placed.membership.numpy(), episode.membership)
    np.testing.assert_array_equal(placed.support_labels.numpy(), episode.support_labels)
    np.testing.assert_array_equal(placed.query_labels.numpy(), episode.query_labels)
    assert placed.support_labels.dtype == placed.query_labels.dtype == torch.bool


def test_a_sentence_that_occurs_twice_is_loaded_once(prepared: PreparedSet, episode: Episode) -> None:
    twice = Episode(
        episode.classes,
        np.array([0, 1, 0]),
        np.eye(3, dtype=np.float32),
        np.eye(3, dtype=bool),
        np.array([1, 2]),
        np.zeros((2, 3), dtype=bool),
    )
    packed, placed = prepared.load(twice)
    assert len(packed) == 3 + 3  # sentences 0, 1 and 2, and three label texts
    assert placed.support[0] == placed.support[2]
    assert placed.support[1] == placed.queries[0]


def test_sentences_that_were_cut_are_counted(prepared: PreparedSet) -> None:
    assert prepared.truncated() == 1


def test_preparing_reports_every_sentence_and_aspect(tmp_path: Path, tiny_encoder: Callable[..., TokenEncoder]) -> None:
    done: list[int] = []
    PreparedSet.of(sentences(), FrozenStates(tiny_encoder(), tmp_path), done.append)
    assert sum(done) == len(sentences()) + len(ASPECTS)


def test_positions_are_given_to_support_then_labels_then_queries(episode: Episode) -> None:
    placed = episode_tensors(episode, np.arange(100, 100 + 6 + 3 + 6))
    assert placed.support.tolist() == list(range(100, 106))
    assert placed.labels.tolist() == [106, 107, 108]
    assert placed.queries.tolist() == list(range(109, 115))


@pytest.mark.parametrize("kind", SUPPORTED_TYPES)
def test_gradients_reach_every_trainable_layer_of_encoder_and_method(
    kind: str, tmp_path: Path, tiny_encoder: Callable[..., TokenEncoder]
) -> None:
    torch.manual_seed(0)
    encoder = tiny_encoder(kind, dropout=0.0)
    prepared = PreparedSet.of(sentences(), FrozenStates(encoder, tmp_path))
    model = FewShotModel(encoder.upper, build_method("lpn", encoder.width, LPNSettings(pooling_hidden=8, rank=4), 3))
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
    sampler = EpisodeSampler(prepared.sentences, way=3, shot=2, queries=2)
    for step in range(2):
        _, parts = model(*prepared.load(sampler.episode(step)))
        optimiser.zero_grad()
        torch.stack(list(parts.values())).sum().backward()
        optimiser.step()
    silent = [name for name, p in model.named_parameters() if p.grad is None or not (p.grad != 0).any()]
    assert silent == []
    assert all(p.grad is None for p in encoder.frozen.model.parameters())


def test_a_models_scores_are_its_methods_over_its_upper_layers(prepared: PreparedSet, episode: Episode) -> None:
    torch.manual_seed(0)
    encoder = prepared.frozen.encoder
    model = FewShotModel(encoder.upper, build_method("lpn", encoder.width, LPNSettings(), 3)).eval()
    packed, placed = prepared.load(episode)
    scores, parts = model(packed, placed)
    assert set(parts) == {"class", "contrastive", "count"}

    represented = model.method.represent(encoder.upper(packed))
    torch.testing.assert_close(scores.logits, model.method.score(build_task(represented, placed)).logits)
    torch.testing.assert_close(model.represent(packed).vectors, represented.vectors)


def test_the_tensors_of_an_episode_move_together(episode: Episode) -> None:
    placed = episode_tensors(episode, np.arange(15))
    moved = placed.to("meta")
    assert isinstance(moved, EpisodeTensors)
    assert {value.device.type for value in vars(moved).values()} == {"meta"}


def test_each_handle_is_kept_once_in_order_of_first_use() -> None:
    distinct, positions = distinct_by_first_use(np.array([7, 3, 7, 9, 3, 1]))
    assert distinct.tolist() == [7, 3, 9, 1]
    assert distinct[positions].tolist() == [7, 3, 7, 9, 3, 1]
