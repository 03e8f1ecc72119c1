"""LPN+ in numpy is LPN+ in torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fewaspect.detector.looking import Known, Looking
from fewaspect.detector.sentences import Sentences, unit
from fewaspect.encoders.packed import PackedStates
from fewaspect.methods.base import Represented
from fewaspect.methods.lpn_plus import LPNPlus
from fewaspect.settings import LPNPlusSettings

WIDTH = 16


def random_sentences(rng: np.random.Generator, count: int) -> Sentences:
    """Token states of one to nine tokens, with a common direction, as encoders have it."""
    return Sentences.of(
        [rng.normal(0.3, 1, (rng.integers(1, 10), WIDTH)).astype(np.float32) for _ in range(count)], WIDTH
    )


def in_torch(sentences: Sentences) -> Represented:
    tokens = PackedStates(torch.from_numpy(sentences.tokens), torch.from_numpy(sentences.lengths))
    return Represented(torch.from_numpy(sentences.vectors), tokens)


@pytest.mark.parametrize("words", [0.0, 0.6])
@pytest.mark.parametrize(("aspects", "most_others"), [(1, 128), (4, 128), (9, 12)])
@pytest.mark.parametrize("looks", [1, 2, 3])
def test_numpy_and_torch_agree(words: float, aspects: int, most_others: int, looks: int) -> None:
    rng = np.random.default_rng(aspects)
    settings = LPNPlusSettings(word_weight=words, looks=looks)
    method = LPNPlus(WIDTH, settings, way=5).eval()
    with torch.no_grad():
        for parameter in (method.log_attention, method.seen_logit, method.label_logit, method.label_slope):
            parameter.add_(0.3 * torch.randn(()))
    arrays = {f"method.{name}": value.numpy() for name, value in method.state_dict().items()}
    looking = Looking.of(arrays, settings)
    examples, labels, queries = (random_sentences(rng, count) for count in (4 * aspects + 2, aspects, 7))
    membership = np.zeros((len(examples), aspects), dtype=np.float32)
    membership[np.arange(4 * aspects), np.arange(4 * aspects) % aspects] = 1
    membership[0, -1] = 1  # a sentence of two aspects
    membership[rng.random(membership.shape) < 0.2] = 0  # uneven, and some of none
    membership[:, 0] *= aspects > 4  # an aspect without examples
    none = (membership.sum(axis=1) == 0).astype(np.float32)
    known = Known(examples, np.arange(len(examples)), membership, none, labels.vectors, labels)
    prototypes = np.stack([
        looking.prototype(examples.vectors, membership[:, n], labels.vectors[n]) for n in range(aspects)
    ])  # fmt: skip
    found = looking.learn(known, prototypes, most_others)
    with torch.inference_mode():
        support, given = in_torch(examples), torch.from_numpy(membership)
        expected = method.learn(support, given, in_torch(labels), none=torch.from_numpy(none), most_others=most_others)
        parts = method.parts(expected, in_torch(queries))
        scores, evidence = method.together(parts), method.evidence(expected, in_torch(queries))
    for name in ("prototypes", "looking", "seen", "directions", "shots"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name).numpy(), atol=2e-5, err_msg=name)
    mine = looking.parts(found, queries)
    for name in ("whole", "seen", "apart"):
        np.testing.assert_allclose(getattr(mine, name), getattr(parts, name).numpy(), atol=2e-5, err_msg=name)
    np.testing.assert_allclose(looking.together(mine), scores.numpy(), atol=5e-5)
    scale = float(method.log_scale.detach().exp())
    for own, theirs, length in zip(looking.evidence(found, queries), evidence.numpy(), queries.lengths, strict=True):
        np.testing.assert_allclose(own, theirs[:, :length] / scale, atol=5e-5)


def test_without_any_example_the_names_serve() -> None:
    rng = np.random.default_rng(0)
    looking = Looking(20.0, 0.5, -0.4, -0.3, LPNPlusSettings())
    labels, nothing = random_sentences(rng, 3), random_sentences(rng, 0)
    empty = np.zeros(0, np.float32)
    known = Known(nothing, empty, np.zeros((0, 3), np.float32), empty, labels.vectors, labels)
    found = looking.learn(known, labels.vectors)
    np.testing.assert_allclose(found.seen, unit(labels.vectors), atol=1e-6)
    assert looking.parts(found, random_sentences(rng, 2)).whole.shape == (2, 3)
