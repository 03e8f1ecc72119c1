"""How many aspects a sentence mentions."""

from __future__ import annotations

from torch import Tensor, nn


class CountHead(nn.Module):
    """n = softmax(Wl o + bl) over the counts 1 .. `counts` (paper, eq. 15); `forward` gives the logits.

    Started at `even`, it knows nothing and answers one until it has learned better; `random`, as in the paper, guesses.
    """

    def __init__(self, width: int, counts: int, *, start: str = "random") -> None:
        super().__init__()
        self.Wl = nn.Linear(width, counts)
        if start == "even":
            nn.init.zeros_(self.Wl.weight)
            nn.init.zeros_(self.Wl.bias)

    def forward(self, vectors: Tensor) -> Tensor:
        return self.Wl(vectors)  # (B, counts)


def most_likely_count(count_logits: Tensor, way: int) -> Tensor:
    """(B,) the likeliest count from 1 to N: a sentence cannot mention more classes than there are."""
    return count_logits[:, :way].argmax(dim=-1) + 1


def top_classes(logits: Tensor, counts: Tensor) -> Tensor:
    """(Q, N) boolean: the `counts` best classes of each query; between equals the earlier class wins."""
    rank = logits.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)
    return rank < counts[:, None]


def reaching(probabilities: Tensor, threshold: Tensor | float) -> Tensor:
    """(Q, N) boolean: what reaches the threshold (one for all, or one per query as (Q, 1)), and always the best."""
    return (probabilities >= threshold) | top_classes(probabilities, probabilities.new_ones(len(probabilities)))
