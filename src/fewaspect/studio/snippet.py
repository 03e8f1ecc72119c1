"""Python code that fits the detector of a project."""

from __future__ import annotations

from pprint import pformat

from fewaspect.core.errors import DataError
from fewaspect.studio.store.definition import Definition


def snippet(definition: Definition) -> str:
    """Texts, labels, names, descriptions and thresholds as literals."""
    if not definition.aspects:
        raise DataError("snippet: expected a project with aspects, found none.")
    names = {aspect.id: aspect.name for aspect in definition.aspects}
    described = {aspect.name: aspect.description for aspect in definition.aspects if aspect.description}
    labelled = [(example.text, [names[a] for a in example.aspects]) for example in definition.examples]
    thresholds = definition.thresholds()
    created = f"AspectDetector(threshold={_literal(thresholds, 4)})" if thresholds else "AspectDetector()"
    return f"""\
from fewaspect import AspectDetector

names = {_literal(list(names.values()))}
descriptions = {_literal(described)}
examples = {_literal(labelled)}  # texts with their aspects; []: none of these

detector = {created}
detector.fit([text for text, _ in examples], [labels for _, labels in examples], names=names, descriptions=descriptions)
print(detector.predict(["Write a review here."]))
"""


def _literal(value: object, indent: int = 0) -> str:
    return pformat(value, width=116, sort_dicts=False).replace("\n", "\n" + " " * indent)
