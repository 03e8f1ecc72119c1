"""One system of the speed comparison in a process of its own: a line on standard input asks for a measurement.

    python benchmarks/speed/speed_worker.py SYSTEM TEXTS.json ENCODER_FOLDER

For each line all sentences are processed once; the answer is the seconds that took. Peers need nothing of this project.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

EXAMPLES = {
    "food": ["the soup was cold", "best pizza in town", "the steak was dry"],
    "staff": ["the waiter was rude", "friendly people at the desk", "nobody answered the phone"],
    "price": ["far too expensive", "good value for money", "they charged us twice"],
    "parking": ["no valet", "the garage was full", "nowhere to leave the car"],
    "noise": ["thin walls", "loud music all night", "a quiet street"],
    "room": ["the bed was hard", "a clean bathroom", "no hot water in the shower"],
}


def ours(model: str | None) -> Callable[[Sequence[str]], Any]:
    from fewaspect import AspectDetector

    return AspectDetector(model=model).fit(EXAMPLES).predict_proba


def detect(_: str) -> Callable[[Sequence[str]], Any]:
    """`fewaspect detect` from a file to a file, fitting included; Python has started and the weights are loaded."""
    import tempfile

    from fewaspect.cli.app import app

    kept = tempfile.TemporaryDirectory()
    folder = Path(kept.name)
    (folder / "examples.json").write_text(json.dumps(EXAMPLES), encoding="utf-8")

    def work(texts: Sequence[str], _kept: object = kept) -> None:
        reviews = folder / "reviews.jsonl"
        reviews.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
        given = ["--examples", str(folder / "examples.json"), "--output", str(folder / "out.csv"), "--quiet"]
        app(["detect", str(reviews), *given], standalone_mode=False)

    return work


def encode(folder: str) -> Callable[[Sequence[str]], Any]:
    """sentence-transformers alone: vectors, nothing decided."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(folder)
    return lambda texts: model.encode(list(texts), show_progress_bar=False)


def setfit(folder: str) -> Callable[[Sequence[str]], Any]:
    """SetFit's predict. Its head is fitted, its encoder not trained: that changes nothing about the time."""
    from setfit import SetFitModel

    model = SetFitModel.from_pretrained(folder, multi_target_strategy="one-vs-rest")
    texts = [text for own in EXAMPLES.values() for text in own]
    rows = [[int(text in own) for own in EXAMPLES.values()] for text in texts]
    model.model_head.fit(model.model_body.encode(texts), rows)
    return lambda texts: model.predict(list(texts))


def main() -> None:
    system, path, folder = sys.argv[1:]
    texts = json.loads(Path(path).read_text(encoding="utf-8"))
    makers = {"fewaspect detect": detect, "sentence-transformers": encode, "setfit": setfit}
    model = os.environ["FEWASPECT_FP32"] if system == "onnx" else None
    work = makers[system](folder) if system in makers else ours(model)
    work(texts[:64])
    print("ready", flush=True)
    for _ in sys.stdin:
        started = time.perf_counter()
        work(texts)
        print(time.perf_counter() - started, flush=True)


if __name__ == "__main__":
    main()
