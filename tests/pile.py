"""A model on which unlabelled texts have an effect, and reviews to learn from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from fewaspect.inference.encoder import SHIPPED

_SUBJECTS = ("soup", "pizza", "garage", "waiter", "bed", "music", "wine", "lift", "street", "lobby")
_FINDINGS = ("was cold", "took an hour", "is far too small", "made us smile", "costs a fortune", "was full again")
REVIEWS = [
    f"The {subject} {finding}. We came {when}."
    for when in ("on Monday", "with friends")
    for subject in _SUBJECTS
    for finding in _FINDINGS
]  # 120 reviews with 62 different sentences
REVIEWS += [f"Room {number} was near the {_SUBJECTS[number % 10]}." for number in range(80)]


def adaptive_model(folder: Path) -> Path:
    """The shipped model with scores that a pile moves."""
    shutil.copytree(SHIPPED, folder)
    about = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    about["scorer"]["settings"] |= {"centred": True, "head_weight": 0.5, "neighbour_weight": 0.5}
    (folder / "model.json").write_text(json.dumps(about), encoding="utf-8")
    return folder
