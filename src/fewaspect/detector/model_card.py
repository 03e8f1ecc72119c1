"""The model card that is written with every save."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fewaspect.detector.decision import DEFAULT_THRESHOLD

_PRECISION = {"float32": "single precision", "int8": "whole numbers of eight bits"}


def model_card(about: Mapping[str, Any]) -> str:
    """Markdown for a person who is handed the folder: what it detects, from what, how to use it, what to mind."""
    rows = "\n".join(_row(aspect, about["parameters"]["threshold"]) for aspect in about["aspects"])
    none = sum(not example["aspects"] for example in about["examples"])
    model = about["model"]
    return f"""# Aspect detector

Finds {len(about["aspects"])} aspect(s) in review text, learned from {len(about["examples"])} example sentence(s), of
which {none} are examples of "none of these". Made with fewaspect {about["fewaspect"]}.

| aspect | examples | threshold | description |
|---|---:|---:|---|
{rows}

## Use

```python
from fewaspect import AspectDetector

detector = AspectDetector.load("this folder")
detector.predict(["The soup was cold."])
```

## How it works

Each sentence of a text is compared with each aspect by LPN+ on the encoder {_cell(model["encoder"])}
(sha256 {model["encoder_digest"]}, upper layers and method {model["weights"]}), in {_PRECISION[model["precision"]]}.
An aspect is answered where its
probability reaches its threshold; a text may have none. No training took place on the examples; one number that follows
from them shifts all probabilities.

## Mind

- It knows the aspects only by the examples, names and descriptions above; a few examples are a few examples.
- The encoder was trained on English text; in other languages results are weaker or accidental.
- The folder holds the example sentences as they were given. Texts that were analysed are not in it.
- Measure it on texts of your own: `detector.evaluate(texts, labels)`, and set thresholds with `detector.tune`.
"""


def _row(aspect: Mapping[str, Any], given: Any) -> str:
    threshold = aspect["threshold"] if aspect["threshold"] is not None else DEFAULT_THRESHOLD
    if isinstance(given, Mapping):
        threshold = given.get(aspect["name"], threshold)
    elif given is not None:
        threshold = given
    return (
        f"| {_cell(aspect['name'])} | {aspect['examples']} | {threshold:.3f} | {_cell(aspect['description'] or '')} |"
    )


def _cell(text: str) -> str:
    """Text that stays inside its cell of a table."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
