"""The paper's tables, made from cells alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from fewaspect.core.errors import ResultError
from fewaspect.experiments.published import published, published_settings, published_value
from fewaspect.experiments.tables import FORMATS
from fewaspect.experiments.tables.table_layout import Line, Table
from fewaspect.experiments.tables.tabulation import tabulate

MakeCell = Callable[..., dict[str, Any]]


@pytest.fixture
def cells(cell: MakeCell) -> list[dict[str, Any]]:
    """LPN with two seeds, a better method of ours, an untrained row; nothing else."""
    ours = {"row": "lpn-plus", "method": "lpn-plus", "title": "Ours"}
    untrained = {"row": "zero-untrained", "title": "Zero, untrained", "untrained": True}
    return [
        cell(f1=84.0), cell(f1=86.0, seed=1), cell(shot=10, f1=88.0), cell(**ours, f1=90.0), cell(**untrained, f1=82.0),
    ]  # fmt: skip


def main_table(cells: list[dict[str, Any]], section: int = 0) -> Table:
    return tabulate(cells)[0].sections[section].tables[0]


def line(table: Table, title: str) -> Line:
    return next(line for block in table.blocks for line in block if line.title == title)


def test_the_published_numbers_are_those_of_the_paper() -> None:
    assert published_value("fewasp-multi", "lpn", 5, 5, "f1") == 79.48
    assert published_value("fewasp", "lpn-wo", 5, 10, "auc") == 97.43
    assert published_value("fewasp-single", "matching", 10, 10, "f1") == 73.28
    assert published_value("sample", "lpn", 5, 5, "f1") is None
    assert published_value("fewasp", "lpn", 5, 5, "count_accuracy") is None
    for name, benchmark in published()["benchmarks"].items():
        assert benchmark["results"].keys() == published()["systems"].keys()
        for system in benchmark["results"]:
            for way, shot in published_settings(name):
                auc, f1 = (published_value(name, system, way, shot, metric) for metric in ("auc", "f1"))
                assert auc
                assert f1
                assert 40 < f1 < auc < 100


def test_the_lines_are_those_of_the_paper_then_ours_then_what_is_untrained(cells: list[dict[str, Any]]) -> None:
    table = main_table(cells)
    assert [[line.title for line in block] for block in table.blocks] == [
        ["Matching Network", "Prototypical Network", "Relation Network", "Graph Network", "IMP", "Proto-HATT",
         "Proto-AWATT"],
        ["LPN (o, o)", "LPN (w, o)", "LPN (w, w)"],
        ["Ours"],
        ["Zero, untrained"],
    ]  # fmt: skip
    assert table.settings == ("5-way 5-shot", "5-way 10-shot", "10-way 5-shot", "10-way 10-shot")
    assert table.metrics == ("AUC", "F1")


def test_an_entry_is_the_mean_over_seeds_beside_the_published_number(cells: list[dict[str, Any]]) -> None:
    entry = line(main_table(cells), "LPN (w, w)").entries[1]
    assert (entry.mean, entry.spread, entry.published) == (85.0, (84.0, 86.0), 79.48)
    assert entry.half_width == pytest.approx(0.72)


def test_what_was_not_measured_is_a_dash_beside_the_published_number(cells: list[dict[str, Any]]) -> None:
    entry = line(main_table(cells), "Graph Network").entries[0]
    assert (entry.shown, entry.mean, entry.published, entry.best) == ("\N{EN DASH}", None, 87.97, False)


def test_the_best_measured_number_of_a_column_is_marked_whatever_is_published(cells: list[dict[str, Any]]) -> None:
    table = main_table(cells)
    best = [[line.title for block in table.blocks for line in block if line.entries[i].best] for i in range(4)]
    assert best == [["LPN (w, w)", "Ours", "Zero, untrained"], ["Ours"], ["LPN (w, w)"], ["LPN (w, w)"]]


def test_the_caption_names_what_the_numbers_depend_on(cells: list[dict[str, Any]]) -> None:
    caption = main_table(cells).caption
    for words in ("FewAsp (multi)", "minilm", "disjoint", "fewasp-multi train.json", "600 of seed 1", "(published)"):
        assert words in caption
    assert "Training seeds: 0, but 0, 1 for LPN (w, w)." in caption
    assert caption.endswith("Not complete yet: LPN (w, w) 5-way 10-shot (seeds: 0).")


def test_the_caption_says_how_long_each_row_was_trained_and_which_is_not_made_alike(cell: MakeCell) -> None:
    def made(row: str, episodes: int, rank: int = 100, **changes: Any) -> dict[str, Any]:
        train = {"episodes": episodes, "way": "5", "shot": "1-5", "queries": 5, "seed": changes.get("seed", 0)}
        return cell(
            row=row, title=row, settings={"train": train, "method": {"rank": rank}, "evaluation": {}}, **changes
        )

    alike = [made("a", 200), made("a", 200, seed=1), made("b", 200), made("ours", 500), made("c", 1, untrained=True)]
    caption = main_table(alike).caption
    assert "Training episodes: 200 of 50 sentences, but 500 of 50 sentences for ours, but none for c." in caption
    assert "Not made alike" not in caption
    mixed = main_table([*alike, made("a", 200, rank=3, way=10)]).caption
    assert mixed.endswith("Not made alike: a (rank 100 and 3).")


def test_the_table_of_counts_has_always_one_as_its_last_line(cells: list[dict[str, Any]]) -> None:
    table = tabulate(cells)[0].sections[0].tables[1]
    last = table.blocks[-1][0]
    assert last.title == "always answering one"
    assert [entry.mean for entry in last.entries[:2]] == [None, 89.5]
    assert [entry.mean for entry in line(table, "LPN (w, w)").entries[:2]] == [89.0, 90.5]
    assert line(table, "LPN (w, w)").note == "5.0 min"
    assert line(table, "Zero, untrained").note == "none"
    assert all(line.seeds for block in table.blocks[:-1] for line in block)


def test_what_is_measured_differently_is_never_in_one_table(cell: MakeCell) -> None:
    others = [{"encoder": "mpnet"}, {"protocol": "authors"}, {"split": "validation"}, {"episodes": 100}]
    groups = tabulate([cell(), *(cell(**other) for other in others)])
    assert len(groups) == 5
    assert groups[-1].title.startswith("Encoder minilm, validation aspects")
    validation = groups[-1].sections[0].tables[0]
    assert [line.title for block in validation.blocks for line in block] == ["LPN (w, w)"]
    assert validation.blocks[0][0].entries[0].published is None


def test_the_benchmarks_come_in_the_order_of_the_paper(cell: MakeCell) -> None:
    names = ("sample", "fewasp", "fewasp-multi", "fewasp-single")
    sections = tabulate([cell(benchmark=name) for name in names])[0].sections
    assert [section.title for section in sections] == ["FewAsp (single)", "FewAsp (multi)", "FewAsp", "sample"]
    assert [line.title for block in sections[-1].tables[0].blocks for line in block] == ["LPN (w, w)"]


def test_numbers_in_the_names_of_rows_are_sorted_by_size(cell: MakeCell) -> None:
    rows = [cell(row=f"lpn-k{k}", title=f"k = {k}", split="validation") for k in (100, 3, 30, 10)]
    assert [line.title for line in main_table(rows).blocks[0]] == ["k = 3", "k = 10", "k = 30", "k = 100"]


def test_two_cells_for_one_place_are_refused(cell: MakeCell) -> None:
    with pytest.raises(ResultError, match="lpn on fewasp-multi, 5-way 5-shot, seed 0, found two"):
        tabulate([cell(), cell(f1=80.0)])


def test_markdown_has_the_best_in_bold_and_the_published_in_brackets(cells: list[dict[str, Any]]) -> None:
    text = FORMATS["markdown"](tabulate(cells))
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("|")]
    ours = next(row for row in rows if row[0].startswith("| Ours"))
    assert ours[2].strip() == "**90.00** ± 0.72"
    lpn = next(row for row in rows if row[0].startswith("| LPN (w, w)"))
    assert lpn[2].strip() == "85.00 ± 0.72 (79.48)"
    assert any("lowest to highest of 2 seeds" in row[0] and row[2].strip() == "84.00\N{EN DASH}86.00" for row in rows)
    widths = {len(line) for line in text.split("\n\n")[3].splitlines()}
    assert len(widths) == 1


def test_latex_is_balanced_and_every_row_has_every_column(cells: list[dict[str, Any]]) -> None:
    odd = [{**cell, "encoder": "some_encoder & 100 %", "train": "a_b | c#"} for cell in cells]
    text = FORMATS["latex"](tabulate(odd))
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    assert text.count(r"\begin{table*}") == text.count(r"\end{table*}") == 2
    assert r"some\_encoder \& 100 \%" in text
    assert text.isascii()
    for table in text.split(r"\begin{tabular}")[1:]:
        columns = len(re.match(r"\{(\w+)\}", table).group(1))  # type: ignore[union-attr]
        rows = [line for line in table.splitlines() if line.endswith(r"\\")][1:]
        assert {len(re.split(r"(?<!\\)&", row)) for row in rows} == {columns}
    assert r"85.00 {\scriptsize $\pm$ 0.72} (79.48)" in text
    assert r"\textbf{90.00}" in text


def test_the_terminal_shows_the_same_numbers(cells: list[dict[str, Any]]) -> None:
    text = FORMATS["terminal"](tabulate(cells))
    for words in ("FewAsp (multi)", "85.00±0.72", "(79.48)", "90.00±0.72", "always answering one"):
        assert words in text


def test_tables_depend_on_nothing_but_the_cells(cells: list[dict[str, Any]]) -> None:
    again = json.loads(json.dumps(cells))
    for write in FORMATS.values():
        assert write(tabulate(cells)) == write(tabulate(reversed(again)))
