"""What the practical comparison shows in short: against the strongest peers, and set by set."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from draws import SETS
from records import (
    CALIBRATION,
    EMPTIES,
    GROUPS,
    MACRO_F1,
    PRECISION,
    READY,
    SAME_ENCODER,
    TITLES,
    Comparison,
    Metric,
    Result,
    applicable,
    seed_means,
    select,
    spread,
    strongest,
)

AHEAD = 1.0  # points of average precision that a peer of the same encoder must not be ahead by
OURS = ("fewaspect", "fewaspect-pile")
STRONGEST = "the strongest peer of the same encoder"


def summary(results: Sequence[Result], times: Sequence[Result]) -> str:
    """What the detector has to show, beside what was measured; two systems are compared on the draws both have."""
    lines = ["## In short\n", f"| examples | what | aim | {' | '.join(GROUPS)} |", "|---" * (3 + len(GROUPS)) + "|"]
    for shots in sorted({result["shots"] for result in results} - {0}):
        here, timed = (select(some, shots=shots) for some in (results, times))
        for what, aim, measured in aims(here, timed, shots):
            if any(cell != "-" for cell in measured):
                lines.append(f"| {shots} | {what} | {aim} | {' | '.join(measured)} |")
    return "\n".join([*lines, ""])


def aims(results: Sequence[Result], times: Sequence[Result], shots: int) -> Iterator[tuple[str, str, list[str]]]:
    """What, aim and measured numbers, one for each group of sets, for one number of examples."""
    for metric, least in ((MACRO_F1, 4 if shots == 5 else 0), (PRECISION, 7 if shots == 5 else 0)):
        aim = f"at least +{least}" if least else "above"
        for system in OURS:
            given = ", unlabelled texts given," if system == "fewaspect-pile" else ""
            gains = [gain(results, metric, system, SAME_ENCODER, sets) for sets in GROUPS.values()]
            yield f"{metric.title}{given} against {STRONGEST}", aim, gains
    for peer, what in (
        ("logistic-mpnet", "logistic regression on mpnet"),
        ("fewaspect-pile", "the same with the texts"),
    ):
        gains = [gain(results, PRECISION, "fewaspect", [peer], sets, named=False) for sets in GROUPS.values()]
        yield f"{PRECISION.title} against {what}", "-", gains
    yield "times sooner ready than SetFit, by CPU time", "at least 50", [sooner(times), "-"]
    yield (
        "macro-F1 against fp32", "at least -0.3",
        [gain(results, MACRO_F1._replace(digits=2), "fewaspect", ["fewaspect-fp32"], sets, named=False)
         for sets in GROUPS.values()],
    )  # fmt: skip
    own = select(results, system="fewaspect")
    for metric, aim in ((EMPTIES, "at least 60"), (CALIBRATION, "at most 0.10")):
        means = [seed_means(own, metric, applicable(own, metric, sets)) for sets in GROUPS.values()]
        yield metric.title, aim, [spread(list(mean.values()), metric) for mean in means]


def gain(
    results: Sequence[Result], metric: Metric, system: str, peers: Sequence[str], sets: Sequence[str],
    named: bool = True,
) -> str:  # fmt: skip
    """Our mean less that of the strongest peer, with the spread of the difference over seeds."""
    if not (found := strongest(results, metric, system, peers, sets)):
        return "-"
    peer, compared = found
    remarks = [TITLES[peer]] if named else []
    if len(compared.sets) < len(applicable(select(results, system=system), metric, sets)):
        remarks.append(", ".join(compared.sets) + " alone")
    return f"{signed(compared, metric)} ({'; '.join(remarks)})" if remarks else signed(compared, metric)


def signed(compared: Comparison, metric: Metric) -> str:
    return f"{'+' if compared.mean >= 0 else ''}{spread(list(compared.differences.values()), metric)}"


def sooner(times: Sequence[Result]) -> str:
    """SetFit's mean time by ours, and the smallest of the ratios of single draws."""
    seconds = {(r["system"], r["set"], r["seed"]): r[READY.key] for r in times if r["set"] in SETS}
    both = [
        (value, seconds["fewaspect", name, seed])
        for (system, name, seed), value in seconds.items()
        if system == "setfit" and ("fewaspect", name, seed) in seconds
    ]
    if not both:
        return "-"
    peer, own = (statistics.mean(some) for some in zip(*both, strict=True))
    return f"{peer / own:.0f} (least: {min(theirs / ours for theirs, ours in both):.0f})"


def by_set(results: Sequence[Result]) -> str:
    """Our average precision less that of the strongest peer of the same encoder, for each set."""
    counts = sorted({result["shots"] for result in results} - {0})
    parts = [f"## Is a peer of the same encoder more than {AHEAD:.0f} point ahead in average precision?\n"]
    for system in OURS:
        if not select(results, system=system):
            continue
        found = {
            (name, shots): best
            for sets in GROUPS.values()
            for name in sets
            for shots in counts
            if (best := strongest(select(results, shots=shots), PRECISION, system, SAME_ENCODER, [name]))
        }
        if not found:
            continue
        behind = [place for place, (_, compared) in found.items() if compared.mean < -AHEAD]
        verdict = f"in {len(behind)} of {len(found)} cells, in bold" if behind else f"in none of {len(found)} cells"
        parts += [
            f"{TITLES[system]}: {verdict}. A cell: our average precision less that of the strongest peer.\n",
            f"| set | {' | '.join(map(examples, counts))} |",
            "|---" * (1 + len(counts)) + "|",
        ]
        for name in (name for sets in GROUPS.values() for name in sets):
            if any((name, shots) in found for shots in counts):
                cells = [cell(found.get((name, shots)), (name, shots) in behind) for shots in counts]
                parts.append(f"| {name} | {' | '.join(cells)} |")
        parts.append("")
    return "\n".join(parts)


def cell(best: tuple[str, Comparison] | None, behind: bool) -> str:
    if best is None:
        return "-"
    shown = f"{best[1].mean:+.1f} ({TITLES[best[0]]})"
    return f"**{shown}**" if behind else shown


def examples(shots: int) -> str:
    return f"{shots} example{'s' * (shots > 1)}"
