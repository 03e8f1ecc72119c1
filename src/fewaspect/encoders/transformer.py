"""A BERT-like model in two halves: frozen lower layers, run once per sentence, and trainable upper layers."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.core.errors import EncoderError
from fewaspect.encoders.packed import PackedStates, pad, unpad
from fewaspect.encoders.sources import EncoderSource
from fewaspect.text.tokenization import SentenceTokeniser, length_batches

PACKED_ATTENTION = "fewaspect-packed"
SUPPORTED_TYPES = ("bert", "camembert", "distilbert", "electra", "mpnet", "roberta", "xlm-roberta")
TOKENS_PER_BATCH = 4096


@dataclass(frozen=True)
class Tokenised:
    """Token ids of n texts, and which of them were truncated."""

    ids: list[list[int]]
    truncated: np.ndarray  # (n,) bool


class FrozenEncoder:
    """Tokeniser, embeddings and frozen lower layers: texts to token states."""

    def __init__(self, model: Any, tokeniser: Any, max_length: int) -> None:
        self.model = model.eval().requires_grad_(False)
        self.tokeniser = tokeniser
        self.max_length = max_length

    def tokenise(self, texts: Sequence[str]) -> Tokenised:
        if not texts:
            return Tokenised([], np.zeros(0, dtype=bool))
        encoded = self.tokeniser(list(texts), truncation=True, max_length=self.max_length)
        truncated = [bool(encoding.overflowing) for encoding in encoded.encodings]
        return Tokenised(encoded["input_ids"], np.array(truncated, dtype=bool))

    def states(
        self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None
    ) -> tuple[list[np.ndarray], np.ndarray]:
        """(T, d) states of each text, and (n,) which were truncated. `on_batch` is called with each batch's size."""
        tokenised = self.tokenise(texts)
        return self.hidden(tokenised.ids, on_batch), tokenised.truncated

    @torch.inference_mode()
    def hidden(self, ids: Sequence[Sequence[int]], on_batch: Callable[[int], None] | None = None) -> list[np.ndarray]:
        """(T, d) states of each row of token ids."""
        result: list[np.ndarray] = [np.empty(0)] * len(ids)
        for batch in length_batches([len(row) for row in ids], TOKENS_PER_BATCH):
            inputs = self.tokeniser.pad({"input_ids": [ids[i] for i in batch]}, return_tensors="pt")
            inputs = inputs.to(self.model.device)
            hidden = self.model(**inputs).last_hidden_state.float().cpu().numpy()
            for row, index in enumerate(batch):
                result[index] = hidden[row, : len(ids[index])].copy()
            if on_batch:
                on_batch(len(batch))
        return result


class UpperLayers(nn.Module):
    """The trainable layers, over packed sentences; without any, the identity."""

    def __init__(self, layers: nn.ModuleList, whole_encoder: nn.Module | None) -> None:
        super().__init__()
        self.layers = layers
        # A model whose attention cannot be replaced keeps its own loop over layers (and its relative positions). In a
        # tuple, so that its weights, which are those of `layers`, are not registered twice.
        self._whole_encoder = (whole_encoder,)

    def forward(self, packed: PackedStates) -> PackedStates:
        if not len(self.layers) or not len(packed):
            return packed
        (whole_encoder,) = self._whole_encoder
        if whole_encoder is not None:
            return self._by_length(packed, whole_encoder)
        hidden = packed.values.unsqueeze(0)  # (1, tokens, d)
        for layer in self.layers:
            hidden = _first(layer(hidden, None, packed=packed))
        return packed.with_values(hidden.squeeze(0))

    def compile_layers(self) -> None:
        """Compile the layers (torch.compile) for any number of tokens; the first call takes a minute."""
        for layer in self.layers:
            layer.compile(dynamic=True)

    def _by_length(self, packed: PackedStates, encoder: nn.Module) -> PackedStates:
        """Padded batches of similar lengths through the model's own encoder."""
        tokens = max(packed.layout.longest, len(packed.values) // 4)  # about four buckets of similar lengths
        batches = length_batches(packed.lengths.cpu().numpy(), tokens)
        parts = []
        for batch in batches:
            part = packed.take(torch.from_numpy(batch).to(packed.lengths.device))
            padding = torch.zeros_like(part.mask, dtype=packed.values.dtype).masked_fill(~part.mask, float("-inf"))
            hidden = _first(encoder(part.padded, attention_mask=padding[:, None, None, :]))
            parts.append(part.with_values(unpad(hidden, part.layout)))
        order = torch.from_numpy(np.argsort(np.concatenate(batches))).to(packed.lengths.device)
        return PackedStates.join(parts).take(order)


class TokenEncoder:
    """Both halves of an encoder: `frozen` and `upper`."""

    def __init__(self, source: EncoderSource, freeze_layers: int | None = None, dropout: float | None = None) -> None:
        model, tokeniser = _load_pretrained(source)
        for parameter in model.parameters():
            # Into torch's aligned memory (see `FrozenStates.gather`): loaded weights lie anywhere.
            parameter.data = parameter.data.clone()
        # DistilBERT calls the stack of layers `transformer`, the others `encoder`.
        stack = model.transformer if model.config.model_type == "distilbert" else model.encoder
        layers = list(stack.layer)
        split = len(layers) // 2 if freeze_layers is None else freeze_layers
        if not 0 <= split <= len(layers):
            raise EncoderError(f"freeze_layers must lie between 0 and {len(layers)} for {source.name}, found {split}.")

        self.source = source
        self.freeze_layers = split
        self.width = int(model.config.hidden_size)
        self.upper = _upper_layers(model, stack, layers[split:], dropout)
        stack.layer = nn.ModuleList(layers[:split])
        self.frozen = FrozenEncoder(model, tokeniser, _max_length(model.config, tokeniser))

    def cache_key(self) -> dict[str, str | int]:
        """What the frozen states depend on besides the text: the key of their cache."""
        tokeniser = json.loads(self.frozen.tokeniser.backend_tokenizer.to_str())
        for call_option in ("truncation", "padding"):  # set by the last call
            tokeniser.pop(call_option, None)
        return {
            "weights": self.source.digest,
            "freeze_layers": self.freeze_layers,
            "tokeniser": hashlib.sha256(json.dumps(tokeniser, sort_keys=True).encode()).hexdigest(),
            "max_length": self.frozen.max_length,
            "dtype": "float32",
        }


class TorchTextEncoder:
    """A `TextEncoder` of both halves, on a GPU where there is one; torch brings its own threads."""

    batch_tokens = 4096
    workers = 1

    def __init__(self, encoder: TokenEncoder, upper: UpperLayers) -> None:
        self.encoder, self.upper, self.width = encoder, upper, encoder.width
        self.tokeniser = SentenceTokeniser(encoder.frozen.tokeniser.backend_tokenizer, encoder.frozen.max_length)

    @torch.inference_mode()
    def states(self, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """(T, d) states of each sentence of a batch."""
        frozen = self.encoder.frozen.hidden(ids)
        lengths = torch.tensor([len(part) for part in frozen])
        packed = PackedStates(torch.from_numpy(np.concatenate(frozen)), lengths)
        values = self.upper(packed.to(self.encoder.frozen.model.device)).values
        return np.split(values.float().cpu().numpy(), lengths.cumsum(0)[:-1].numpy())


def _load_pretrained(source: EncoderSource) -> tuple[Any, Any]:
    """The fp32 model and its fast tokeniser; other than BERT-like models and incomplete weights are refused."""
    from transformers import AutoConfig, AutoModel, AutoTokenizer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    supported = f"a BERT-like encoder ({', '.join(SUPPORTED_TYPES)})"
    try:
        config = AutoConfig.from_pretrained(source.folder, local_files_only=True)
    except ValueError as error:  # a type that transformers does not know
        reason = str(error).splitlines()[0]
        raise EncoderError(f"{source.folder / 'config.json'}: expected {supported}, found: {reason}") from error
    if config.model_type not in SUPPORTED_TYPES:
        raise EncoderError(f'{source.name}: expected {supported}, found model type "{config.model_type}".')
    options = {"local_files_only": True, "use_safetensors": True, "dtype": torch.float32, "output_loading_info": True}
    try:
        model, loading = AutoModel.from_pretrained(source.folder, **options)
        tokeniser = AutoTokenizer.from_pretrained(source.folder, local_files_only=True, use_fast=True)
    except (OSError, ValueError, KeyError) as error:
        raise EncoderError(f"{source.folder}: expected an encoder with its tokeniser, found: {error}") from error
    # The pooler is not used here; weights without one are complete.
    if missing := sorted(name for name in loading["missing_keys"] if "pooler" not in name):
        raise EncoderError(
            f"{source.folder}: expected weights for {missing[0]} and {len(missing) - 1} more, found none."
        )
    return model, tokeniser


def _upper_layers(model: Any, stack: nn.Module, layers: list[nn.Module], dropout: float | None) -> UpperLayers:
    config = copy.deepcopy(model.config)
    upper = nn.ModuleList(layers)
    if dropout is not None:
        for module in upper.modules():
            if isinstance(module, nn.Dropout):
                module.p = dropout
    if getattr(model, "_supports_attention_backend", False):
        _register_packed_attention()
        config._attn_implementation = PACKED_ATTENTION
        for module in upper.modules():
            if hasattr(module, "config"):
                module.config = config
        return UpperLayers(upper, None)
    whole = copy.copy(stack)  # shares the weights, but has its own list of layers
    whole._modules = {**stack._modules, "layer": upper}
    for name, child in whole.named_children():
        if name != "layer":
            child.requires_grad_(False)
    return UpperLayers(upper, whole)


def _register_packed_attention() -> None:
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    ALL_ATTENTION_FUNCTIONS.register(PACKED_ATTENTION, _packed_attention)


@torch.compiler.disable  # its shapes change with every episode, and each would be compiled anew
def _packed_attention(
    module: nn.Module,
    query: Tensor,  # (1, heads, tokens, d / heads), and so are key and value
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    packed: PackedStates,
    scaling: float | None = None,
    dropout: float = 0.0,
    **_: Any,
) -> tuple[Tensor, None]:
    """Attention within each sentence of a packed row; only here are sentences padded, bucket by bucket."""
    sizes = [size for size, _ in packed.layout.buckets]
    parts = [x.squeeze(0).transpose(0, 1).split(sizes) for x in (query, key, value)]  # each (tokens, heads, d / heads)
    attended = []
    for (_, bucket), *three in zip(packed.layout.buckets, *parts, strict=True):
        q, k, v = (pad(x, bucket).transpose(1, 2) for x in three)  # (B, heads, T, d / heads)
        mask = bucket.mask[:, None, None, :]
        result = F.scaled_dot_product_attention(q, k, v, mask, dropout, scale=scaling)
        attended.append(unpad(result.transpose(1, 2), bucket))
    return torch.cat(attended).unsqueeze(0), None


def _max_length(config: Any, tokeniser: Any) -> int:
    positions = int(config.max_position_embeddings)
    if config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet"):
        positions -= int(config.pad_token_id) + 1  # their positions start after that of the padding
    return min(positions, int(tokeniser.model_max_length))


def _first(output: Any) -> Tensor:
    """The hidden states of a layer's output, which is a tensor or a tuple, depending on the model."""
    return output if isinstance(output, Tensor) else output[0]
