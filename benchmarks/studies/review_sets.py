"""The corpus and, beside its training sets, four sets of review aspects that come with polarities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fewaspect.core.files import atomic_folder, atomic_write
from fewaspect.core.settings import to_json
from fewaspect.data.benchmarks import verify_checksums
from fewaspect.data.corpus import MANIFEST

REVIEW_SETS = ("memd_hotel", "memd_restaurant", "sight_lecture_comments", "student_feedback_kushan")


def extended_corpus(data: Path, folder: Path) -> Path:
    """The folder, with links to the corpus and with the review sets as label sets; polarities are left away.

    Sets whose licence forbids it are not among them, nor is one of the domain of a validation set (flights).
    """
    with atomic_folder(folder, replace=True) as new:
        manifest = _manifest(data / "corpus")
        for part in ("train", "validation"):
            (new / part).mkdir()
        for name in [name for name in manifest if name.startswith(("train/", "validation/"))]:
            (new / f"{name}.jsonl").symlink_to((data / "corpus" / f"{name}.jsonl").resolve())
        for name in REVIEW_SETS:
            path = data / "polarity" / "train" / f"{name}.jsonl"
            verify_checksums(data, [path])
            about = _manifest(data / "polarity")[f"train/{name}"]
            manifest[f"train/{name}"] = {**about, "kind": "aspect", "source_repo": about["repo"]}
            with atomic_write(new / "train" / path.name) as file:
                file.writelines(map(_labelled, path.read_text(encoding="utf-8").splitlines()))
        with atomic_write(new / MANIFEST) as file:
            file.write(to_json(manifest))
    return folder


def _manifest(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / MANIFEST).read_text(encoding="utf-8")))


def _labelled(line: str) -> str:
    """A line of the polarity sets as one of the corpus."""
    sentence = json.loads(line)
    labels = list(dict.fromkeys(aspect["name"] for aspect in sentence["aspects"]))
    return json.dumps({"text": sentence["text"], "labels": labels, "domain": sentence["domain"]}) + "\n"
