"""What a million sentences cost: the measured rate on a rented machine, beside list prices of hosted models.

    python benchmarks/practical/cost.py --data FOLDER    # counts tokens, writes docs/results/cost.json and cost.md
    python benchmarks/practical/cost.py --table          # cost.md alone, from cost.json, speed.jsonl and prices.json

A calculation: no hosted model was called. Prices and where they were read are in prices.json beside this script.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

from fewaspect.core.files import atomic_write
from fewaspect.experiments.results_file import read_results

HERE = Path(__file__).parent
RESULTS = HERE.parents[1] / "docs" / "results"
SENTENCES = 1_000_000
PATH = "fewaspect detect"  # file to file, which is what a million sentences are read with


def count_tokens(data: Path) -> dict[str, Any]:
    """Mean tokens of the sentences that the speed was measured on, and of a request with the quickstart's examples."""
    from fewaspect import AspectDetector
    from fewaspect.data.benchmarks import load_benchmark
    from fewaspect.data.sample_set import load_showcase

    tokeniser = AspectDetector().fit({"food": ["soup"]}).model_.encoder.tokeniser
    texts = list(dict.fromkeys(load_benchmark("fewasp", data).test.texts))[:2000]
    showcase = load_showcase()
    lines = [f"{name}: {' | '.join(examples)}" for name, examples in showcase.examples.items()]
    request = ["Which of these aspects does each sentence mention? Answer with a JSON list of names for each.", *lines]
    answers = [json.dumps(list(review.aspects)) for review in showcase.reviews]
    return {
        "sentences": len(texts), "sentence": round(statistics.mean(tokeniser.pieces(texts)), 1),
        "instructions": sum(tokeniser.pieces(request)), "answer": round(statistics.mean(tokeniser.pieces(answers)), 1),
        "aspects": len(showcase.examples), "examples": sum(map(len, showcase.examples.values())),
    }  # fmt: skip


def own_cost(prices: dict[str, Any]) -> dict[str, float]:
    """Sentences per second, minutes and dollars of a million, on the machine of the price list."""
    detection = next(r for r in read_results(RESULTS / "speed.jsonl") if r["measurement"] == "detection")
    rate = detection["sentences_per_second"][PATH]["median"]
    hour = prices["machine"]["per_month"] / prices["machine"]["hours_per_month"]
    return {"rate": rate, "minutes": SENTENCES / rate / 60, "hour": hour, "dollars": SENTENCES / rate / 3600 * hour}


def hosted_cost(model: dict[str, Any], tokens: dict[str, Any], at_once: int) -> float:
    """Dollars of a million sentences, so many in a request, without discounts."""
    read = SENTENCES * (tokens["sentence"] + tokens["instructions"] / at_once)
    written = SENTENCES * tokens["answer"]
    return (read * model["input_per_million"] + written * model["output_per_million"]) / 1e6


def inputs() -> tuple[dict[str, Any], dict[str, Any]]:
    """Prices, and the counted tokens."""
    prices = json.loads((HERE / "prices.json").read_text(encoding="utf-8"))
    return prices, json.loads((RESULTS / "cost.json").read_text(encoding="utf-8"))


def page() -> str:
    prices, tokens = inputs()
    own, machine = own_cost(prices), prices["machine"]
    few, many = prices["sentences_per_request"]
    rows = [
        f"| {model['name']} | {model['input_per_million']:.2f} / {model['output_per_million']:.2f} "
        f"| {hosted_cost(model, tokens, few):.2f} | {hosted_cost(model, tokens, many):.2f} "
        f"| {hosted_cost(model, tokens, many) * model['batch_share']:.2f} | <{model['source']}>, {model['date']} |"
        for model in prices["hosted"]
    ]
    return "\n".join([
        "# What a million sentences cost", "",
        "A calculation by `python benchmarks/practical/cost.py --table` from [speed.jsonl](speed.jsonl),",
        "[cost.json](cost.json) and `benchmarks/practical/prices.json`. No hosted model was called, and nothing is",
        f"said here about how well one answers. Prices are {prices['currency']}, as they",
        "stood in the source that is named; look them up before you rely on them.", "",
        "## Here", "",
        f"`{PATH}` reads {own['rate']:.0f} sentences per second on two threads ([speed](speed.md)), so a million",
        f"takes {own['minutes']:.0f} minutes. On a computer that is there anyway that costs its electricity. On a",
        f"rented one ({machine['name']}) an hour is {machine['per_month']} / {machine['hours_per_month']} =",
        f"{own['hour']:.4f} dollars, and a million sentences are",
        f"1,000,000 / {own['rate']:.0f} / 3,600 x {own['hour']:.4f} = **{own['dollars']:.2f} dollars**, if that",
        "machine is as fast as the one measured, which has not been tried.", "",
        f"Price of the machine: {machine['source']}, {machine['date']}.", "",
        "## Hosted models", "",
        f"A request has instructions with {tokens['aspects']} aspects and {tokens['examples']} examples, those of",
        f"`fewaspect quickstart` ({tokens['instructions']} tokens), and {few} or {many} sentences of",
        f"{tokens['sentence']} tokens; the answer is a list of names, {tokens['answer']} tokens a sentence. Tokens are",
        "counted by our tokenizer; each provider has its own, which may count a third more or less. Thinking tokens,",
        "retries and the time of whoever writes the program are left out. Cached instructions cost less where a",
        "provider caches so short a text.", "",
        "Dollars for a million sentences:", "",
        f"| model | per million tokens, in / out | {few} sentence a request | {many} a request | {many}, as a batch |"
        " price read at |",
        "|---|---|---:|---:|---:|---|", *rows, "",
        f"As a batch: {prices['batch']}.", "",
    ])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with the FewAsp files")
    parser.add_argument("--table", action="store_true", help="write the page alone")
    given = parser.parse_args()
    if given.data:
        with atomic_write(RESULTS / "cost.json") as file:
            file.write(json.dumps(count_tokens(given.data), indent=1) + "\n")
    elif not given.table:
        parser.error("expected --data FOLDER or --table")
    with atomic_write(RESULTS / "cost.md") as file:
        file.write(page())


if __name__ == "__main__":
    main()
