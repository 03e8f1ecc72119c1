"""The two halves of an encoder together compute what the whole model computes, for every supported kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoModel, AutoTokenizer, GPT2Config, GPT2Model

from fewaspect.core.errors import EncoderError
from fewaspect.encoders.packed import PackedStates
from fewaspect.encoders.sources import resolve_encoder
from fewaspect.encoders.transformer import SUPPORTED_TYPES, TokenEncoder

Build = Callable[..., TokenEncoder]

TEXTS = [
    "the food was great",
    "we had a very slow waiter , and the staff was not friendly !",
    "",
    "bad",
    "our room was clean but the beds and the pool is dirty .",
    "zzz unknown words",
    "cheap pizzas",
]


def through_both_halves(encoder: TokenEncoder, texts: list[str]) -> list[torch.Tensor]:
    states, _ = encoder.frozen.states(texts)
    packed = encoder.upper.eval()(packed_of(states))
    return list(packed.values.detach().split(packed.lengths.tolist()))


def packed_of(states: list[np.ndarray]) -> PackedStates:
    return PackedStates(torch.from_numpy(np.concatenate(states)), torch.tensor([len(s) for s in states]))


@torch.inference_mode()
def plain_forward_pass(folder: Path, texts: list[str], max_length: int) -> list[torch.Tensor]:
    """What Hugging Face computes: the whole model over one padded batch."""
    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    tokeniser = AutoTokenizer.from_pretrained(folder)
    inputs = tokeniser(texts, padding=True, truncation=True, max_length=max_length, return_tensors="pt")
    hidden = model(**inputs).last_hidden_state
    return [row[mask.bool()] for row, mask in zip(hidden, inputs["attention_mask"], strict=True)]


def assert_same(found: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    assert [len(f) for f in found] == [len(e) for e in expected]
    for f, e in zip(found, expected, strict=True):
        torch.testing.assert_close(f, e, rtol=0, atol=1e-5)


@pytest.mark.parametrize("cut", [0, 2, 4])
@pytest.mark.parametrize("kind", SUPPORTED_TYPES)
def test_both_halves_equal_the_plain_forward_pass(
    kind: str, cut: int, tiny_encoder: Build, encoder_folder: Callable[..., Path]
) -> None:
    encoder = tiny_encoder(kind, freeze_layers=cut)
    assert len(encoder.upper.layers) == 4 - cut
    expected = plain_forward_pass(encoder_folder(kind), TEXTS, encoder.frozen.max_length)
    assert_same(through_both_halves(encoder, TEXTS), expected)
    assert expected[0].std() > 0.1  # equal, and not because there is nothing in them


def test_both_halves_of_the_embedded_encoder_equal_the_plain_forward_pass() -> None:
    source = resolve_encoder("minilm")
    encoder = TokenEncoder(source)
    assert (encoder.freeze_layers, encoder.width, len(encoder.upper.layers)) == (3, 384, 3)
    texts = [*TEXTS, "The pasta arrived lukewarm, although our server could not have been kinder; we'll be back."]
    assert_same(through_both_halves(encoder, texts), plain_forward_pass(source.folder, texts, 256))


@pytest.mark.parametrize("kind", SUPPORTED_TYPES)
def test_companions_in_a_batch_change_nothing(kind: str, tiny_encoder: Build) -> None:
    encoder = tiny_encoder(kind)
    together = through_both_halves(encoder, TEXTS)
    assert_same([through_both_halves(encoder, [text])[0] for text in TEXTS], together)


@pytest.mark.parametrize("kind", SUPPORTED_TYPES)
def test_frozen_parameters_have_no_gradient_and_upper_ones_do(kind: str, tiny_encoder: Build) -> None:
    encoder = tiny_encoder(kind, dropout=0.0)
    states, _ = encoder.frozen.states(TEXTS)
    encoder.upper.train()(packed_of(states)).values.square().sum().backward()
    frozen = list(encoder.frozen.model.parameters())
    upper = list(encoder.upper.parameters())
    assert frozen
    assert all(not p.requires_grad and p.grad is None for p in frozen)
    # The bias of the keys moves all logits of a softmax alike: its gradient exists, and is nothing but rounding.
    assert all(p.requires_grad and p.grad is not None and p.grad.isfinite().all() for p in upper)
    names = [name for name, p in encoder.upper.named_parameters() if p.grad is None or not p.grad.any()]
    assert all("k" in name.rsplit(".", 2)[-2] and name.endswith("bias") for name in names)
    assert not {id(p) for p in frozen} & {id(p) for p in upper}


def test_the_lower_half_is_frozen_unless_said_otherwise(tiny_encoder: Build) -> None:
    assert tiny_encoder().freeze_layers == 2
    assert tiny_encoder(freeze_layers=1).freeze_layers == 1
    assert list(tiny_encoder(freeze_layers=4).upper.parameters()) == []


@pytest.mark.parametrize("kind", SUPPORTED_TYPES)
def test_dropout_in_the_upper_layers_is_what_was_asked_for(kind: str, tiny_encoder: Build) -> None:
    def spread(dropout: float | None) -> float:
        """How much two passes in training differ."""
        encoder = tiny_encoder(kind, dropout=dropout)
        states, _ = encoder.frozen.states(TEXTS[:2])
        encoder.upper.train()
        torch.manual_seed(0)
        first, second = (encoder.upper(packed_of(states)).values for _ in range(2))
        return float((first - second).abs().mean().detach())

    assert spread(0.0) == 0.0
    assert 0.0 < spread(None) < spread(0.5)


@pytest.mark.parametrize("kind", SUPPORTED_TYPES)
def test_a_text_longer_than_the_encoder_can_read_is_cut_and_counted(kind: str, tiny_encoder: Build) -> None:
    encoder = tiny_encoder(kind, freeze_layers=0)
    limit = encoder.frozen.max_length
    assert limit == (22 if kind in ("camembert", "mpnet", "roberta", "xlm-roberta") else 24)
    texts = ["food " * (limit - 2), "food " * (limit - 1), "food", "food " * 100]
    states, truncated = encoder.frozen.states(texts)
    assert [len(s) for s in states] == [limit, limit, 3, limit]
    assert truncated.tolist() == [False, True, False, True]
    assert encoder.frozen.tokenise(texts).truncated.tolist() == truncated.tolist()
    np.testing.assert_allclose(states[0], states[3], atol=1e-6)


def test_no_texts_are_no_states(tiny_encoder: Build) -> None:
    encoder = tiny_encoder()
    states, truncated = encoder.frozen.states([])
    assert (states, len(truncated)) == ([], 0)
    empty = PackedStates(torch.zeros(0, 32), torch.zeros(0, dtype=torch.long))
    assert len(encoder.upper(empty)) == 0


def test_every_text_is_reported_done_once(tiny_encoder: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewaspect.encoders.transformer.TOKENS_PER_BATCH", 20)
    done: list[int] = []
    states, _ = tiny_encoder().frozen.states(TEXTS, done.append)
    assert len(done) > 1
    assert sum(done) == len(TEXTS)
    expected, _ = tiny_encoder().frozen.states(list(reversed(TEXTS)))
    for one, other in zip(states, reversed(expected), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("cut", [-1, 5])
def test_a_cut_outside_the_model_is_an_error_that_names_the_limits(cut: int, tiny_encoder: Build) -> None:
    with pytest.raises(EncoderError, match=rf"freeze_layers must lie between 0 and 4 for .*, found {cut}\."):
        tiny_encoder(freeze_layers=cut)


def test_an_unsupported_kind_of_model_is_an_error_that_lists_the_supported(tmp_path: Path) -> None:
    GPT2Model(GPT2Config(n_embd=8, n_layer=1, n_head=1, vocab_size=10)).save_pretrained(tmp_path)
    with pytest.raises(EncoderError, match=r'expected a BERT-like encoder \(bert, .*\), found model type "gpt2"'):
        TokenEncoder(resolve_encoder(str(tmp_path)))


def test_a_model_of_unknown_type_is_an_error(tmp_path: Path, encoder_folder: Callable[..., Path]) -> None:
    for path in encoder_folder().iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "config.json").write_text('{"model_type": "abacus"}', encoding="utf-8")
    with pytest.raises(EncoderError, match="abacus"):
        TokenEncoder(resolve_encoder(str(tmp_path)))


def test_the_key_of_the_cache_stays_while_the_encoder_is_used(tiny_encoder: Build) -> None:
    encoder = tiny_encoder()
    before = encoder.cache_key()
    encoder.frozen.states(TEXTS)
    assert encoder.cache_key() == before


def test_the_key_of_the_cache_tells_weights_and_cuts_apart(tiny_encoder: Build) -> None:
    keys = [
        tiny_encoder(),
        tiny_encoder(freeze_layers=1),
        tiny_encoder(seed=1),
        tiny_encoder("roberta"),
    ]
    assert len({tuple(sorted(encoder.cache_key().items())) for encoder in keys}) == len(keys)
    assert tiny_encoder().cache_key() == tiny_encoder(dropout=0.3).cache_key()


@pytest.mark.parametrize("kind", SUPPORTED_TYPES)
def test_trained_upper_layers_are_saved_and_restored_whole(kind: str, tiny_encoder: Build) -> None:
    trained, fresh = tiny_encoder(kind), tiny_encoder(kind)
    with torch.no_grad():
        for parameter in trained.upper.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    expected = through_both_halves(trained, TEXTS)
    assert not torch.allclose(through_both_halves(fresh, TEXTS)[0], expected[0], atol=1e-2)
    fresh.upper.load_state_dict(trained.upper.state_dict())
    assert_same(through_both_halves(fresh, TEXTS), expected)


def test_the_configuration_on_disk_is_the_kind_that_was_asked_for(encoder_folder: Callable[..., Path]) -> None:
    for kind in SUPPORTED_TYPES:  # else the tests above would prove nothing
        assert AutoConfig.from_pretrained(encoder_folder(kind)).model_type == kind
