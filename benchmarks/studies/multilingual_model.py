"""The model for other languages: dense layers of the Universal Sentence Encoder trained with LPN+ over English and
multilingual label sets, with a probability model.

    python benchmarks/studies/multilingual_model.py --data FOLDER --work FOLDER --out MODEL [--without zh,ja]

A MODEL of all languages takes the place of src/fewaspect/inference/multilingual. With `--without`, sets in these
languages are neither trained on nor learned probabilities from: `benchmarks/practical/languages.py` measures them with
such a model. The work folder keeps what the frozen part of the encoder made of the texts. It needs the extras [train]
and [multilingual].

Probabilities are learned by `multilingual_probabilities.py` on the validation sets of the corpus, which are never
trained on, and on the multilingual sets of review aspects.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.files import atomic_folder, save_arrays, sha256_of
from fewaspect.core.settings import LPNPlusSettings
from fewaspect.detector.calibration import ProbabilityModel
from fewaspect.detector.scoring import LPNPlusScorer
from fewaspect.inference.encoder import HEAD, SHIPPED, read_metadata, write_metadata
from fewaspect.inference.universal_encoder import DENSE, PACKAGE, WIDTH, UniversalEncoder, resource_folder
from multilingual_card import card
from multilingual_features import load_features
from multilingual_head import HeadPlan, train_head
from multilingual_probabilities import learn_probabilities

PLAN = HeadPlan()
MAX_LENGTH = 256  # tokens of a sentence
LANGUAGES = ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
"""Those that the encoder was made for."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="The folder that holds corpus/ and polarity/.")
    parser.add_argument("--work", type=Path, required=True, help="folder for features of the texts")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--without", default="", help="Languages that are left out, such as zh,ja.")
    parser.add_argument("--texts", type=int, help="Of each set at most so many; another number, another work folder.")
    arguments = parser.parse_args()
    without = [code for code in arguments.without.split(",") if code]
    published = published_head()
    encoder = make_encoder(published, PLAN)
    read = load_features(encoder, arguments.data, arguments.work, arguments.texts)
    sets = [one for one in read if one.language not in without]
    trained_on = [one for one in sets if one.part != "validation"]
    head, scorer = train_head(trained_on, published, detector_settings(), PLAN, show_step)
    head = {name: value.astype(np.float16) for name, value in head.items()}
    probability_model = learn_probabilities(make_encoder(head, PLAN), scorer, sets)
    told = card(trained_on, sets, PLAN, without)
    write(arguments.out, head, scorer, probability_model, {**asdict(PLAN), "without": without}, told)
    print(f"wrote {arguments.out}")


def detector_settings() -> LPNPlusSettings:
    """Those of the English model, but for the lower layer, which this encoder does not give."""
    settings = LPNPlusScorer.from_json(read_metadata(SHIPPED)["scorer"], str(SHIPPED)).settings
    return replace(settings, lower_head=False)


def published_head() -> dict[str, np.ndarray]:
    with np.load(resource_folder() / "weights.npz", allow_pickle=False) as stored:
        return {name: stored[name] for name in DENSE}


def make_encoder(head: dict[str, np.ndarray], plan: HeadPlan) -> UniversalEncoder:
    return UniversalEncoder(
        resource_folder(), head, window=plan.window, sentence_share=plan.sentence_share, max_length=MAX_LENGTH
    )


def show_step(step: int, loss: float) -> None:
    if (step + 1) % 100 == 0:
        print(f"episode {step + 1}: loss {loss:.2f}", flush=True)


def write(
    out: Path, head: dict[str, np.ndarray], scorer: LPNPlusScorer, probability_model: ProbabilityModel,
    plan: dict[str, Any], told: str,
) -> None:  # fmt: skip
    """The folder of the model; an earlier one is replaced."""
    resources = resource_folder()
    files = {name: sha256_of(resources / name) for name in ("sp.model", "weights.npz")}
    with atomic_folder(out, replace=True) as new:
        save_arrays(new / HEAD, head, {})
        identity = {
            "encoder": "multilingual", "encoder_digest": files["weights.npz"], "weights": sha256_of(new / HEAD),
            "states": json.dumps([PLAN.window, PLAN.sentence_share, MAX_LENGTH]),
        }  # fmt: skip
        write_metadata(new, {
            "languages": list(LANGUAGES), "precision": "fp32", "width": WIDTH, "max_length": MAX_LENGTH,
            "package": {"name": PACKAGE, "version": version(PACKAGE), "files": files},
            "window": PLAN.window, "sentence_share": PLAN.sentence_share, "identity": identity,
            "scorer": asdict(scorer), "probability_model": asdict(probability_model), "plan": plan,
        })  # fmt: skip
        (new / "MODEL_CARD.md").write_text(told, encoding="utf-8")


if __name__ == "__main__":
    main()
