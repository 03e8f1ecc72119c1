"""Token states of several sentences concatenated, so that nothing is computed on padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

BUCKETS = 4
SMALLEST_BUCKET = 8


@dataclass(frozen=True)
class Layout:
    """Positions of the tokens of B sentences in their padded (B, T) form."""

    lengths: Tensor  # (B,) int64

    @cached_property
    def longest(self) -> int:
        return int(self.lengths.max()) if len(self.lengths) else 0

    @cached_property
    def mask(self) -> Tensor:
        """(B, T) booleans, false on padding."""
        return torch.arange(self.longest, device=self.lengths.device) < self.lengths[:, None]

    @cached_property
    def slots(self) -> Tensor:
        """(tokens,) position of each token in the flattened padded form."""
        return self.mask.flatten().nonzero().squeeze(1)

    @cached_property
    def buckets(self) -> tuple[tuple[int, Layout], ...]:
        """A few runs of neighbouring sentences with about as many tokens each, and that number of tokens.

        Where neighbours have similar lengths, padding each run by itself costs little.
        """
        ends = self.lengths.cumsum(0)
        count = min(BUCKETS, -(-len(ends) // SMALLEST_BUCKET))  # 0 without sentences
        bucket = (ends - self.lengths) * count // ends[-1:].clamp(min=1)  # (B,) by where a sentence begins
        parts = self.lengths.split(torch.bincount(bucket, minlength=count).tolist())
        return tuple((int(part.sum()), Layout(part)) for part in parts if len(part)) or ((0, self),)


@dataclass(frozen=True)
class PackedStates:
    """Token states of B sentences, concatenated; `lengths` are their numbers of tokens."""

    values: Tensor  # (tokens, d)
    lengths: Tensor  # (B,) int64

    def __post_init__(self) -> None:
        if int(self.lengths.sum()) != len(self.values):
            raise ValueError(f"lengths add up to {int(self.lengths.sum())}, but there are {len(self.values)} tokens")

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def layout(self) -> Layout:
        return Layout(self.lengths)

    @property
    def mask(self) -> Tensor:
        """(B, T) booleans, false on padding."""
        return self.layout.mask

    @cached_property
    def padded(self) -> Tensor:
        """(B, T, d) with zeros where `mask` is false."""
        return pad(self.values, self.layout)

    @cached_property
    def runs(self) -> tuple[PackedStates, ...]:
        """The same sentences in the parts of `Layout.buckets`, in order."""
        buckets = self.layout.buckets
        parts = self.values.split([size for size, _ in buckets])
        return tuple(_with_layout(part, bucket) for part, (_, bucket) in zip(parts, buckets, strict=True))

    def with_values(self, values: Tensor) -> PackedStates:
        """The same sentences with other states, (tokens, any width)."""
        return _with_layout(values, self.layout)

    def take(self, indices: Tensor) -> PackedStates:
        """These sentences, in this order; repeats are allowed."""
        starts = self.lengths.cumsum(0) - self.lengths
        lengths = self.lengths[indices]
        within = torch.arange(int(lengths.sum()), device=lengths.device) - torch.repeat_interleave(
            lengths.cumsum(0) - lengths, lengths
        )
        return PackedStates(self.values[torch.repeat_interleave(starts[indices], lengths) + within], lengths)

    def to(self, device: torch.device | str, non_blocking: bool = False) -> PackedStates:
        values, lengths = (x.to(device, non_blocking=non_blocking) for x in (self.values, self.lengths))
        return PackedStates(values, lengths)

    def pinned(self) -> PackedStates:
        """In pinned memory, which a GPU copies from while it computes."""
        return PackedStates(self.values.pin_memory(), self.lengths.pin_memory())

    @staticmethod
    def join(parts: Sequence[PackedStates]) -> PackedStates:
        return PackedStates(torch.cat([p.values for p in parts]), torch.cat([p.lengths for p in parts]))


def _with_layout(values: Tensor, layout: Layout) -> PackedStates:
    """Packed states that share a layout computed before."""
    packed = PackedStates(values, layout.lengths)
    packed.__dict__["layout"] = layout
    return packed


def pad(values: Tensor, layout: Layout) -> Tensor:
    """(tokens, ...) to (B, T, ...), with zeros as padding."""
    rows, columns = len(layout.lengths), layout.longest
    return _Scatter.apply(values, layout.slots, rows * columns).view(rows, columns, *values.shape[1:])


def unpad(padded: Tensor, layout: Layout) -> Tensor:
    """The inverse of `pad`: (B, T, ...) to (tokens, ...)."""
    return _Gather.apply(padded.flatten(0, 1), layout.slots)


class _Scatter(torch.autograd.Function):
    """Scatter rows to distinct slots; its gradient is `_Gather`, which spares autograd's slow scatter-add."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, slots: Tensor, size: int) -> Tensor:
        ctx.save_for_backward(slots)
        return values.new_zeros(size, *values.shape[1:]).index_copy_(0, slots, values)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (slots,) = ctx.saved_tensors
        return _Gather.apply(gradients[0], slots), None, None


class _Gather(torch.autograd.Function):
    """Gather rows from distinct slots; its gradient is `_Scatter`."""

    @staticmethod
    def forward(ctx: Any, flat: Tensor, slots: Tensor) -> Tensor:
        ctx.save_for_backward(slots)
        ctx.size = len(flat)
        return flat.index_select(0, slots)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (slots,) = ctx.saved_tensors
        return _Scatter.apply(gradients[0], slots, ctx.size), None
