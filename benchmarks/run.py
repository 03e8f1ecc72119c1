"""All measurements of speed and memory in one command: a table (ours, the other, ratio), JSON files and figures.

    python benchmarks/run.py --data FOLDER [--only detection roofline training evaluation memory]
    python benchmarks/run.py --table

Each part is a script of its own and writes docs/results/speed/*.json; `--table` writes docs/results/speed.md from the
files alone. Peers are installed into build/peers by the first run. All of it takes about half an hour on two cores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from fewaspect.core.files import atomic_write
from fewaspect.core.progress import unit_progress
from speed_figure import throughput_figure

HERE = Path(__file__).parent
RESULTS = HERE.parent / "docs" / "results" / "speed"
PAGE = RESULTS.parent / "speed.md"
FIGURES = RESULTS.parent / "figures"

PARTS: dict[str, list[list[str]]] = {
    "detection": [["detection_speed.py", "--data", "DATA", "--json", "detection.json"]],
    "roofline": [["roofline.py", "--data", "DATA", "--speed", "detection.json", "--json", "roofline.json"]],
    "training": [
        ["training_speed.py", "--data", "DATA", "--json", "training-5way-5shot.json"],
        ["training_speed.py", "--data", "DATA", "--joined", "0", "--json", "training-5way-5shot-unjoined.json"],
        [
            "training_speed.py",
            "--data",
            "DATA",
            "--way",
            "10",
            "--shot",
            "10",
            "--episodes",
            "23",
            "--json",
            "training-10way-10shot.json",
        ],
    ],
    "evaluation": [["evaluation_speed.py", "--data", "DATA", "--json", "evaluation.json"]],
    "memory": [["memory.py", "--json", "memory.json", "--figure", "FIGURES/memory.png"]],
}

INTRODUCTION = """\
# Speed: ours and others, in turn in one run

Made by `python benchmarks/run.py --data FOLDER` from the JSON files in `speed/`; `--table` writes this page from them
alone. Only the ratios mean something on another machine: both sides were measured in turn. What the numbers come from,
and how near they are to what the machine can do: [performance](../performance.md).
"""


def rows(found: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """What, ours, the other, ratio."""
    lines: list[tuple[str, str, str, str]] = []
    if detection := found.get("detection"):
        rates = {name: value["median"] for name, value in detection["sentences_per_second"].items()}
        for pair, ratio in detection["ratios"].items():
            ours, peer = pair.split(" / ")
            lines.append((
                f"detection by {ours}, sentences per second, beside {peer}", f"{rates[ours]:.0f}", f"{rates[peer]:.0f}",
                f"{ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['most']:.2f})",
            ))  # fmt: skip
        late = detection["latency"]
        lines.append((
            f"one sentence, {late['aspects']} aspects ({late['backend']}), beside its encoder alone, milliseconds",
            f"{late['predict_milliseconds']['p50']:.1f}", f"{late['encoder_milliseconds']['p50']:.1f}",
            f"{late['ratio_of_medians']:.2f} of the time",
        ))  # fmt: skip
        ours, torch = (detection["start_up_seconds"][f"first answer{by}"]["median"] for by in ("", " with torch"))
        what = "from nothing to the first answer, beside torch, seconds"
        lines.append((what, f"{ours:.2f}", f"{torch:.2f}", f"{torch / ours:.1f}"))
    for name in sorted(name for name in found if name.startswith("training-")):
        training = found[name]
        quartiles, rates = training["quartiles_of_the_ratios"], training["episodes_per_second"]
        what = f"{training['way']}-way {training['shot']}-shot{'' if training['joined'] else ', no joined sentences'}"
        lines.append((
            f"training, {what}, episodes per second, beside the plain procedure",
            f"{rates['ours']:.2f}", f"{rates['plain']:.2f}",
            f"{training['ratio']:.2f} (quartiles {quartiles[0]:.1f} to {quartiles[2]:.1f})",
        ))  # fmt: skip
    if evaluation := found.get("evaluation"):
        lines.append((
            f"{evaluation['episodes']} test episodes, 10-way 10-shot, beside encoding each anew, seconds",
            f"{evaluation['seconds_encoding_once']:.0f} (episodes alone: {evaluation['of_which_episodes']:.1f})",
            f"{evaluation['seconds_encoding_anew']:.0f}", f"{evaluation['ratio']:.0f}",
        ))  # fmt: skip
    return lines


def page(found: dict[str, Any]) -> str:
    lines = [INTRODUCTION, "| what | ours | other | ratio |", "|---|---:|---:|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows(found)]
    if "detection" in found:
        lines += ["", "![Sentences per second of ours and of the peers](figures/speed.png)"]
    if memory := found.get("memory"):
        lines += ["", "## Memory as the data grows", "", "| what | sentences | allocated, MB | mapped, MB | seconds |"]
        lines.append("|---|---:|---:|---:|---:|")
        for kind, sizes in memory.items():
            lines += [
                f"| {kind} | {s['sentences']:,} | {s['anonymous_mb']:.0f} | {s['mapped_mb']:.0f} | {s['seconds']:.0f} |"
                for s in (sizes if isinstance(sizes, list) else ())
            ]
        lines += ["", "![Memory and time against size](figures/memory.png)"]
    if detection := found.get("detection"):
        e = detection["environment"]
        parts = [f"{name}: {value['median']:.2f} s" for name, value in detection["start_up_seconds"].items()]
        told = "Fresh processes, median of three; a step to the first answer includes those before it."
        lines += ["", "## Start", "", told]
        lines += ["", f"{'; '.join(parts)}.", ""]
        lines.append(
            f"{detection['sentences']} sentences, {detection['repeats']} turns, {detection['threads']} threads of "
            f"{e['processor']}, Python {e['python']}, torch {e['packages']['torch']}."
        )
    return "\n".join([*lines, ""])


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
        RESULTS.mkdir(parents=True, exist_ok=True)
        commands = [command for part in arguments.only for command in PARTS[part]]
        with unit_progress(console, "measuring", len(commands), "parts") as done:
            for script, *given in commands:
                measure(script, given, arguments.data)
                done(1)
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))}
    table = Table("what", "ours", "other", "ratio")
    for row in rows(found):
        table.add_row(*row)
    console.print(table)
    if "detection" in found:
        throughput_figure(found["detection"], FIGURES / "speed.png")
    with atomic_write(PAGE) as file:
        file.write(page(found))
    console.print(f"wrote {PAGE}")


def measure(script: str, given: list[str], data: Path) -> None:
    named = [
        str(RESULTS / value) if value.endswith(".json") else value.replace("FIGURES", str(FIGURES)) for value in given
    ]
    command = [sys.executable, str(HERE / script), *(str(data) if value == "DATA" else value for value in named)]
    finished = subprocess.run(command, capture_output=True, text=True)
    if finished.returncode:
        raise SystemExit(f"{script} failed:\n{finished.stderr[-3000:]}")


if __name__ == "__main__":
    main()
