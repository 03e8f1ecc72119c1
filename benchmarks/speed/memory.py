"""Peak memory and time of detection, training and evaluation as the data grows 10 and 100 times.

    python benchmarks/speed/memory.py [--json OUT]

Every measurement is a process of its own. The sentences are those of the sample, numbered to be new ones. Anonymous
memory is what the process allocated; pages of mapped files, which the system may drop at any time, are shown beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from fewaspect.experiments.results_file import publish

SIZES = {"detection": (300, 3000, 30000), "training": (300, 3000, 30000), "evaluation": (300, 3000, 30000)}
EPISODES = 20


class Peak:
    """The most memory that was held while a block ran, looked at every few milliseconds."""

    def __enter__(self) -> Peak:
        self.anonymous = self.mapped = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(0.005):
            held = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
            anonymous, mapped = (int(held[name].split()[0]) / 1024 for name in ("RssAnon", "RssFile"))
            self.anonymous, self.mapped = max(self.anonymous, anonymous), max(self.mapped, mapped)


def detection(size: int, folder: Path) -> None:
    from fewaspect.cli.app import app
    from fewaspect.data.sample_set import load_sample, load_showcase

    texts = [text for part in load_sample().values() for text in part.texts]
    reviews, examples = folder / "reviews.txt", folder / "examples.json"
    with reviews.open("w", encoding="utf-8") as file:
        file.writelines(f"{' '.join(texts[n % len(texts)].split())} {n}\n" for n in range(size))
    examples.write_text(json.dumps(load_showcase().examples), encoding="utf-8")
    arguments = ["detect", str(reviews), "--examples", str(examples), "--output", str(folder / "out.csv"), "--quiet"]
    app(arguments, standalone_mode=False)


def grown(split: str, size: int, folder: Path) -> Path:
    """So many sentences of a split of the sample, as a file."""
    from fewaspect.data.sample_set import load_sample

    sentences = list(load_sample()[split])
    path = folder / f"{split}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for n in range(size):
            sentence = sentences[n % len(sentences)]
            text = f"{sentence.text} {n // len(sentences)}"
            file.write(json.dumps({"text": text, "labels": list(sentence.aspects)}) + "\n")
    return path


def training(size: int, folder: Path) -> None:
    from fewaspect.cli.app import app

    path = grown("train", size, folder)
    settings = f"--benchmark sample --train {path} --method lpn --way 3 --shot 5 --episodes {EPISODES} --joined 0"
    more = f"--validation-episodes 5 --validate-every {EPISODES} --out {folder / 'run'}"
    app(["train", *settings.split(), *more.split()], standalone_mode=False)


def evaluation(size: int, folder: Path) -> None:
    from fewaspect.core.settings import LPNSettings, TrainSettings
    from fewaspect.data.episodes import EpisodeSampler
    from fewaspect.data.formats import read_sentences
    from fewaspect.encoders.frozen import FrozenStates
    from fewaspect.evaluation.evaluator import evaluate_episodes
    from fewaspect.methods.prepared import PreparedSet
    from fewaspect.training.run import build_model
    from fewaspect.training.run_folder import RunSettings

    sentences = read_sentences(grown("test", size, folder))
    encoder, model = build_model(RunSettings(TrainSettings(), LPNSettings()))
    episodes = list(EpisodeSampler(sentences, way=3, shot=5, seed=0).episodes(EPISODES))
    evaluate_episodes(model.eval(), PreparedSet.of(sentences, FrozenStates(encoder)), episodes).metrics()


def one(kind: str, size: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FEWASPECT_CACHE"] = folder
        started = time.perf_counter()
        with Peak() as peak:
            {"detection": detection, "training": training, "evaluation": evaluation}[kind](size, Path(folder))
        seconds = time.perf_counter() - started
    return {"sentences": size, "anonymous_mb": peak.anonymous, "mapped_mb": peak.mapped, "seconds": seconds}


def in_new_process(kind: str, size: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        measured = Path(folder) / "measured.json"
        command = [sys.executable, __file__, "--one", kind, str(size)]
        finished = subprocess.run(
            command, env={**os.environ, "MEASURED": str(measured)}, capture_output=True, text=True
        )
        if finished.returncode:
            raise SystemExit(finished.stderr)
        read: dict[str, float] = json.loads(measured.read_text())
        return read


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        result = one(arguments.one[0], int(arguments.one[1]))
        Path(os.environ["MEASURED"]).write_text(json.dumps(result))
        return
    result = {}
    for kind, sizes in SIZES.items():
        result[kind] = []
        for size in sizes:
            result[kind].append(in_new_process(kind, size))
            print(kind, result[kind][-1], flush=True)
    publish(result, arguments.json)


if __name__ == "__main__":
    main()
