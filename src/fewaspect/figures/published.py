"""The published results of the ten systems, in percent."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files


@cache
def published() -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """benchmark -> system's title -> "5-way 5-shot" -> metric (auc, f1) -> percent."""
    text = files("fewaspect.figures").joinpath("published.json").read_text(encoding="utf-8")
    return {
        benchmark: {
            title: {setting: {"auc": auc, "f1": f1} for setting, (auc, f1) in settings.items()}
            for title, settings in systems.items()
        }
        for benchmark, systems in json.loads(text).items()
    }
