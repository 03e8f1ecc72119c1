"""The number of aspects of a sentence, and decisions from counts and thresholds."""

from __future__ import annotations

from torch import Tensor, nn


class CountHead(nn.Module):
    """n = softmax(Wl o + bl) over the counts 1 .. `counts` (paper, eq. 15); `forward` returns the logits.

    With start `even` all weights are zero, so that an untrained head predicts 1; `random` is the paper's.
    """

    def __init__(self, width: int, counts: int, *, start: str = "random") -> None:
        super().__init__()
        self.Wl = nn.Linear(width, counts)
        if start == "even":
            nn.init.zeros_(self.Wl.weight)
            nn.init.zeros_(self.Wl.bias)

    def forward(self, vectors: Tensor) -> Tensor:
        """(B, d) to (B, counts)."""
        return self.Wl(vectors)


def most_likely_count(count_logits: Tensor, way: int) -> Tensor:
    """(B,) the most likely count from 1 to N, from (B, counts) logits."""
    return count_logits[:, :way].argmax(dim=-1) + 1


def top_classes(logits: Tensor, counts: Tensor) -> Tensor:
    """(Q, N) booleans: the `counts` best classes of each query; ties go to the earlier class."""
    rank = logits.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)
    return rank < counts[:, None]


def threshold_decision(probabilities: Tensor, threshold: Tensor | float) -> Tensor:
    """(Q, N) booleans: probabilities of at least the threshold (a scalar or (Q, 1)), and always the best class."""
    return (probabilities >= threshold) | top_classes(probabilities, probabilities.new_ones(len(probabilities)))
