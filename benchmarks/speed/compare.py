"""All measurements of speed and memory in one command: a table (ours, the other, ratio), a results file and figures.

    python benchmarks/speed/compare.py --data FOLDER [--only detection roofline training evaluation memory]
    python benchmarks/speed/compare.py --table

Each part is a script of its own, whose measurement is merged into docs/results/speed.jsonl; `--table` writes
docs/results/speed.md and the figures from that file alone. Peers are installed into build/peers by the first run. All
of it takes about half an hour on two cores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from detection_speed import OURS, PEERS, START_UP
from fewaspect.core.files import atomic_write
from fewaspect.core.progress import unit_progress
from fewaspect.experiments.results_file import merge_results, read_results
from memory import SIZES
from speed_figures import memory_figure, throughput_figure

HERE = Path(__file__).parent
RESULTS = HERE.parents[1] / "docs" / "results" / "speed.jsonl"
PAGE = RESULTS.with_suffix(".md")
FIGURES = RESULTS.parent / "figures"
KEY = ("measurement",)

PARTS: dict[str, dict[str, str]] = {  # the command of each measurement
    "detection": {"detection": "detection_speed.py --data DATA"},
    "roofline": {"roofline": "roofline.py --data DATA"},
    "training": {
        "training-5way-5shot": "training_speed.py --data DATA",
        "training-5way-5shot-unjoined": "training_speed.py --data DATA --joined 0",
        "training-10way-10shot": "training_speed.py --data DATA --way 10 --shot 10 --episodes 23",
    },
    "evaluation": {"evaluation": "evaluation_speed.py --data DATA"},
    "memory": {"memory": "memory.py"},
}

INTRODUCTION = """\
# Speed: ours and others, alternating in one run

Made by `python benchmarks/speed/compare.py --data FOLDER` from [speed.jsonl](speed.jsonl); `--table` writes this page
from it alone. Only the ratios mean something on another machine: both sides were measured alternately. What the numbers
come from, and how near they are to what the machine can do: [performance](../explanation/performance.md).
"""

Row = tuple[str, str, str, str]  # what, ours, the other, ratio


def rows(found: dict[str, Any]) -> list[Row]:
    training = [found[name] for name in sorted(found) if name.startswith("training-")]
    return [
        *(detection_rows(found["detection"]) if "detection" in found else ()),
        *map(training_row, training),
        *([evaluation_row(found["evaluation"])] if "evaluation" in found else ()),
    ]


def detection_rows(detection: dict[str, Any]) -> Iterator[Row]:
    rates = {name: value["median"] for name, value in detection["sentences_per_second"].items()}
    for ours, peer in product(OURS, PEERS):
        ratio = detection["ratios"][f"{ours} / {peer}"]
        yield (
            f"detection by {ours}, sentences per second, beside {peer}", f"{rates[ours]:.0f}", f"{rates[peer]:.0f}",
            f"{ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['most']:.2f})",
        )  # fmt: skip
    late = detection["latency"]
    yield (
        f"one sentence, {late['aspects']} aspects ({late['backend']}), beside its encoder alone, milliseconds",
        f"{late['predict_milliseconds']['p50']:.1f}", f"{late['encoder_milliseconds']['p50']:.1f}",
        f"{late['ratio_of_medians']:.2f} of the time",
    )  # fmt: skip
    first, torch = (detection["start_up_seconds"][f"first answer{by}"]["median"] for by in ("", " with torch"))
    what = "from nothing to the first answer, beside torch, seconds"
    yield what, f"{first:.2f}", f"{torch:.2f}", f"{torch / first:.1f}"


def training_row(training: dict[str, Any]) -> Row:
    quartiles, rates = training["quartiles_of_the_ratios"], training["episodes_per_second"]
    what = f"{training['way']}-way {training['shot']}-shot{'' if training['joined'] else ', no joined sentences'}"
    return (
        f"training, {what}, episodes per second, beside the plain procedure",
        f"{rates['ours']:.2f}", f"{rates['plain']:.2f}",
        f"{training['ratio']:.2f} (quartiles {quartiles[0]:.1f} to {quartiles[2]:.1f})",
    )  # fmt: skip


def evaluation_row(evaluation: dict[str, Any]) -> Row:
    return (
        f"{evaluation['episodes']} test episodes, 10-way 10-shot, beside encoding each anew, seconds",
        f"{evaluation['seconds_encoding_once']:.0f} (episodes alone: {evaluation['of_which_episodes']:.1f})",
        f"{evaluation['seconds_encoding_anew']:.0f}", f"{evaluation['ratio']:.0f}",
    )  # fmt: skip


def page(found: dict[str, Any]) -> str:
    lines = [INTRODUCTION, "| what | ours | other | ratio |", "|---|---:|---:|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows(found)]
    if "detection" in found:
        lines += ["", "![Sentences per second of ours and of the peers](figures/speed.png)"]
    if "memory" in found:
        lines += memory_section(found["memory"])
    if "detection" in found:
        lines += start_section(found["detection"])
    return "\n".join([*lines, ""])


def memory_section(memory: dict[str, Any]) -> list[str]:
    rows = [
        f"| {kind} | {s['sentences']:,} | {s['anonymous_mb']:.0f} | {s['mapped_mb']:.0f} | {s['seconds']:.0f} |"
        for kind in SIZES
        for s in memory[kind]
    ]
    return [
        "", "## Memory as the data grows", "", "| what | sentences | allocated, MB | mapped, MB | seconds |",
        "|---|---:|---:|---:|---:|", *rows, "", "![Memory and time against size](figures/memory.png)",
    ]  # fmt: skip


def start_section(detection: dict[str, Any]) -> list[str]:
    e = detection["environment"]
    steps = [f"{step}: {detection['start_up_seconds'][step]['median']:.2f} s" for step in START_UP]
    return [
        "", "## Start", "",
        "Fresh processes, median of three; a step to the first answer includes those before it.", "",
        f"{'; '.join(steps)}.", "",
        f"{detection['sentences']} sentences, {detection['repeats']} turns, {detection['threads']} threads of "
        f"{e['processor']}, Python {e['python']}, torch {e['packages']['torch']}.",
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    console = Console()
    if not arguments.table:
        if arguments.data is None:
            parser.error("--data FOLDER is needed, except with --table")
        commands = {name: command for part in arguments.only for name, command in PARTS[part].items()}
        with unit_progress(console, "measuring", len(commands), "parts") as done:
            for name, command in commands.items():
                merge_results(RESULTS, [{"measurement": name, **measure(command, arguments.data)}], KEY)
                done(1)
    found = {record["measurement"]: record for record in read_results(RESULTS)}
    table = Table("what", "ours", "other", "ratio")
    for row in rows(found):
        table.add_row(*row)
    console.print(table)
    if "detection" in found:
        throughput_figure(found["detection"], FIGURES / "speed.png")
    if "memory" in found:
        memory_figure(found["memory"], FIGURES / "memory.png")
    with atomic_write(PAGE) as file:
        file.write(page(found))
    console.print(f"wrote {PAGE}")


def measure(command: str, data: Path) -> dict[str, Any]:
    script, *given = command.split()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "measured.json"
        options = [str(data) if option == "DATA" else option for option in given]
        finished = subprocess.run(
            [sys.executable, str(HERE / script), *options, "--json", str(out)], capture_output=True, text=True
        )
        if finished.returncode:
            raise SystemExit(f"{script} failed:\n{finished.stderr[-3000:]}")
        measured: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return measured


if __name__ == "__main__":
    main()
