"""What the model card says of sentiment: how it was trained, on which sets under which licences, how good it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

OTHERS = {"yelpaspect_train": ("YelpAspect, of which FewAsp is a sample: reviews from Yelp", "not stated")}
_TEXT = """## Sentiment

`sentiment.onnx` tells how negative, neutral and positive a sentence is about an aspect, from the states that the
encoder's second and last layers give to the sentence and to the aspect's name. Made by
`benchmarks/studies/sentiment_model.py`: a teacher, all-mpnet-base-v2 (Apache-2.0), is trained on the sets with
polarities; it gives probabilities to review sentences that have aspects alone; the branch, whose layers begin as those
of all-MiniLM-L6-v2 (Apache-2.0), is trained on both, on sentences of different polarity that are joined into one, and
on short sentences whose predicate is negated by rule. Sets whose stated licence allows research alone are not used;
us_airline_tweets is not either, because it is negative only. The largest source, yelpaspect_train, states no
licence.

Measured on sets that it was not trained on, in percent, gold aspects given; temperature {temperature:.2f} and
a bias of neutral of {neutral_bias:.2f} were chosen on them; an answer is mixed where negative and positive are both at
least {mixed_least}:

| set | pairs | right of negative / positive | where a sentence has both | macro-F1 of three | calibration error |
|---|---|---|---|---|---|
{measured}

It reads English. It was trained on reviews: irony, comparisons and polarities that only follow from knowledge of the
world are often missed. Results on other sets: docs/results/sentiment.md.

| set | sentences | polarities | source | licence as stated there |
|---|---|---|---|---|
{sets}
"""


def card_section(
    manifest: Mapping[str, Any], training: Mapping[str, Sequence[Any]], held_out: Mapping[str, Sequence[Any]],
    about: Mapping[str, Any],
) -> str:  # fmt: skip
    """Markdown; sets without an entry in the manifest of polarities are those that the teacher has labelled."""
    measured = "\n".join(f"| {name} | {_row(own)} |" for name, own in about["held_out"].items())
    sets = []
    for name, rows in {**training, **held_out}.items():
        known = manifest.get(f"train/{name}")
        origin = (
            (known["repo"], known["licence"]) if known else OTHERS.get(name, ("as for detection, above", "as above"))
        )
        use = "held out" if name in held_out else "its own" if known else "the teacher's"
        sets.append(f"| {name} | {len(rows):,} | {use} | {origin[0]} | {origin[1]} |")
    return _TEXT.format(
        temperature=about["temperature"], neutral_bias=about["neutral_bias"], mixed_least=about["mixed_least"],
        measured=measured, sets="\n".join(sets),
    )  # fmt: skip


def _row(own: Mapping[str, Any]) -> str:
    shares = ("accuracy", "contrast_accuracy", "macro_f1", "calibration_error")
    return " | ".join([f"{own['pairs']:,}", *("" if own[n] is None else f"{100 * own[n]:.1f}" for n in shares)])
