"""Steps of training that teacher and branch have in common: AdamW, warm-up, the moving average of the weights."""

from __future__ import annotations

import time

import torch
import torch.nn.functional as F
from torch import Tensor, nn

AVERAGE = 0.99  # of the weights before, in the moving average that is kept
WARM_UP = 0.1  # of the steps
REPORT = 50  # steps


def soft_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross entropy with (B, 3) shares."""
    return -(targets * F.log_softmax(logits, dim=1)).sum(dim=1).mean()


class Steps:
    """Optimises what has gradients; `head` has a rate of its own."""

    def __init__(self, model: nn.Module, steps: int, learning_rate: float, head_rate: float) -> None:
        self.model, self.steps, self.done, self.total = model.train(), steps, 0, 0.0
        trained = {name: value for name, value in model.named_parameters() if value.requires_grad}
        head = [value for name, value in trained.items() if name.startswith("head")]
        rest = [value for name, value in trained.items() if not name.startswith("head")]
        self.trained = [*rest, *head]
        self.optimiser = torch.optim.AdamW(
            [{"params": rest, "lr": learning_rate}, {"params": head, "lr": head_rate}], weight_decay=0.01, fused=True
        )
        warm = max(1, round(WARM_UP * steps))
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimiser, lambda step: min(1, (step + 1) / warm) * max(0.01, 1 - step / steps)
        )
        self.mean = [value.detach().clone() for value in self.trained]
        self.started = time.perf_counter()

    def take(self, loss: Tensor) -> None:
        """One step down the loss."""
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.trained, 1.0)
        self.optimiser.step()
        self.schedule.step()
        torch._foreach_lerp_(self.mean, [value.detach() for value in self.trained], 1 - AVERAGE)
        self.done += 1
        self.total += loss.item()
        if self.done % REPORT == 0 or self.done == self.steps:
            passed = time.perf_counter() - self.started
            print(f"{self.done} of {self.steps}: loss {self.total / REPORT:.3f}, {passed:.0f} s", flush=True)
            self.total = 0.0

    @torch.no_grad()
    def average(self) -> None:
        """Puts the moving average of the weights in place."""
        for value, mean in zip(self.trained, self.mean, strict=True):
            value.copy_(mean)
        self.model.eval()
