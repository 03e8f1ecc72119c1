"""What the page says of problems and shows by itself has no word that only programmers know."""

from __future__ import annotations

import json
import re

import pytest
from fastapi.testclient import TestClient

from fewaspect.studio.plain_words import TECHNICAL, UNCLEAR, plain_words
from studio_texts import changes, page_texts, problems

OF_THE_TRADE = re.compile(
    r"\b(ids?|null|schema|payload|regex|json|boolean|string|integer|http|api|parameter|exception|macro|micro|"
    r"confusion|TP|FP|FN|TN|AP|AspectDetector|undefined|NaN|object Object)\b"
)  # fmt: skip


def test_every_message_of_the_studio_is_said_in_plain_words() -> None:
    found = problems()
    assert len(found) > 40
    said = {message: plain_words(status, message) for message in found for status in (404, 422, 500)}
    assert not {message: plain for message, plain in said.items() if TECHNICAL.search(plain)}


def test_the_page_has_no_technical_words() -> None:
    texts = [(name, text) for name, own in page_texts().items() for text in own]
    assert len(texts) > 450
    assert not [(name, text) for name, text in texts if OF_THE_TRADE.search(text)]


def test_the_list_of_texts_has_what_stands_in_elements_attributes_and_messages() -> None:
    found = page_texts()
    assert "Drop a file here, or choose one" in found["files/ImportDialog.tsx"]  # an attribute
    assert "Nothing was imported yet." in found["files/ImportsDialog.tsx"]  # an element
    assert "Removed “…”." in found["state/corrections.ts"]  # a message
    assert "remove the aspect …" in changes()


@pytest.mark.parametrize(
    ("status", "detail", "plain"),
    [
        (404, "expected a sentence of this project, found none with the id 1147.",
         "This sentence is not here any more; it may have been removed elsewhere. Reload the page."),
        (422, "tune: expected a project with aspects, found none.", "Add an aspect first."),
        (422, "expected at most 100 aspects in a project, found one more.",
         "There may be at most 100 aspects in a project; this is more."),
        (409, 'There is an aspect "noise" already.', 'There is an aspect "noise" already.'),
        (409, 'There is an aspect "id expected" already.', 'There is an aspect "id expected" already.'),
        (409, 'Someone else changed "All was fine." meanwhile and said: noise.',
         'Someone else changed "All was fine." meanwhile and said: noise.'),
        (422, "hotel.csv, line 3: expected 2 cells as in the header, found 4.\nPut cells in quotes.",
         "In “hotel.csv”, line 3, there are 4 cells, but 2 headings. A text with a comma in it must stand in quotation "
         "marks. Open it in Excel and save it as an Excel workbook (.xlsx) or as CSV UTF-8, then choose it again."),
        (422, "hotel.csv, line 3: something that nobody thought of.",
         "“hotel.csv” cannot be read at line 3. Open it in Excel and save it as an Excel workbook (.xlsx) or as CSV "
         "UTF-8, then choose it again."),
    ],
)  # fmt: skip
def test_a_problem_is_said_plainly(status: int, detail: str, plain: str) -> None:
    assert plain_words(status, detail) == plain


def test_a_problem_keeps_its_detail_for_programs(client: TestClient, project: str) -> None:
    missing = client.get(f"{project}/sentences/1147").json()
    assert missing["detail"] == "expected a sentence of this project, found none with the id 1147."
    assert missing["plain"].startswith("This sentence is not here any more")
    long = client.post(f"{project}/aspects", json={"name": "x" * 101}).json()
    assert long["plain"] == f'"{"x" * 39}…" is too long: 100 characters are the most.'


FAULTS = {  # a file, and what its problem must say
    "empty.csv": (b"", "has no reviews"),
    "empty.xlsx": (b"", "cannot be opened as an Excel workbook"),
    "headings.csv": (b"text,date\n", "has no reviews"),
    "picture.png": (b"\x89PNG", "The studio cannot read “picture.png”. It reads Excel"),
    "old.xls": (b"\xd0\xcf\x11\xe0", "save it as one of these"),
    "renamed.xlsx": (b"text,date\nfine,1\n", "cannot be opened as an Excel workbook"),
    "ragged.csv": (b"text,date\na,b,c,d\n", "line 2, there are 4 cells, but 2 headings"),
    "quotes.csv": (b'text,date\n"fine",1\n"unclosed,2\nmore\n', "quotation marks"),
    "zeros.txt": (b"a\0b\n", "holds something that is not text"),
    "broken.jsonl": (b'{"text": "a"}\n{"text": \n', "line 2, is not as the studio reads .jsonl files"),
    "numbers.jsonl": (b'{"text": 3}\n', "has no column with texts"),
    "broken.parquet": (b"PAR1xxxxPAR1", "cannot be opened as a Parquet file"),
    "broken.csv.gz": (b"\x1f\x8bxx", "is packed (.gz) and damaged"),
    "blank.txt": (b"\n\n", "has a review in this column"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_file_that_cannot_be_read_is_told_with_what_to_do(client: TestClient, project: str, name: str) -> None:
    content, words = FAULTS[name]
    file = {"file": (name, content)}
    plain = client.post(f"{project}/imports/preview", files=file).json().get("plain")
    started = client.post(f"{project}/imports", files=file)
    if started.status_code == 202:  # the fault is found while it is imported
        events = client.get(f"{project}/jobs/{started.json()['job']}/events").text
        assert "event: failed" in events
        plain = plain or json.loads(events.rsplit("data: ", 1)[1])["plain"]
    assert plain
    assert words in plain
    assert name.removesuffix(".gz") in plain
    assert UNCLEAR not in plain
