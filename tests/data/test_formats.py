"""Every format is read and written back without loss, and every fault is named with its place."""

from __future__ import annotations

import json
import os
import tempfile
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fewaspect.core.errors import DataError
from fewaspect.data.formats import Format, input_format, read_sentences, write_sentences
from fewaspect.data.formats.records import printable, shown
from fewaspect.data.labelled import LabelledSentence, SentenceSet

A, B = LabelledSentence("the soup was cold", ("food", "service")), LabelledSentence("we left", ())
EXTENSIONS = {"jsonl": "jsonl", "fewasp": "json", "fewasp-grouped": "json", "csv": "csv", "tsv": "tsv"} | {
    "parquet": "parquet",
    "semeval": "xml",
}


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def message(path: Path, **options: str) -> str:
    """The error for a file, without the folder it lies in."""
    with pytest.raises(DataError) as caught:
        read_sentences(path, **options)
    return str(caught.value).replace(f"{path.parent}{os.sep}", "")


# Reading


def test_fewasp_lines_are_read_with_aspects_split_at_commas(tmp_path: Path) -> None:
    path = written(tmp_path, "test.json", '{"text_u": "good soup", "label": "food food soup, price"}\n')
    assert list(read_sentences(path)) == [LabelledSentence("good soup", ("food food soup", "price"))]
    assert read_sentences(path).name == "test.json"


def test_grouped_fewasp_gives_one_sentence_per_listing(tmp_path: Path) -> None:
    entry = [["good", "soup", "."], ["food", "price"]]
    path = written(tmp_path, "test.json", json.dumps({"food": [entry], "price": [entry]}, indent=1))
    assert list(read_sentences(path)) == [LabelledSentence("good soup .", ("food", "price"))] * 2


def test_plain_json_lines_ignore_other_fields_and_blank_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", '\n{"id": 7, "text": "we left", "labels": []}\r\n\n')
    assert list(read_sentences(path)) == [B]


def test_fields_and_separator_can_be_named_in_json_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", '{"review": "the soup was cold", "tags": "food; service"}\n')
    options = {"text_field": "review", "label_field": "tags", "label_separator": ";"}
    assert list(read_sentences(path, **options)) == [A]


@pytest.mark.parametrize(("extension", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_tables_keep_quoted_line_ends_and_delimiters(tmp_path: Path, extension: str, delimiter: str) -> None:
    rows = [["id", "text", "labels"], ["1", '"a, ""b""\n\tc"', '"food, service"'], ["2", "we left", ""]]
    path = written(tmp_path, f"a.{extension}", "\n".join(delimiter.join(row) for row in rows))
    assert list(read_sentences(path)) == [LabelledSentence('a, "b"\n\tc', ("food", "service")), B]


def test_a_table_may_have_cells_longer_than_python_expects(tmp_path: Path) -> None:
    long = LabelledSentence("cold soup\r" * 20_000, ("food",))
    write_sentences([long], tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes().startswith(b"text,labels\n")
    assert list(read_sentences(tmp_path / "a.csv")) == [long]
    quotes = LabelledSentence('"' * (4 << 20), ("food",))
    write_sentences([quotes], tmp_path / "quotes.csv")
    assert list(read_sentences(tmp_path / "quotes.csv")) == [quotes]
    with pytest.raises(DataError, match="more than 4 MB per cell"):
        write_sentences([LabelledSentence("x" * (6 << 20), ())], tmp_path / "b.csv")


def test_table_columns_and_separator_can_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "tags,review\nfood|service,the soup was cold\n")
    assert list(read_sentences(path, text_field="review", label_field="tags", label_separator="|")) == [A]


@pytest.mark.parametrize("labels", [["food", "service"], "food,service"])
def test_parquet_labels_are_lists_or_separated_strings(tmp_path: Path, labels: list[str] | str) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"text": [A.text], "labels": [labels]}), tmp_path / "a.parquet")
    assert list(read_sentences(tmp_path / "a.parquet")) == [A]


def test_semeval_2014_categories_are_aspects(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "a.xml",
        """<?xml version="1.0" encoding="UTF-8"?><sentences><sentence id="1"><text>the soup &amp; bread</text>
        <aspectTerms><aspectTerm term="soup" polarity="positive" from="4" to="8"/></aspectTerms>
        <aspectCategories><aspectCategory category="food" polarity="positive"/>
        <aspectCategory category="anecdotes/miscellaneous" polarity="neutral"/></aspectCategories></sentence>
        <sentence id="2"><text>we left</text></sentence></sentences>""",
    )
    expected = [LabelledSentence("the soup & bread", ("food", "anecdotes/miscellaneous")), B]
    assert list(read_sentences(path)) == expected


def test_semeval_2016_opinions_are_aspects_counted_once(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "a.xml",
        """<Reviews><Review rid="1"><sentences><sentence id="1:0"><text>cold soup</text><Opinions>
        <Opinion target="soup" category="FOOD#QUALITY" polarity="negative"/>
        <Opinion target="NULL" category="FOOD#QUALITY" polarity="negative"/></Opinions></sentence>
        <sentence id="1:1" OutOfScope="TRUE"><text>we left</text></sentence></sentences></Review></Reviews>""",
    )
    assert list(read_sentences(path)) == [LabelledSentence("cold soup", ("FOOD#QUALITY",)), B]


def test_a_label_named_twice_counts_once_and_spaces_around_it_do_not_count(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", '{"text": "x", "labels": ["food", " food ", "price"]}')
    assert read_sentences(path)[0].aspects == ("food", "price")


def test_a_utf8_byte_order_mark_is_stripped(tmp_path: Path) -> None:
    for name, content in [("a.csv", "text,labels\nwe left,\n"), ("a.jsonl", '{"text": "we left", "labels": []}')]:
        assert list(read_sentences(written(tmp_path, name, b"\xef\xbb\xbf" + content.encode()))) == [B]
        assert list(read_sentences(tmp_path / name, encoding="utf-8-sig")) == [B]


def test_another_encoding_can_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "text,labels\ncafé,food\n".encode("cp1252"))
    assert read_sentences(path, encoding="cp1252")[0].text == "café"


def test_unicode_line_separators_do_not_end_a_line(tmp_path: Path) -> None:
    text = "a\u2028b\x85c\x0cd"
    path = written(tmp_path, "a.jsonl", json.dumps({"text": text, "labels": []}, ensure_ascii=False))
    assert read_sentences(path)[0].text == text


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", '{"text_u": "x", "label": "food"}', Format.FEWASP),
        ("a.jsonl", '{"label": "food", "text_u": "x"}', Format.FEWASP),
        ("a.json", '{"text": "x", "labels": ["food"]}', Format.JSONL),
        ("a.json", '{"labels": ["food"], "text": "x"}', Format.JSONL),
        ("a.json", r'{"text": "\"text_u\": 1", "labels": []}', Format.JSONL),
        ("a.json", '{\n "food \\" x": [\n  [["x"], ["food"]]]}', Format.FEWASP_GROUPED),
        ("A.CSV", "text,labels", Format.CSV),
    ],
)
def test_the_format_follows_from_extension_and_content(
    tmp_path: Path, name: str, content: str, expected: Format
) -> None:
    assert input_format(written(tmp_path, name, content)) is expected


# Faults


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        (
            "a.jsonl",
            '{"text": "x", "labels": []}\n{"text": ',
            "a.jsonl, line 2: expected valid JSON, found a text that breaks off",
        ),
        ("a.jsonl", "[1]", "a.jsonl, line 1: expected a JSON object, found a list of 1"),
        ("a.jsonl", '{"labels": []}', 'a.jsonl, line 1: "text" is missing, found the fields "labels"'),
        ("a.jsonl", '{"text": "x"}', 'a.jsonl, line 1: "labels" is missing, found the fields "text"'),
        ("a.jsonl", '{"text": 3, "labels": []}', '"text" must be a string, found the number 3'),
        ("a.jsonl", '{"text": " \\t", "labels": []}', '"text" must hold a sentence, found the string " \\t"'),
        ("a.jsonl", '{"text": "x", "labels": null}', '"labels" must be a list of aspect names, found null'),
        ("a.jsonl", '{"text": "x", "labels": ["a", 1]}', "must hold aspect names, found the number 1 at position 2"),
        ("a.jsonl", '{"text": "x", "labels": ["a", " "]}', "must hold aspect names, found an empty one at position 2"),
        ("a.jsonl", '{"text": "\\ud800", "labels": []}', 'line 1: "text" must be Unicode text, found half of a surr'),
        ("a.jsonl", '{"text": "x", "labels": ["\\udfff"]}', 'line 1: "labels" must be Unicode text, found half of a'),
        ("a.jsonl", "[" * 200_000, "a.jsonl, line 1: expected a simple JSON object"),
        ("a.jsonl", "9" * 5000, "a.jsonl, line 1: expected a simple JSON object"),
        ("a.jsonl", "", "a.jsonl: expected labelled sentences, found an empty file"),
        ("a.jsonl", "\n \n", "a.jsonl: expected labelled sentences (jsonl), found none"),
        ("a.jsonl", b"{\0}", "a.jsonl, line 1: expected text, found a NUL byte at byte 2"),
        ("a.jsonl", b'\n{"text": "\xe9"}', "a.jsonl, line 2: expected text in utf-8, found the invalid byte 0xe9 at b"),
        ("a.jsonl", "x".encode("utf-16"), "a.jsonl: expected text in UTF-8, found a UTF-16 file"),
        ("a.jsonl", b"PAR1....", "found a Parquet file.\nRead it with --from parquet"),
        ("a.csv", b"\x1f\x8b\x08", "found gzip-compressed data.\nDecompress it"),
        ("a.csv", b"PK\x03\x04xx", "found a zip archive or an office document"),
        ("a.json", '{"text_u": "x", "label": "a, , b"}', '"label" must hold aspect names, found an empty one'),
        ("a.json", '{"food": [["x", ["food"]]]}', 'a.json, aspect "food", entry 1: "tokens" must be a list of words'),
        ("a.json", '{"food": [[["x"], ["price"]]]}', 'entry 1: expected "food" among the sentence\'s aspects'),
        (
            "a.json",
            '{"food": [[["x"], ["food"]], 3]}',
            'aspect "food", entry 2: expected [tokens, aspects], found the n',
        ),
        ("a.json", '{"food": [[["x"], ["food"]]],\n"b": 1}', 'aspect "b": expected a list of [tokens, aspects]'),
        (
            "a.json",
            '{"food": [[["x"],\n["food"]]\n\n',
            "a.json, line 2: expected valid JSON, found a text that breaks off a",
        ),
        (
            "a.jsonl",
            '{"text": "x", "labels": ["so\n',
            "line 1: expected valid JSON, found a text that breaks off after column 28",
        ),
        ("a.jsonl", '{"text": "x" "labels": []}', "line 1: expected valid JSON, found a fault at column 14"),
        ("a.csv", "a,b\nx,y\n", 'a.csv, line 1: expected a header with one column "text", found "a", "b"'),
        ("a.csv", "text,labels,labels\n", 'a.csv, line 1: expected a header with one column "labels"'),
        ("a.csv", 'text,labels\n"a\nb",x\nc\n', "a.csv, line 4: expected 2 cells as in the header, found 1"),
        ("a.csv", 'text,labels\nx,"y\n', "a.csv, line 2: expected cells separated by commas"),
        ("a.csv", "text,labels\n,food\n", 'a.csv, line 2: "text" must hold a sentence, found an empty string'),
        ("a.tsv", "text\tlabels\nx\tfood,,price\n", "a.tsv, line 2: "),
        ("a.csv", "text,labels\n", "a.csv: expected labelled sentences (csv), found none"),
        ("a.parquet", b"PAR1 no", "a.parquet: expected a Parquet file, found one that cannot be read"),
        ("a.xml", "<sentences>\n<sentence>", "a.xml, line 2: expected well-formed XML"),
        ("a.xml", "<s>\n<sentence id='1'/></s>", "a.xml, line 2: expected a <text> in the sentence"),
        ("a.xml", "<s>\n<sentence><text> </text></sentence></s>", 'a.xml, line 2: "text" must hold a sentence'),
        ("a.xml", "<s><sentence><text>x</text>\n<Opinion/></sentence></s>", 'line 2: expected "category" on <Opinion>'),
        ("a.xml", "<s><Opinion category='x'/></s>", "line 1: expected <Opinion> inside a <sentence>, found it outside"),
        ("a.xml", "<s/>", "a.xml: expected labelled sentences (semeval), found none"),
        ("a.xml", b"<s>\xff</s>", "a.xml, line 1: expected well-formed XML"),
        (
            "a.xml",
            '<!DOCTYPE s [<!ENTITY a "b">]><s>&a;</s>',
            "expected plain XML, found a forbidden definition (Entities",
        ),
        ("a.txt", "x", 'found the extension ".txt".\nRename the file, or name its format with --from: jsonl, fewasp'),
        ("a", "x", "found no extension"),
    ],
)
def test_a_fault_is_reported_with_file_place_expected_and_found(
    tmp_path: Path, name: str, content: str | bytes, says: str
) -> None:
    report = message(written(tmp_path, name, content))
    assert says in report
    assert report.startswith(name)


def test_labels_in_one_string_are_refused_with_both_ways_out(tmp_path: Path) -> None:
    path = written(tmp_path, "reviews.jsonl", '{"text": "x", "labels": "food, service"}')
    assert message(path) == (
        'reviews.jsonl, line 1: "labels" must be a list of aspect names, found the string "food, service".\n'
        'Split it into ["food", "service"], or pass --label-separator ", ".'
    )
    assert read_sentences(path, label_separator=", ")[0].aspects == ("food", "service")


def test_a_directory_a_missing_file_and_a_pipe_are_named(tmp_path: Path) -> None:
    (tmp_path / "d.csv").mkdir()
    assert "d.csv: expected a file, found a directory" in message(tmp_path / "d.csv")
    (tmp_path / "d").mkdir()
    assert "d: expected a file, found a directory" in message(tmp_path / "d")
    assert "no.csv: expected a file, found nothing of that name" in message(tmp_path / "no.csv")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "p.csv")
        assert "p.csv: expected a regular file" in message(tmp_path / "p.csv")


@pytest.mark.parametrize(
    ("encoding", "says"),
    [
        ("klingon", 'found "klingon"'),
        ("hex", 'found "hex"'),
        ("utf-32", "cannot be read line by line"),
        ("\0", "found"),
    ],
)
def test_an_encoding_that_cannot_be_used_is_refused(tmp_path: Path, encoding: str, says: str) -> None:
    assert says in message(written(tmp_path, "a.csv", "text,labels\nx,\n"), encoding=encoding)


def test_formats_without_fields_refuse_options_that_name_them(tmp_path: Path) -> None:
    path = written(tmp_path, "a.xml", "<s/>")
    assert 'semeval has no fields or separator to name, found "body"' in message(path, text_field="body")


def test_an_unknown_format_and_an_empty_separator_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "text,labels\nx,\n")
    assert 'found "xlsx"' in message(path, format="xlsx")
    assert "expected a label separator" in message(path, label_separator="")


@pytest.mark.parametrize(
    "columns", [{"text": [1], "labels": [["a"]]}, {"text": ["x"], "labels": [1]}, {"labels": ["a"]}]
)
def test_parquet_columns_of_other_types_are_refused(tmp_path: Path, columns: dict[str, list[object]]) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    assert "expected a column" in message(tmp_path / "a.parquet")


def test_a_missing_value_in_parquet_is_reported_with_its_row(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"text": ["x", None], "labels": [["a"], ["a"]]}), tmp_path / "a.parquet")
    assert 'a.parquet, row 2: "text" must be a string, found null' in message(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.jsonl", '{"text": "'), ("a.json", '{"text_u": "'), ("a.json", '{"food": [[["'), ("a.csv", 'text,labels\n"')],
)
def test_a_line_of_a_gigabyte_is_refused_without_being_read(tmp_path: Path, name: str, start: str) -> None:
    path = written(tmp_path, name, start)
    os.truncate(path, 2**30)
    tracemalloc.start()
    try:
        report = message(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "MB" in report
    assert "not read" in report
    assert peak < 50 * 2**20


@pytest.mark.parametrize("start", ["<s><sentence><text>", '<s><sentence id="', "<s><!--"])
def test_an_endless_xml_element_is_refused(tmp_path: Path, start: str) -> None:
    path = written(tmp_path, "a.xml", start + "x" * (12 * 2**20))
    assert "a.xml, line 1: expected an element of at most 10 MB" in message(path)


def test_values_in_messages_are_short_and_cannot_steer_a_terminal() -> None:
    assert shown("\x1b[2J" + "x" * 500) == 'the string "\\u001b[2J' + "x" * 53 + '..."'
    assert printable("a\x9b\u202eé") == "a\\x9b\\u202eé"
    assert shown(True) == "the value true"
    assert shown(float("inf")) == "the number out of range"


# Writing


@pytest.mark.parametrize("format", list(Format))
def test_what_is_written_is_detected_and_read_back(tmp_path: Path, format: Format) -> None:
    sentences = [A, LabelledSentence("é 😀 <&\"'>", ("FOOD#PRICES",))] + ([] if format == "fewasp-grouped" else [B])
    path = tmp_path / f"a.{EXTENSIONS[format.value]}"
    write_sentences(SentenceSet(sentences), path, format)
    assert input_format(path) is format
    assert Counter(read_sentences(path)) == Counter(sentences)


def _alphabet(format: Format) -> st.SearchStrategy[str]:
    if format in (Format.CSV, Format.TSV):
        return st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    if format is Format.SEMEVAL:
        return st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff") | st.sampled_from(
            "\t\r\n"
        )
    return st.characters(exclude_categories=["Cs"])


def _sets(format: Format) -> st.SearchStrategy[list[LabelledSentence]]:
    """Any text that is not blank with any names; a comma in a name only where names are kept in a list."""
    commas = format in (Format.JSONL, Format.FEWASP_GROUPED, Format.PARQUET, Format.SEMEVAL)
    text = st.text(_alphabet(format), min_size=1).filter(str.strip)
    name = (
        st.text(_alphabet(format), min_size=1, max_size=8)
        .map(str.strip)
        .filter(lambda n: n and (commas or "," not in n))
    )
    fewest = 1 if format is Format.FEWASP_GROUPED else 0
    aspects = st.lists(name, unique=True, min_size=fewest, max_size=3).map(tuple)
    return st.lists(st.builds(LabelledSentence, text, aspects), min_size=1, max_size=5)


@pytest.mark.parametrize("format", list(Format))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_sentences_survive_writing_and_reading(format: Format, data: st.DataObject) -> None:
    sentences = data.draw(_sets(format))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        write_sentences(sentences, path, format)
        read = list(read_sentences(path, format=format))
    if format is Format.FEWASP_GROUPED:  # listed by aspect, so in another order
        assert Counter(read) == Counter(sentences)
    else:
        assert read == sentences


@settings(max_examples=150, deadline=None)
@given(content=st.binary(max_size=200), format=st.sampled_from(list(Format)))
def test_any_bytes_are_read_or_refused_by_data_error(content: bytes, format: Format) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        try:
            outcome = read_sentences(path, format=format).name
        except DataError as error:
            outcome = str(error)
    assert outcome.removeprefix(folder + os.sep).startswith("file")


@pytest.mark.parametrize(
    ("format", "sentence", "says"),
    [
        ("csv", LabelledSentence("x", ("a,b",)), 'sentence 2: the aspect "a,b" contains ","'),
        ("fewasp", LabelledSentence("x", ("a, b",)), "contains"),
        ("fewasp-grouped", B, "sentence 2: grouped JSON lists sentences by aspect"),
        ("csv", LabelledSentence("\0", ()), "cannot hold NUL"),
        ("semeval", LabelledSentence("\x01", ()), "XML cannot hold the character '\\x01'"),
        ("jsonl", LabelledSentence("\ud800", ()), "half of a surrogate pair"),
        ("parquet", LabelledSentence(" ", ()), 'sentence 2: "text" must hold a sentence'),
    ],
)
def test_what_a_format_cannot_hold_is_refused_and_leaves_no_file(
    tmp_path: Path, format: str, sentence: LabelledSentence, says: str
) -> None:
    path = tmp_path / "out"
    with pytest.raises(DataError) as caught:
        write_sentences([A, sentence], path, format)
    assert says in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    for path, says in [(tmp_path / "no" / "a.csv", "cannot be written"), (tmp_path, "found a directory")]:
        with pytest.raises(DataError, match=says):
            write_sentences([A], path, "csv")


def test_a_repeated_sentence_goes_under_each_of_its_aspects_in_grouped_json(tmp_path: Path) -> None:
    write_sentences([A, A], tmp_path / "a.json", "fewasp-grouped")
    groups = json.loads((tmp_path / "a.json").read_text())
    assert {aspect: len(entries) for aspect, entries in groups.items()} == {"food": 1, "service": 1}
