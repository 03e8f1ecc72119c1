"""What the card of the multilingual model says of sentiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from licences import plain_licence

_TEXT = """## Sentiment

`sentiment.safetensors` is a network of two layers. It tells how negative, neutral and positive a sentence is about an
aspect from two vectors that the encoder's published layers make: of the whole sentence, and of the tokens that the name
of the aspect attends to. Made by `benchmarks/studies/multilingual_sentiment.py`, on at most {most} sentences of each
set below, and on pairs of them, of different polarity about different aspects, that are read as one sentence. Sets
whose licence allows research alone are not used, nor are other texts.

On sets that it was not trained on, in percent, gold aspects given; temperature {temperature:.2f} and a bias of neutral
of {neutral_bias:.2f} were fitted on them; an answer is mixed where negative and positive are both at least
{mixed_least}:

| set | pairs | right of negative / positive | where a sentence has both | macro-F1 of three | calibration error |
|---|---|---|---|---|---|
{measured}

In other languages, by networks that did not learn from the language that is measured: docs/results/languages.md. This
one learned from all of them.

| set | sentences | source | licence as stated there |
|---|---:|---|---|
{sets}
"""


def sentiment_section(
    manifest: Mapping[str, Any], counts: Mapping[str, int], held_out: Sequence[str], about: Mapping[str, Any], most: int
) -> str:
    """Markdown; `counts` of sentences by set."""
    shares = ("accuracy", "contrast_accuracy", "macro_f1", "calibration_error")
    measured = [
        " | ".join([name, f"{own['pairs']:,}", *(_percent(own[share]) for share in shares)])
        for name, own in about["held_out"].items()
    ]
    sets = []
    for name, count in counts.items():
        known = manifest.get(f"train/{name}") or manifest[f"multilingual/{name}"]
        held = ", held out" if name in held_out else ""
        sets.append(f"| {name}{held} | {count:,} | {known['repo']} | {plain_licence(known['licence'])} |")
    return _TEXT.format(**about, most=most, measured="\n".join(f"| {row} |" for row in measured), sets="\n".join(sets))


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"
