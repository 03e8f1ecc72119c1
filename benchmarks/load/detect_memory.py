"""Memory and speed of `fewaspect detect` over a long file: memory must not grow with the number of lines.

    python benchmarks/load/detect_memory.py [--lines 200000] [--output out.csv] [--explain] [--json OUT]

The lines are generated from the sentences of the sample set: one or two of them per review, about a third of the
reviews repeated from before. Memory is what the process holds (resident) at each tenth of the way; it counts as flat
if the last tenth holds at most 5 % or 20 MB more than the second. (The first fills pools and caches.)
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from fewaspect.cli.review_options import fit_detector
from fewaspect.data.sample_set import load_sample, load_showcase
from fewaspect.experiments.results_file import publish
from fewaspect.reviews.formats import choose_formats
from fewaspect.reviews.pipeline import CHUNK, Stream, Summary, detect_stream
from fewaspect.reviews.readers.source import Source
from fewaspect.reviews.writers import Layout, Target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--output", default="out.csv", help="its extension is the format that is written")
    parser.add_argument("--chunk", type=int, default=CHUNK)
    parser.add_argument("--explain", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), arguments)
    publish(result, arguments.json)
    if not result["flat"]:
        raise SystemExit("memory grew")


def measure(folder: Path, arguments: argparse.Namespace) -> dict[str, object]:
    reviews, examples = folder / "reviews.txt", folder / "examples.json"
    with reviews.open("w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in generated_reviews(arguments.lines))
    examples.write_text(json.dumps(load_showcase().examples))
    detector = fit_detector(examples, None)
    output = str(folder / Path(arguments.output).name)
    reads, writes = choose_formats(str(reviews), output)
    before = resident()
    started = time.perf_counter()
    stream = Stream(Source(str(reviews), reads), size=arguments.chunk)
    checked = time.perf_counter() - started
    layout = Layout(tuple(detector.classes_), arguments.explain)
    summary = Summary(layout.classes)
    points: list[dict[str, float]] = []

    def watch(done: int) -> None:
        if summary.reviews * 10 >= arguments.lines * (len(points) + 1):
            points.append({"reviews": summary.reviews, "megabytes": resident(), "sentences_per_second": summary.rate})
            print(points[-1], flush=True)

    detect_stream(detector, stream, Target(output, writes), layout, summary, watch)
    early, late = points[1]["megabytes"], points[-1]["megabytes"]
    return {
        "lines": arguments.lines,
        "megabytes_written": Path(output).stat().st_size / 2**20,
        "seconds_to_check_the_file": checked,
        "megabytes_before": before,
        "points": points,
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10,
        "flat": late <= early + max(0.05 * early, 20),
    }


def generated_reviews(lines: int) -> Iterator[str]:
    """Reviews of one or two sentences; about a third occurred before, sometimes just before."""
    chance = random.Random(0)
    sentences = [text for part in load_sample().values() for text in part.texts]
    earlier: list[str] = []
    for _ in range(lines):
        if earlier and chance.random() < 1 / 3:
            yield chance.choice(earlier)
            continue
        review = " ".join(chance.choice(sentences) for _ in range(chance.randint(1, 2)))
        if len(earlier) < 500:
            earlier.append(review)
        else:
            earlier[chance.randrange(500)] = review
        yield review


def resident() -> float:
    """Megabytes that the process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


if __name__ == "__main__":
    main()
