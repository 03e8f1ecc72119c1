"""Aspects are defined by a mapping in JSON or YAML, or by a file of labelled sentences."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import xlsxwriter

from fewaspect.core.errors import DataError
from fewaspect.detector.support import read_examples
from fewaspect.reviews.definitions import read_definitions

MAPPING = {"food": ["the soup was cold", "🍕!"], "parking ": {"description": " garage, valet ", "examples": []}}


@pytest.mark.parametrize("name", ["examples.json", "examples.yaml", "examples.yml"])
def test_a_mapping_holds_examples_and_descriptions(tmp_path: Path, name: str) -> None:
    (path := tmp_path / name).write_text(json.dumps(MAPPING, ensure_ascii=name != "examples.json"))
    found = read_definitions(path)
    assert found.examples == {"food": ["the soup was cold", "🍕!"], "parking": []}
    assert found.labels is None
    assert found.names == ("food", "parking")
    assert found.descriptions == {"parking": "garage, valet"}


def test_yaml_may_be_written_by_hand(tmp_path: Path) -> None:
    (path := tmp_path / "e.yaml").write_text(
        "food:\n  - the soup was cold\nnoise:\n  description: loud neighbours\nwifi:\n"
    )
    found = read_definitions(path)
    assert (found.examples, found.descriptions) == (
        {"food": ["the soup was cold"], "noise": [], "wifi": []}, {"noise": "loud neighbours"},
    )  # fmt: skip


def labelled_workbook(path: Path, rows: list[tuple[str, ...]]) -> Path:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Labels")
        for number, cells in enumerate(rows):
            sheet.write_row(number, 0, cells)
    return path


@pytest.mark.parametrize("kind", ["cp1252", "utf-16", "tsv", "xlsx"])
def test_examples_may_come_from_a_spreadsheet(tmp_path: Path, kind: str) -> None:
    rows = [("text", "labels", "sentiment"), ("Käse kalt", "Küche, Preis", "negative"), ("wir fuhren heim", "", "")]
    path = tmp_path / f"e.{kind if kind in ('tsv', 'xlsx') else 'csv'}"
    if kind == "xlsx":
        labelled_workbook(path, rows)
    else:
        between, encoding = ("\t", "utf-16") if kind == "tsv" else (";", kind)
        path.write_bytes("".join(between.join(cells) + "\r\n" for cells in rows).encode(encoding))
    found = read_definitions(path)
    assert (found.examples, found.labels) == (["Käse kalt", "wir fuhren heim"], [["Küche", "Preis"], []])
    assert found.polarities == [{"Küche": "negative", "Preis": "negative"}, {}]


def test_a_spreadsheet_without_the_columns_or_sentences_is_refused_with_its_place(tmp_path: Path) -> None:
    path = labelled_workbook(tmp_path / "e.xlsx", [("text", "aspect"), ("soup", "food")])
    with pytest.raises(DataError, match=r'e\.xlsx, row 1: expected a column "labels", found "text", "aspect"'):
        read_definitions(path)
    labelled_workbook(path, [("text", "labels"), ("soup", "food"), (" ", "food")])
    with pytest.raises(DataError, match=r'e\.xlsx, row 3: "text" must hold a sentence'):
        read_definitions(path)
    labelled_workbook(path, [("text", "labels")])
    with pytest.raises(DataError, match=r"e\.xlsx: expected labelled sentences, found none"):
        read_definitions(path)
    with pytest.raises(DataError, match=r"none\.xlsx: expected a file .*, found nothing"):
        read_definitions(tmp_path / "none.xlsx")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.jsonl", '{"text": "soup", "labels": ["food", "price"]}\n{"text": "we left", "labels": []}\n'),
        ("e.csv", "text,labels\nsoup,food|price\nwe left,\n".replace("food|price", '"food,price"')),
        ("e.json", '{"text_u": "soup", "label": "food, price"}\n{"text_u": "we left", "label": ""}\n'),
    ],
)
def test_labelled_sentences_define_aspects_too_also_those_without_any(tmp_path: Path, name: str, content: str) -> None:
    (path := tmp_path / name).write_text(content)
    found = read_definitions(path)
    assert (found.examples, found.labels) == (["soup", "we left"], [["food", "price"], []])
    assert found.names == ("food", "price")


def test_grouped_json_is_told_apart_from_a_mapping(tmp_path: Path) -> None:
    (path := tmp_path / "e.json").write_text('{"food": [[["cold", "soup"], ["food"]]]}')
    assert read_definitions(path).examples == ["cold soup"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("e.json", '{"food": ["soup", 3]}', 'aspect "food": expected a sentence as example 2, found the number 3'),
        (
            "e.json",
            '{"food": 3,\n "wifi": ["slow"]}',
            'aspect "food": expected a list of example sentences, found the n',
        ),
        ("e.txt", "pizza", r"\(.yaml, .yml, .jsonl, .*found .txt.\nWrite a list"),
        ("e", "pizza", "found none"),
        ("e.csv", "text,aspects\nsoup,food\n", "--label-field.\n`fewaspect data convert` has that option"),
        (
            "e.json",
            '{"text": "soup", "labels": "food"}',
            "--label-separator .*\n`fewaspect data convert` has that option",
        ),
        ("e.json", '{"food": [""]}', "expected a sentence as example 1, found an empty string"),
        ("e.json", '{"food": ["a"], "food": ["b"]}', 'found "food" twice'),
        ("e.json", '{"food": ["a"], " food": ["b"]}', "differ in spaces only"),
        ("e.json", '{"food": ["a",\n}', "line 2: expected valid JSON"),
        ("e.json", '{"food": {"example": ["a"]}}', 'expected "examples", "description" or a polarity, found "example"'),
        ("e.json", '{"food": {"examples": 1.5}}', "expected a list of example sentences, found the number 1.5"),
        ("e.yaml", 'food: " "\n', "expected a sentence as example 1, found an empty string"),
        ("e.json", '{"food": {"description": 3}}', '"description" must be a string'),
        (
            "e.json",
            '{"food": null, "wifi": 3}',
            'aspect "wifi": expected a list of example sentences, found the number',
        ),
        ("e.json", "{}", "found an empty one"),
        ("e.yaml", "[a, b]: [x]\n", "line 1: expected YAML, found a fault"),
        ("e.yaml", "food: [a]\nwifi: [b]\nfood: [c]\n", 'line 3: expected each name once, found "food" again'),
        ("e.yaml", "food: [a\n", "line 2: expected YAML"),
        ("e.yaml", "food:\n- !!bool maybe\n", r"line 2: expected YAML, found a fault \(a value that does not fit bool"),
        ("e.yaml", 'food: [!!int ""]\n', "line 1: expected YAML"),
        ("e.yaml", "!!map [a]\n", "expected YAML, found something else"),
        ("e.yaml", "- food\n", "expected a mapping of aspect names to examples, found a list"),
        ("e.yaml", "1: [a]\n", "expected the name of an aspect, found the number 1"),
        ("e.jsonl", '{"text": "a", "labels": []}\n', "found none that has any"),
    ],
)
def test_what_defines_no_aspects_is_refused_with_its_place(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (path := tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=message):
        read_definitions(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.yaml", "food-: [cold soup]\nfood+: [good pizza]\nfood: [pasta]\n"),
        ("e.yaml", "food-: cold soup\nfood+: good pizza\nfood: pasta\n"),
        (
            "e.xml",
            '<sentences><sentence id="1"><text>cold soup</text><Opinions><Opinion category="food" polarity="negative"/>'
            '<Opinion category="food" polarity="neutral"/></Opinions></sentence>'
            '<sentence id="2"><text>good pizza</text>'
            '<aspectCategories><aspectCategory category="food" polarity="positive"/></aspectCategories></sentence>'
            '<sentence id="3"><text>pasta</text><Opinions><Opinion category="food"/></Opinions></sentence></sentences>',
        ),
        ("e.tsv", "text\tlabels\tSentiment\ncold soup\tfood\tNegative\ngood pizza\tfood\t+\npasta\tfood\t\n"),
        ("e.json", '{"food": {"negative": ["cold soup"], "positive": ["good pizza"], "examples": ["pasta"]}}'),
        ("e.csv", "text,labels,sentiment\ncold soup,food,negative\ngood pizza,food,+\npasta,food,\n"),
        (
            "e.jsonl",
            '{"text": "cold soup", "labels": ["food"], "polarity": {"food": "negative"}}\n'
            '{"text": "good pizza", "labels": ["food"], "polarity": "Positive"}\n'
            '{"text": "pasta", "labels": ["food"]}\n',
        ),
    ],
)
def test_examples_may_carry_a_polarity(tmp_path: Path, name: str, content: str) -> None:
    (path := tmp_path / name).write_text(content)
    given = read_definitions(path)
    assert given.names == ("food",)
    examples, _ = read_examples(given.examples, given.labels, **given.options)
    assert set(examples.texts) == {"cold soup", "good pizza", "pasta"}
    assert examples.polarities == {"cold soup": {"food": "negative"}, "good pizza": {"food": "positive"}}


def test_a_table_may_have_a_polarity_for_each_aspect(tmp_path: Path) -> None:
    (path := tmp_path / "e.csv").write_text(
        'text,labels,polarity\nkind but cold soup,"staff, food","positive,negative"\n'
    )
    assert read_definitions(path).polarities == [{"staff": "positive", "food": "negative"}]


@pytest.mark.parametrize(
    ("cells", "remark"),
    [
        ("text,labels,sentiment\na,food,positive\nb,food,4.5\n", r"line 3: expected negative, .* found '4.5'"),
        ("text,labels,Sentiment\na,food,pos\n", r"line 2: expected negative, .* found 'pos'"),
        (
            'text,labels,polarity\na,"x, y","positive,negative,neutral"\n',
            "expected one polarity .* or one for each of 2",
        ),
    ],
)
def test_a_column_that_holds_something_else_than_polarities_is_left_out_with_a_remark(
    tmp_path: Path, cells: str, remark: str
) -> None:
    (path := tmp_path / "e.csv").write_text(cells)
    given = read_definitions(path)
    assert (given.polarities, given.names) == (None, ("x", "y") if "x, y" in cells else ("food",))
    (found,) = given.remarks
    assert re.match(f"no polarities are read, .*{remark}", found)
    assert found.endswith("Rename the field if it is something else.") == ("found '" in found)


def test_opinions_of_one_category_that_differ_are_mixed(tmp_path: Path) -> None:
    opinions = "".join(f'<Opinion category="food" polarity="{word}"/>' for word in ("negative", "positive"))
    sentence = "<sentence id='1'><text>{}</text><Opinions>{}</Opinions></sentence>"
    conflict = sentence.format("so so", '<Opinion category="food" polarity="conflict"/>')
    (path := tmp_path / "e.xml").write_text(f"<sentences>{sentence.format('both', opinions)}{conflict}</sentences>")
    assert read_definitions(path).polarities == [{"food": "mixed"}, {"food": "mixed"}]


def test_a_sign_is_a_polarity_where_the_file_says_so_or_no_capital_speaks_for_a_name(tmp_path: Path) -> None:
    def names(*keys: str) -> tuple[str, ...]:
        (path := tmp_path / "e.json").write_text(json.dumps({key: ["a sentence"] for key in keys}))
        return read_definitions(path).names

    assert names("food-") == names("food -", "food+") == ("food",)
    assert names("Food-", "Food") == names("Food-", "Food+") == ("Food",)
    assert names("C++") == ("C++",)
    assert names("C++", "C", "notepad++", "18+") == ("C++", "C", "notepad++", "18+")
    assert names("Disney+", "food-") == ("Disney+", "food")
    (path := tmp_path / "e.yaml").write_text("Disney+: [a film]\nC++: [templates]\n")
    (remark,) = read_definitions(path).remarks
    assert '"Disney+" is read as the name' in remark
    assert '{"Disney": {"positive": ["..."]}}' in remark


def test_an_aspect_with_a_mapping_may_end_in_a_sign(tmp_path: Path) -> None:
    (path := tmp_path / "e.yaml").write_text("A+: {examples: [first class]}\n")
    given = read_definitions(path)
    assert (given.names, given.polarities) == (("A+",), None)
