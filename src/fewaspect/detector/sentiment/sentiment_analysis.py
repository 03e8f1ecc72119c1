"""What an analysis says of sentiment: of the text as a whole, and of each of its sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fewaspect.detector.sentiment.aspect_sentiment import AspectSentiment, sentiment_branch

if TYPE_CHECKING:
    from fewaspect.detector.explain import Analysis
    from fewaspect.detector.model import InferenceModel, SentencePredictions


def with_sentiment(
    analyses: Sequence[Analysis], of_texts: Sequence[Mapping[str, AspectSentiment]], predictions: SentencePredictions,
    names: Sequence[str], model: InferenceModel,
) -> list[Analysis]:  # fmt: skip
    """The analyses with the polarity of each answered aspect."""
    place, least = {name: n for n, name in enumerate(names)}, sentiment_branch(model).mixed_least
    found = []
    for analysis, own, rows in zip(analyses, of_texts, predictions.rows, strict=True):
        sentences = tuple(
            replace(sentence, sentiment={
                name: AspectSentiment.of(predictions.polarities[row, place[name]], least) for name in sentence.aspects
            })
            for sentence, row in zip(analysis.sentences, rows, strict=True)
        )  # fmt: skip
        found.append(replace(analysis, sentiment=dict(own), sentences=sentences))
    return found
