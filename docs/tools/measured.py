"""Every number that a page may quote, by name, as it is written there; all of them from files in docs/results."""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fewaspect.experiments.published import published
from fewaspect.experiments.results_file import read_results

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
sys.path += [str(ROOT / "benchmarks" / "practical"), str(ROOT / "benchmarks" / "load")]

import bulk_scaling  # noqa: E402
import cost  # noqa: E402
from records import GROUPS, QUALITY, TIMES, TITLES, Metric, seed_means, select  # noqa: E402

Named = Iterator[tuple[str, str]]
SHORT = {"mean_average_precision": "map", "macro_f1": "f1", "micro_f1": "micro", "empty_accuracy": "empty",
         "calibration_error": "calibration", "cpu_seconds_to_be_ready": "ready", "sentences_per_cpu_second": "speed",
         "peak_memory_mb": "memory"}  # fmt: skip


def measured() -> dict[str, str]:
    """Name and text of all numbers."""
    parts = (practical, grid, claims, larger_encoder, ablation, choice, episodes, sentiment, languages,
             language_sentiment, language_costs, speed, memory, serve, correction, bulk, detector_times, attacks,
             reasons, promises, costs, newcomer, versions)  # fmt: skip
    return {name: text for part in parts for name, text in part()}


def practical() -> Named:
    """practical.f1.fewaspect.5: means over the visible sets and their draws; practical.ready.setfit.1: one draw."""
    for file, metrics in (("practical", QUALITY), ("practical-times", TIMES)):
        results = read_results(RESULTS / f"{file}.jsonl")
        for shots in sorted({result["shots"] for result in results}):
            here = select(results, shots=shots)
            for system in TITLES:
                own = select(here, system=system)
                for metric in metrics:
                    if means := seed_means(own, metric, _sets(own, metric)):
                        name = f"practical.{SHORT[metric.key]}.{system}.{shots}"
                        yield name, f"{statistics.mean(means.values()):,.{metric.digits}f}"


def _sets(results: Sequence[dict[str, Any]], metric: Metric) -> list[str]:
    """The visible sets; those that have sentences without an aspect, where these are counted."""
    sets = list(GROUPS["visible sets"])
    if metric.key == "empty_accuracy":
        return [name for name in sets if any(r["set"] == name and r.get(metric.key) is not None for r in results)]
    return sets


def grid() -> Named:
    """grid.f1.lpn.fewasp-multi.5-5 of 5-way 5-shot, and published.f1... beside it."""
    cells = [cell for cell in read_results(RESULTS / "grid-cpu.jsonl") if cell["split"] == "test"]
    keys = dict.fromkeys((c["row"], c["benchmark"], c["way"], c["shot"]) for c in cells)
    for row, benchmark, way, shot in keys:
        own = select(cells, row=row, benchmark=benchmark, way=way, shot=shot)
        for metric in ("f1", "auc"):
            name = f"grid.{metric}.{row}.{benchmark}.{way}-{shot}"
            yield name, f"{statistics.mean(cell[metric] for cell in own):.2f}"
    for benchmark, table in published()["benchmarks"].items():
        for system, settings in table["results"].items():
            for setting, values in settings.items():
                way, shot = (part.partition("-")[0] for part in setting.split())
                for metric, value in values.items():
                    yield f"published.{metric}.{system}.{benchmark}.{way}-{shot}", f"{value:.2f}"


def claims() -> Named:
    """claims.above.fewasp.least: LPN+ above the published LPN; claims.count.fewasp.5-5: its count above always one."""
    cells = [cell for cell in read_results(RESULTS / "grid-cpu.jsonl") if cell["split"] == "test"]
    tables = published()["benchmarks"]
    for benchmark in tables:
        above = []
        for setting, values in tables[benchmark]["results"]["lpn"].items():
            way, shot = (part.partition("-")[0] for part in setting.split())
            own = select(cells, row="lpn-plus", benchmark=benchmark, way=int(way), shot=int(shot))
            above.append(statistics.mean(cell["f1"] for cell in own) - values["f1"])
            if all("count_accuracy" in cell for cell in own):
                count = statistics.mean(cell["count_accuracy"] - cell["always_one_accuracy"] for cell in own)
                yield f"claims.count.{benchmark}.{way}-{shot}", f"{count:.1f}"
        yield f"claims.above.{benchmark}.least", f"{min(above):.1f}"
        yield f"claims.above.{benchmark}.most", f"{max(above):.1f}"
    f1 = {name: float(text) for name, text in grid() if name.startswith("grid.f1.")}
    settings = [name.removeprefix("grid.f1.lpn.") for name in f1 if name.startswith("grid.f1.lpn.")]
    yield "claims.labels", f"{max(f1[f'grid.f1.lpn-wo.{one}'] - f1[f'grid.f1.lpn-oo.{one}'] for one in settings):.1f}"
    yield "claims.contrast", f"{max(abs(f1[f'grid.f1.lpn.{s}'] - f1[f'grid.f1.lpn-wo.{s}']) for s in settings):.2f}"
    gains = [f1[f"grid.f1.lpn-long.{s}"] - f1[f"grid.f1.lpn.{s}"] for s in settings if s.startswith("fewasp-single")]
    yield "claims.longer.least", f"{min(gains):.1f}"
    yield "claims.longer.most", f"{max(gains):.1f}"


def larger_encoder() -> Named:
    """mpnet.lpn.fewasp-multi: F1; mpnet.minutes.lpn: of its training; rank.600: F1 of LPN at this k."""
    cells = read_results(RESULTS / "mpnet.jsonl")
    for cell in cells:
        yield f"mpnet.{cell['row']}.{cell['benchmark']}", f"{cell['f1']:.2f}"
        yield f"mpnet.minutes.{cell['row']}", f"{cell['run_seconds'] / 60:.0f}"
    yield "mpnet.minutes", f"{sum(cell['seconds'] for cell in cells) / 60:.0f}"
    for cell in read_results(RESULTS / "k-curve.jsonl"):
        yield f"rank.{cell['row'].removeprefix('lpn-k')}", f"{cell['f1']:.2f}"


def ablation() -> Named:
    """ablation.parts: the table of what each part of LPN+ is worth."""
    rows = _json("ablation-multi")["rows"]
    settings = list(rows["LPN+"])
    lines = [f"| AUC / F1 / F1 of a known count | {' | '.join(settings)} |", "|---" * (len(settings) + 1) + "|"]
    for name, cells in rows.items():
        shown = (" / ".join(f"{cells[s][m]:.2f}" for m in ("auc", "f1", "oracle_count_f1")) for s in settings)
        lines.append(f"| {name} | {' | '.join(shown)} |")
    yield "ablation.parts", "\n".join(lines)


def choice() -> Named:
    """choice.map.shipped.5, .with.5 with unlabelled texts; choice.thresholds: the table of what was tried."""
    found = {(r["model"], r["pile"], r["shots"]): r for r in read_results(RESULTS / "model-choice.jsonl")}
    shots = sorted({number for _, _, number in found})
    for (model, texts, number), record in found.items():
        name = f"choice.map.{model.replace(' ', '-')}{'.with' * texts}.{number}"
        yield name, f"{record['mean_average_precision']:.1f}"

    def tried(metric: str, threshold: str, texts: bool, digits: int) -> str:
        return " / ".join(f"{found['shipped', texts, n][f'{metric}_{threshold}']:.{digits}f}" for n in shots)

    lines = [
        f"| threshold | macro-F1 with {' / '.join(map(str, shots))} examples and unlabelled texts | empty accuracy "
        "| macro-F1 without such texts | empty accuracy |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for threshold in ("0.35", "0.4", "0.45", "0.5"):
        cells = [tried(m, threshold, t, d) for t in (True, False) for m, d in (("macro_f1", 1), ("empty_accuracy", 0))]
        shown = f"{float(threshold):.2f}"
        lines.append(f"| {f'**{shown}**' if threshold == '0.4' else shown} | {' | '.join(cells)} |")
    yield "choice.thresholds", "\n".join(lines)


def episodes() -> Named:
    """pooled.f1.fewasp-multi of LPN; draws.known.fewasp-multi.10-10: episodes with a query that is also a shot."""
    for result in read_results(RESULTS / "pooled-episodes.jsonl"):
        if result["row"] == "LPN (w, w)" and result["protocol"] == "disjoint":
            for metric in ("auc", "f1"):
                difference = result[metric]["difference"]
                text = f"{difference['mean']:.2f} ± {difference['half_width']:.2f}"
                yield f"pooled.{metric}.{result['benchmark']}", text
    for draw in read_results(RESULTS / "episode-draws.jsonl"):
        setting = f"{draw['benchmark']}.{draw['way']}-{draw['shot']}"
        yield f"draws.several.{draw['protocol']}.{setting}", f"{draw['queries_with_several']:.1f}"
        if draw["protocol"] == "authors":
            yield f"draws.known.{setting}", f"{draw['episodes_with_known_query']:.0f}"
            yield f"draws.known-queries.{setting}", f"{draw['known_queries']:.1f}"


def sentiment() -> Named:
    """sentiment.accuracy.fewaspect: the mean over the four sets; ....books: of one; sentiment.speed: the share kept."""
    records = read_results(RESULTS / "sentiment.jsonl")
    own = [r for r in records if not r["set"].startswith("challenge")]
    ratios = {r["set"]: 100 * r["speed_ratio"] for r in own if r["system"] == "speed"}
    yield "sentiment.speed", f"{statistics.mean(ratios.values()):.0f}"
    yield "sentiment.speed.least", f"{min(ratios.values()):.0f}"
    yield "sentiment.speed.most", f"{max(ratios.values()):.0f}"
    yield "sentiment.longer", f"{100 * (100 / statistics.mean(ratios.values()) - 1):.0f}"
    metrics = {"accuracy": "accuracy", "contrast_accuracy": "both", "macro_f1": "f1",
               "calibration_error": "calibration"}  # fmt: skip
    for system in dict.fromkeys(r["system"] for r in own):
        for metric, short in metrics.items():
            found = {r["set"]: 100 * r[metric] for r in own if r["system"] == system and r.get(metric) is not None}
            if found:
                yield f"sentiment.{short}.{system}", f"{statistics.mean(found.values()):.1f}"
                yield from ((f"sentiment.{short}.{system}.{one}", f"{v:.1f}") for one, v in found.items())


def languages() -> Named:
    """languages.map.multilingual.language, languages.f1... and the like: means over the sets of a table of
    languages.md."""
    records = read_results(RESULTS / "languages.jsonl")
    for table in ("language", "names", "across", "back", "others", "english"):
        rows = [r for r in records if r["table"] == table]
        for system in dict.fromkeys(r["system"] for r in rows):
            name, own = re.sub(r"\W+", "-", system), [r for r in rows if r["system"] == system]
            sets = dict.fromkeys(r["set"] for r in own)
            for share in ("mean_average_precision", "macro_f1", "calibration_error"):
                by_set = [statistics.mean(r[share] for r in own if r["set"] == one) for one in sets]
                yield f"languages.{SHORT[share]}.{name}.{table}", f"{100 * statistics.mean(by_set):.1f}"


def language_sentiment() -> Named:
    """languages.accuracy, languages.both: means over the sets of the table of sentiment in languages.md."""
    rows = [r for r in read_results(RESULTS / "languages.jsonl") if r["table"] == "sentiment"]
    for metric, short in (("accuracy", "accuracy"), ("contrast_accuracy", "both")):
        found = [r[metric] for r in rows if r["system"] == "multilingual" and r[metric] is not None]
        yield f"languages.{short}", f"{100 * statistics.mean(found):.1f}"


def language_costs() -> Named:
    """languages.speed.multilingual, .ready, .memory, .files: one core, 800 English sentences."""
    for row in read_results(RESULTS / "languages.jsonl"):
        if row["table"] == "times":
            system = row["system"]
            yield f"languages.speed.{system}", f"{row['sentences_per_cpu_second']:,.0f}"
            yield f"languages.ready.{system}", f"{row['cpu_seconds_to_be_ready']:.1f}"
            yield f"languages.memory.{system}", f"{row['peak_memory_mb']:.0f}"
            yield f"languages.files.{system}", f"{row['install_mb']:.0f}"


def speed() -> Named:
    """speed.detection.onnx-int8: sentences per second; speed.ratio.onnx-int8.setfit; speed.training.10way-10shot."""
    found = {record["measurement"]: record for record in read_results(RESULTS / "speed.jsonl")}
    detection = found["detection"]
    threads = detection["environment"]["threads"]
    yield "speed.threads", str(threads)
    for path, rates in detection["sentences_per_second"].items():
        name = path.replace(" ", "-")
        yield f"speed.detection.{name}", f"{rates['median']:,.0f}"
        yield f"speed.detection-per-core.{name}", f"{rates['median'] / threads:,.0f}"
    for pair, ratios in detection["ratios"].items():
        name = ".".join(part.strip().replace(" ", "-") for part in pair.split("/"))
        yield f"speed.ratio.{name}", f"{ratios['median']:.2f}"
    yield "speed.one-sentence", f"{detection['latency']['predict_milliseconds']['p50']:.1f}"
    for name, record in found.items():
        if name.startswith("training-"):
            yield f"speed.{name.replace('-', '.', 1)}", f"{record['ratio']:.1f}"
            yield f"speed.arithmetic.{name.partition('-')[2]}", f"{record['arithmetic']['ratio']:.1f}"
    yield "speed.evaluation", f"{found['evaluation']['ratio']:.0f}"
    yield "speed.cache", f"{found['training-10way-10shot']['seconds_to_fill_the_cache_once']:.0f}"
    held = found["memory"]["detection"]
    for kind, key in (("allocated", "anonymous_mb"), ("mapped", "mapped_mb")):
        yield f"speed.memory.{kind}.least", f"{min(one[key] for one in held):.0f}"
        yield f"speed.memory.{kind}.most", f"{max(one[key] for one in held):.0f}"
    roofline = found["roofline"]
    for kind, peak in roofline["peaks_in_operations_per_second"].items():
        yield f"speed.peak.{kind}", f"{peak / 1e9:.0f}"
    for path, own in roofline["paths"].items():
        yield f"speed.share.{path.replace(' ', '-')}", f"{100 * own['share']:.0f}"


def memory() -> Named:
    """memory.first, memory.last: megabytes of `fewaspect detect` after the first and the last tenth of a long file."""
    found = _json("detect-memory")
    yield "memory.lines", f"{found['lines']:,}"
    yield "memory.first", f"{found['points'][0]['megabytes']:.0f}"
    yield "memory.last", f"{found['points'][-1]['megabytes']:.0f}"
    yield "memory.peak", f"{found['peak_megabytes']:.0f}"
    yield "memory.speed", f"{found['points'][-1]['sentences_per_second']:,.0f}"


def correction() -> Named:
    """In a large project, beside the version before."""
    found = _json("correction")
    yield "correction.aspects", str(found["aspects"])
    yield "correction.examples", f"{found['examples']:,}"
    yield "correction.sentences", f"{found['sentences']:,}"
    yield "correction.faster", f"{found['times_faster']:.1f}"
    yield "correction.seconds", f"{found['now']['correction']:.1f}"
    yield "correction.before", f"{found['before']['correction']:.1f}"


def serve() -> Named:
    """The studio under load."""
    found = _json("serve")
    many, alone, slow, fast = found["seconds_with_many_reviews"], found["one_client"], *found["all_clients"]
    yield "serve.page", f"{found['seconds_to_the_page']:.1f}"
    yield "serve.sentences", f"{found['seconds_to_its_first_sentences']:.1f}"
    yield "serve.reviews", f"{many['reviews']:,}"
    yield "serve.first", f"{many['first_page']:.1f}"
    yield "serve.all", f"{many['all']:.1f}"
    yield "serve.correction", f"{many['correction']:.2f}"
    yield "serve.slowest", f"{many['slowest_correction']:.2f}"
    filtered = found["seconds_with_a_filter"]
    yield "serve.filter.sentences", f"{filtered['sentences']:,}"
    yield "serve.filter.correction", f"{filtered['correction_p50']:.2f}"
    yield "serve.filter.undos", f"{filtered['undos_seconds']:.1f}"
    yield "serve.clients", str(slow["clients"])
    for name, load in (("slow", slow), ("fast", fast)):
        yield f"serve.{name}.median", f"{load['milliseconds']['p50']:.0f}"
        yield f"serve.{name}.p99", f"{load['milliseconds']['p99']:.0f}"
        yield f"serve.{name}.ratio", f"{load['milliseconds']['p99'] / alone['milliseconds']['p50']:.1f}"
    yield "serve.speed", f"{found['detect_sentences_per_second']['served']:,.0f}"
    shares = [served / offline for served, offline in found["turns"]]
    yield "serve.least", f"{min(shares):.2f}"
    yield "serve.most", f"{max(shares):.2f}"


def bulk() -> Named:
    """bulk.speed: sentences per second and core; bulk.hours: core hours of a billion; bulk.cores, bulk.machines."""
    found = _json("bulk")
    one, two = found["jobs"]
    rows, sentences = bulk_scaling.per_core(found)
    yield "bulk.rows", f"{found['rows']:,}"
    yield "bulk.rate", f"{two['rows_per_second']:.0f}"
    yield "bulk.share", f"{100 * two['share_of_bare']:.0f}"
    yield "bulk.rows-of-one", f"{one['rows']:,}"
    yield "bulk.rate-of-one", f"{one['rows_per_second']:.0f}"
    yield "bulk.share-of-one", f"{100 * one['share_of_bare']:.0f}"
    yield "bulk.scaling", f"{found['scaling']:.2f}"
    yield "bulk.driver", f"{max(job['driver_megabytes'] for job in (one, two)):.0f}"
    yield "bulk.actor", f"{max(max(job['actor_megabytes']) for job in (one, two)):.0f}"
    yield "bulk.speed", f"{sentences:,.0f}"
    yield "bulk.hours", f"{bulk_scaling.BILLION / sentences / 3600:,.0f}"
    yield "bulk.hours-of-a-million", f"{1e6 / sentences / 3600:.2f}"
    yield "bulk.minutes-of-a-million", f"{1e6 / sentences / 60:.0f}"
    cores, machines = bulk_scaling.cores(found), bulk_scaling.saturation(found)
    yield "bulk.cores", _table(cores)
    yield "bulk.machines", _table(machines)
    parts = found["single_parts"]
    handed = parts["partitions_handed_out_per_second"]
    yield "bulk.partitions", f"{handed:.0f}"
    yield "bulk.full", f"{handed * bulk_scaling.PARTITION / (bulk_scaling.CORES * rows):,.0f}"
    yield "bulk.listed", f"{parts['files_listed_per_second']:,.0f}"
    yield "bulk.footers", f"{parts['footers_read_per_second']:,.0f}"
    yield "bulk.jsonl", f"{parts['rows_of_jsonl_divided_per_second']:,.0f}"
    yield "bulk.csv", f"{parts['rows_of_csv_divided_per_second']:,.0f}"
    yield "bulk.one-file", f"{parts['rows_of_jsonl_divided_per_second'] / (bulk_scaling.CORES * rows):.0f}"


def detector_times() -> Named:
    """detector.fit.20: milliseconds with 20 aspects, and the like."""
    found = _json("detector-times")
    for aspects in (20, 200):
        times = found[f"{aspects} aspects, milliseconds"]
        yield f"detector.fit.{aspects}", f"{times['fit']:,.0f}"
        yield f"detector.add.{aspects}", f"{times['add one with 5 examples']['median']:.0f}"
        yield f"detector.tag.{aspects}", f"{times['tag one sentence']['median']:.1f}"


def attacks() -> Named:
    """attacks.files: damaged files that were read; attacks.broken: of all attacks."""
    lines = [json.loads(line) for line in (RESULTS / "attacks.jsonl").read_text(encoding="utf-8").splitlines()]
    yield "attacks.files", f"{max(line['count'] for line in lines):,}"
    yield "attacks.broken", f"{sum(line['broken'] for line in lines):,}"


def reasons() -> Named:
    """faithful.most, faithful.random: how far a probability falls without the word of most evidence, without any."""
    fall = _json("faithfulness")["fall of the probability"]
    yield "faithful.most", f"{fall['most evidence']['1']['mean']:.2f}"
    yield "faithful.random", f"{fall['at random']['1']['mean']:.2f}"


def promises() -> Named:
    """promises.accepted.0.9.400: target 0.9, 400 labels, visible sets, percent; promises.kept.least of all of them."""
    from promises_page import mean_of, numbers, outcomes, targets

    results = [r for r in read_results(RESULTS / "promises.jsonl") if r["set"] in GROUPS["visible sets"]]
    most, kept = max(numbers(results)), []
    for target in targets(results):
        for labels in numbers(results):
            own = outcomes(results, "fewaspect", target, labels)
            yield f"promises.accepted.{target}.{labels}", f"{100 * mean_of(own, 'share')['mean']:.0f}"
            kept.append(statistics.mean(one["kept"] for one in own))
    unbound = [
        statistics.mean(one["kept"] for one in outcomes(results, "measured", target, most))
        for target in targets(results)
    ]
    for name, shares in (("kept", kept), ("kept.measured", unbound)):
        yield f"promises.{name}.least", f"{100 * min(shares):.0f}"
        yield f"promises.{name}.most", f"{100 * max(shares):.0f}"
    made = [one for target in targets(results) for one in outcomes(results, "fewaspect", target, most) if one["made"]]
    yield f"promises.made.{most}", str(len(made))
    yield f"promises.held.{most}", str(sum(one["kept"] for one in made))


def newcomer() -> Named:
    """newcomer.install and the like: seconds of a page of the tutorials; newcomer.own: until a detector."""
    found = _json("newcomer")
    seconds = found["seconds"]
    yield from ((f"newcomer.{name}", f"{value:.0f}") for name, value in seconds.items())
    yield "newcomer.own", f"{seconds['clone'] + seconds['install'] + seconds['command_line']:.0f}"
    yield "newcomer.cores", str(found["cores"])
    yield "newcomer.date", found["date"]


def versions() -> Named:
    """version.bulk and the like: with which version of fewaspect a file was measured; the latest, of several."""
    for name in ("bulk", "detect-memory", "detector-times", "serve"):
        yield f"version.{name}", _json(name)["environment"]["packages"]["fewaspect"]
    for name in ("languages", "practical-times", "sentiment", "speed"):
        found = {r["environment"]["packages"].get("fewaspect", "") for r in read_results(RESULTS / f"{name}.jsonl")}
        yield f"version.{name}", max(found)


def _json(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def _table(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.startswith("|"))


def costs() -> Named:
    """cost.own: dollars of a million sentences; cost.least and cost.most: of hosted models."""
    prices, tokens = cost.inputs()
    own, (few, many) = cost.own_cost(prices), prices["sentences_per_request"]
    yield "cost.own", f"{own['dollars']:.2f}"
    yield "cost.minutes", f"{own['minutes']:.0f}"
    batch = [cost.hosted_cost(model, tokens, many) * model["batch_share"] for model in prices["hosted"]]
    alone = [cost.hosted_cost(model, tokens, few) for model in prices["hosted"]]
    yield "cost.least", f"{min(batch):.0f}"
    yield "cost.most", f"{max(alone):.0f}"
