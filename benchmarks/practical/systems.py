"""The systems of the practical comparison, each measured in a process of its own: a job comes in by standard input.

All start from the embedded all-MiniLM-L6-v2. Settings that are not the systems' own defaults stand in their classes.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Protocol

import numpy as np

SCALE, THRESHOLD = 20.0, 0.3  # of the softmax over cosines, and what it must reach
CALIBRATION_BINS = 15
FEWEST_EMPTIES = 20  # with fewer, their accuracy is not reported


class System(Protocol):
    """Loaded and warm when made; `answer` gives what is decided, `rank` how probable each aspect is."""

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str]) -> None: ...

    def answer(self, texts: list[str]) -> np.ndarray: ...

    def rank(self, texts: list[str]) -> np.ndarray: ...


class FewAspect:
    """`AspectDetector` as it is."""

    model: str | None = None

    def __init__(self, seed: int) -> None:
        from fewaspect import AspectDetector

        self.detector = AspectDetector(model=self.model).fit({"warm": ["warm"]})
        self.detector.predict(["warm"])

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str]) -> None:
        self.detector.fit(texts, rows, names=names)
        self.detector.predict(["ready"])  # what depends on all aspects is fitted with the first answer

    def answer(self, texts: list[str]) -> np.ndarray:
        return np.asarray(self.detector.predict(texts), dtype=bool)

    def rank(self, texts: list[str]) -> np.ndarray:
        return self.detector.predict_proba(texts)


class FewAspectFP32(FewAspect):
    """The same in fp32, to see what int8 loses: FEWASPECT_FP32 names the folder of that export."""

    def __init__(self, seed: int) -> None:
        self.model = os.environ["FEWASPECT_FP32"]
        super().__init__(seed)


class SetFit:
    """SetFit with its defaults, one-vs-rest; no checkpoints are written, which only makes it faster."""

    def __init__(self, seed: int) -> None:
        from setfit import SetFitModel

        self.seed = seed
        self.model = SetFitModel.from_pretrained(encoder_folder(), multi_target_strategy="one-vs-rest")
        self.model.model_body.encode(["warm"])

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str]) -> None:
        from datasets import Dataset
        from setfit import Trainer, TrainingArguments

        examples = Dataset.from_dict({"text": texts, "label": rows.tolist()})
        with tempfile.TemporaryDirectory() as folder:
            settings = TrainingArguments(output_dir=folder, save_strategy="no", report_to="none", seed=self.seed)
            Trainer(model=self.model, args=settings, train_dataset=examples).train()

    def answer(self, texts: list[str]) -> np.ndarray:
        return np.asarray(self.model.predict(texts), dtype=bool)

    def rank(self, texts: list[str]) -> np.ndarray:
        return np.asarray(self.model.predict_proba(texts), dtype=float)


class OnEmbeddings:
    """A probability from sentence embeddings of length one, and a threshold on it."""

    threshold = 0.5

    def __init__(self, seed: int) -> None:
        from sentence_transformers import SentenceTransformer

        self.encoder = SentenceTransformer(encoder_folder())
        self.embed(["warm"])

    def embed(self, texts: list[str]) -> np.ndarray:
        return np.asarray(self.encoder.encode(texts, normalize_embeddings=True, show_progress_bar=False))

    def answer(self, texts: list[str]) -> np.ndarray:
        return self.rank(texts) >= self.threshold

    def rank(self, texts: list[str]) -> np.ndarray:
        raise NotImplementedError


class Logistic(OnEmbeddings):
    """Logistic regression of scikit-learn, one-vs-rest, C=10, classes balanced; answered at 0.5."""

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str]) -> None:
        from sklearn.linear_model import LogisticRegression
        from sklearn.multiclass import OneVsRestClassifier

        one = LogisticRegression(C=10, class_weight="balanced", max_iter=1000)
        self.classifier = OneVsRestClassifier(one).fit(self.embed(texts), rows)

    def rank(self, texts: list[str]) -> np.ndarray:
        return np.asarray(self.classifier.predict_proba(self.embed(texts)))


class Prototypes(OnEmbeddings):
    """Softmax at scale 20 over the cosines to the means of the aspects' examples; answered at 0.3."""

    threshold = THRESHOLD

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str]) -> None:
        self.prototypes = unit(rows.T @ self.embed(texts))  # (N, d)

    def rank(self, texts: list[str]) -> np.ndarray:
        return softmax(SCALE * self.embed(texts) @ self.prototypes.T)


class LabelText(Prototypes):
    """The same with the embeddings of the aspects' names in place of the means: no examples."""

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str]) -> None:
        self.prototypes = self.embed(names)


SYSTEMS: dict[str, type[System]] = {
    "fewaspect": FewAspect,
    "fewaspect-fp32": FewAspectFP32,
    "setfit": SetFit,
    "logistic": Logistic,
    "prototypes": Prototypes,
    "label-text": LabelText,
}


def encoder_folder() -> str:
    from fewaspect.encoders.sources import resolve_encoder

    return str(resolve_encoder().folder)


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def quality(probabilities: np.ndarray, decided: np.ndarray, truth: np.ndarray) -> dict[str, float | None]:
    """The numbers on (texts, N) arrays; average precision over aspects that occur, empties where there are enough."""
    from fewaspect.detector.metrics import calibration_error, measure

    measured = measure([], probabilities, decided, truth, {})
    enough = measured["empties"] >= FEWEST_EMPTIES
    return {
        "macro_f1": measured["macro_f1"],
        "micro_f1": measured["micro_f1"],
        "mean_average_precision": measured["mean_average_precision"],
        "empties": measured["empties"],
        "empty_accuracy": measured["empty_accuracy"] if enough else None,
        "answers_per_sentence": float(decided.sum() / len(decided)),
        "calibration_error": calibration_error(probabilities, truth, CALIBRATION_BINS),
    }


def peak_memory() -> float:
    """The most memory this process had resident, in megabytes.

    From /proc where it is: what `getrusage` says after an exec includes the process that started this one.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def measure_job(job: dict[str, Any]) -> dict[str, Any]:
    """Fit one system to one draw and tag the test sentences: quality, times, memory, environment."""
    drawn = job["draw"]
    names, texts = drawn["names"], drawn["texts"]
    rows = np.array(drawn["example_rows"], dtype=int).reshape(-1, len(names))
    system = SYSTEMS[job["system"]](job["seed"])
    started, cpu = time.perf_counter(), time.process_time()
    system.fit(drawn["examples"], rows, names)
    ready, ready_cpu = time.perf_counter() - started, time.process_time() - cpu
    started, cpu = time.perf_counter(), time.process_time()
    decided = system.answer(texts)
    answered, answered_cpu = time.perf_counter() - started, time.process_time() - cpu
    memory = peak_memory()
    return {
        **quality(system.rank(texts), decided, np.array(drawn["rows"], dtype=bool)),
        "seconds_to_be_ready": ready,
        "cpu_seconds_to_be_ready": ready_cpu,
        "sentences_per_second": len(texts) / answered,
        "sentences_per_cpu_second": len(texts) / answered_cpu,
        "peak_memory_mb": memory,
        "environment": environment(job["system"]),
    }


def environment(system: str) -> dict[str, Any]:
    from importlib.metadata import version

    from fewaspect.training.environment import describe_environment

    described = describe_environment()
    own = ("sentence-transformers", "scikit-learn", *(("setfit", "datasets") if system == "setfit" else ()))
    described["packages"].update({name: version(name) for name in own})
    return described


def main() -> None:
    """Read a job from standard input, write its result to the file named as the only argument."""
    os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
    result = measure_job(json.load(sys.stdin))
    Path(sys.argv[1]).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
