"""Imports are listed, do not double what is there unless asked to, and are removed and undone with their labels."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import Any

import pytest
import python_calamine
import xlsxwriter
from fastapi.testclient import TestClient

from studio_imports import import_text

CSV = "text,stars\nCold soup.,2\nThin walls.,1\n"


@pytest.fixture
def project(client: TestClient) -> str:
    """One aspect, no reviews."""
    address = f"/api/v1/projects/{client.post('/api/v1/projects', json={'name': 'Hotel'}).json()['id']}"
    client.post(f"{address}/aspects", json={"name": "food", "examples": ["the soup was cold"]}).raise_for_status()
    return address


def texts(client: TestClient, project: str) -> list[str]:
    return [sentence["text"] for sentence in client.get(f"{project}/sentences").json()["sentences"]]


def listed(client: TestClient, project: str) -> list[dict[str, Any]]:
    return client.get(f"{project}/imports").json()["imports"]


def undo(client: TestClient, project: str, what: str = "undo") -> str:
    done = client.post(f"{project}/{what}", json={})
    assert done.status_code == 200, done.text
    return done.json()["did"]


@pytest.mark.parametrize(
    ("duplicates", "there", "counts"),
    [
        ("add", ["Cold soup.", "Thin walls.", "Cold soup.", "Nice staff."], [2, 2]),
        ("skip", ["Cold soup.", "Thin walls.", "Nice staff."], [2, 1]),
        ("replace", ["Thin walls.", "Cold soup.", "Nice staff."], [1, 2]),
    ],
)
def test_what_is_there_already_is_added_skipped_or_replaced_and_undone(
    client: TestClient, project: str, duplicates: str, there: list[str], counts: list[int]
) -> None:
    import_text(client, project, CSV, "a.csv")
    events = import_text(
        client, project, "text\nCold  soup.\nNice staff.\n".replace("  ", " "), "b.csv", duplicates=duplicates
    )
    assert '"duplicates": 1' in events
    assert texts(client, project) == there
    assert [(entry["name"], entry["reviews"]) for entry in listed(client, project)] == list(
        zip(["a.csv", "b.csv"], counts, strict=True)
    )
    assert client.get(project).json()["sentences"] == len(there)
    assert undo(client, project) == 'import "b.csv"'
    assert texts(client, project) == ["Cold soup.", "Thin walls."]
    assert client.get(project).json()["reviews"] == 2
    undo(client, project, "redo")
    assert texts(client, project) == there


def test_the_same_file_and_its_rows_are_noticed_before(client: TestClient, project: str) -> None:
    import_text(client, project, CSV, "a.csv")
    files = {"file": ("again.csv", CSV.encode())}
    seen = client.post(f"{project}/imports/preview", files=files).json()
    assert (seen["duplicates"], seen["same_file"]["name"]) == (2, "a.csv")
    other = {"file": ("other.csv", b"text\nCold soup.\nNew.\n")}
    seen = client.post(f"{project}/imports/preview", files=other).json()
    assert (seen["duplicates"], seen["same_file"]) == (1, None)
    import_text(client, project, CSV, "again.csv", duplicates="skip")
    assert len(listed(client, project)) == 1, "an import of nothing is none"


def test_an_import_is_removed_by_itself_with_its_labels_and_undo_brings_all_back(
    client: TestClient, project: str
) -> None:
    import_text(client, project, CSV, "a.csv")
    import_text(client, project, "text\nNo lamp.\n", "b.csv")
    aspect = client.get(project).json()["aspects"][0]["id"]
    first = client.get(f"{project}/sentences").json()["sentences"][0]
    client.put(f"{project}/sentences/{first['id']}/aspects", json={"aspects": [aspect]})
    own = listed(client, project)
    assert [entry["labels"] for entry in own] == [1, 0]
    before = client.get(f"{project}/examples").json()["total"]
    assert client.delete(f"{project}/imports/{own[0]['id']}?labels=remove").status_code == 204
    assert texts(client, project) == ["No lamp."]
    assert client.get(f"{project}/examples").json()["total"] == before - 1
    assert client.get(f"{project}/sentences/{first['id']}").status_code == 404
    assert undo(client, project) == 'remove "a.csv"'
    assert texts(client, project) == ["Cold soup.", "Thin walls.", "No lamp."]
    assert client.get(f"{project}/sentences/{first['id']}").json()["confirmed"]
    assert client.delete(f"{project}/imports/{own[0]['id']}").status_code == 204
    assert client.get(f"{project}/examples").json()["total"] == before, "labels are kept unless asked for"
    assert client.delete(f"{project}/imports/99999").status_code == 404


def test_all_reviews_are_removed_and_brought_back(client: TestClient, project: str) -> None:
    import_text(client, project, CSV, "a.csv")
    import_text(client, project, CSV, "b.csv")
    assert client.delete(f"{project}/reviews").status_code == 204
    assert texts(client, project) == []
    assert client.get(project).json()["reviews"] == 0
    assert undo(client, project) == "remove all reviews"
    assert len(texts(client, project)) == 4
    undo(client, project, "redo")
    assert texts(client, project) == []


def test_what_no_undo_can_bring_back_is_deleted(client: TestClient, project: str) -> None:
    import_text(client, project, CSV, "a.csv")
    undo(client, project)
    client.post(f"{project}/aspects", json={"name": "new", "description": "", "examples": []})  # ends the redo
    studio = client.app.state.studio  # type: ignore[attr-defined]
    with studio.database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM reviews").scalar() == 0
        assert connection.exec_driver_sql("SELECT count(*) FROM sentences").scalar() == 0


REPEATED = "text,row\nCold soup.,1\nNew.,2\nNew. ,3\nNew.,4\nNewer.,5\n"


@pytest.mark.parametrize(("duplicates", "added"), [("add", "12345"), ("skip", "25"), ("replace", "125")])
def test_rows_that_a_file_repeats_are_noticed_and_added_or_left_out(
    client: TestClient, project: str, duplicates: str, added: str
) -> None:
    import_text(client, project, CSV, "a.csv")
    files = {"file": ("b.csv", REPEATED.encode())}
    seen = client.post(f"{project}/imports/preview", files=files).json()
    assert (seen["duplicates"], seen["repeated"]) == (1, 2)
    assert '"duplicates": 3' in import_text(client, project, REPEATED, "b.csv", duplicates=duplicates)
    column = next(c for c in client.get(f"{project}/columns").json()["columns"] if c["name"] == "row")
    assert [segment["label"] for segment in column["segments"] if segment["label"] != "not given"] == [*added]


def test_in_an_empty_project_too_repeated_rows_are_noticed(client: TestClient) -> None:
    made = client.post("/api/v1/projects", json={"name": "p"}).json()
    files = {"file": ("b.csv", REPEATED.encode())}
    seen = client.post(f"/api/v1/projects/{made['id']}/imports/preview", files=files).json()
    assert (seen["duplicates"], seen["repeated"]) == (0, 2)


def test_the_order_of_day_and_month_is_shown_and_can_be_changed(client: TestClient, project: str) -> None:
    content = "text,day,clear\nCold soup.,03/04/2025,25/12/2025\nNew.,05/04/2025,03/04/2025\n"
    seen = client.post(f"{project}/imports/preview", files={"file": ("b.csv", content.encode())}).json()
    assert {c["name"]: c["date_order"] for c in seen["columns"]} == {"text": None, "day": "month_first", "clear": None}

    def periods(**how: str) -> list[str]:
        made = client.post("/api/v1/projects", json={"name": f"p{how}"}).json()
        own = f"/api/v1/projects/{made['id']}"
        import_text(client, own, content, "b.csv", date_column="day", **how)
        column = next(c for c in client.get(f"{own}/columns").json()["columns"] if c["name"] == "day")
        found = [p["label"] for p in client.get(f"{own}/periods?unit=month").json()["periods"] if p["reviews"]]
        assert [segment["label"] for segment in column["segments"]] == found, "the column is read as the date is"
        return found

    assert periods() == periods(date_order="month_first") == ["2025-03", "2025-05"]
    assert periods(date_order="day_first") == ["2025-04"]


def test_two_who_skip_duplicates_at_once_do_not_double(client: TestClient, project: str) -> None:
    rows = "text\n" + "".join(f"Review number {n}.\n" for n in range(300))
    threads = [
        threading.Thread(target=import_text, args=(client, project, rows, f"{n}.csv"), kwargs={"duplicates": "skip"})
        for n in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert client.get(project).json()["reviews"] == 300
    assert [entry["reviews"] for entry in listed(client, project)] == [300]


def workbook() -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        book.add_worksheet("Notes").write(0, 0, "About")
        for name, text in (("May", "Cold soup."), ("June", "Thin walls.")):
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, ["Review", "stars"])
            sheet.write_row(1, 0, [text, 4])
    return file.getvalue()


def test_what_was_detected_is_shown_and_can_be_corrected(client: TestClient, project: str) -> None:
    def seen(name: str, content: bytes, **how: str) -> dict[str, Any]:
        answer = client.post(f"{project}/imports/preview", files={"file": (name, content)}, data=how)
        assert answer.status_code == 200, answer.text
        return answer.json()

    semicolons = "id;Kommentar\n1;Größe, gut\n".encode("cp1252")
    found = seen("w.csv", semicolons)
    assert (found["encoding"], found["delimiter"], found["sheets"]) == ("cp1252", "semicolon", [])
    assert found["rows"] == [{"id": "1", "Kommentar": "Größe, gut"}]
    wrong = seen("w.csv", semicolons, encoding="mac-roman")
    assert wrong["encoding"] == "mac-roman"
    assert wrong["rows"][0]["Kommentar"] != "Größe, gut"
    found = seen("r.xlsx", workbook())
    assert (found["sheet"], found["sheets"], found["encoding"]) == ("May", ["Notes", "May", "June"], None)
    assert seen("r.xlsx", workbook(), sheet="June")["rows"] == [{"Review": "Thin walls.", "stars": "4"}]
    job = client.post(
        f"{project}/imports", files={"file": ("r.xlsx", workbook())}, data={"sheet": "June", "text_column": "Review"}
    ).json()["job"]
    assert "event: done" in client.get(f"{project}/jobs/{job}/events").text
    assert texts(client, project) == ["Thin walls."]
    assert [entry["name"] for entry in listed(client, project)] == ["r.xlsx, June"]
    refused = client.post(f"{project}/imports/preview", files={"file": ("w.csv", semicolons)}, data={"encoding": "x"})
    assert refused.status_code == 422
    assert "expected a known text encoding" in refused.json()["detail"]


TABBED = 'Review\tStars\r\n"Cold soup,\nno salt."\t2\r\nThin walls.\t1\r\n'


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_text_with_tabs_that_excel_saves_is_a_table_and_can_be_read_by_lines(
    client: TestClient, project: str, encoding: str
) -> None:
    def seen(content: str, name: str = "r.txt", **how: str) -> dict[str, Any]:
        file = {"file": (name, content.encode(encoding))}
        return client.post(f"{project}/imports/preview", files=file, data=how).json()

    table = seen(TABBED)
    assert (table["delimiter"], table["text_column"]) == ("tab", "Review")
    assert table["rows"][0] == {"Review": "Cold soup,\nno salt.", "Stars": "2"}
    lines = seen(TABBED, delimiter="none")
    assert (lines["delimiter"], len(lines["rows"])) == ("none", 4)
    assert seen(TABBED, "r.tsv", delimiter="none")["rows"] == lines["rows"]
    assert seen("Soup; cold\nWalls; thin\n")["delimiter"] == "none"
    assert seen("Text; day\nWalls; thin\n", delimiter="semicolon")["rows"] == [{"Text": "Walls", "day": " thin"}]
    for plain in ("1\tCold soup.\n2\tThin walls.\n", "Cold\tsoup.\nThin walls.\n", "One\tline.\n", ""):
        assert seen(plain).get("delimiter") != "tab"
    import_text(client, project, TABBED, "r.txt", text_column="Review")
    assert texts(client, project) == ["Cold soup,\nno salt.", "Thin walls."]


def test_a_project_of_postgresql_lists_and_undoes_too(where: str, make_client: Callable[..., TestClient]) -> None:
    client = make_client(data=where)
    made = client.post("/api/v1/projects", json={"name": "p"}).json()
    project = f"/api/v1/projects/{made['id']}"
    import_text(client, project, CSV, "a.csv")
    import_text(client, project, CSV, "b.csv", duplicates="replace")
    assert [entry["reviews"] for entry in listed(client, project)] == [0, 2]
    undo(client, project)
    assert [entry["reviews"] for entry in listed(client, project)] == [2]


def test_results_have_a_row_for_each_sentence_or_each_review(client: TestClient, project: str) -> None:
    import_text(client, project, "text,stars\nThe soup was cold. Nice walls.,2\nFine.,3\n", "a.csv")

    def rows(**how: str) -> list[list[Any]]:
        content = client.get(f"{project}/results", params={"format": "xlsx", **how}).content
        with python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content)) as book:
            return book.get_sheet_by_index(0).to_python()

    assert [row[1] for row in rows()] == ["text", "The soup was cold.", "Nice walls.", "Fine."]
    assert [row[:2] for row in rows(rows="review")] == [
        ["stars", "text"],
        [2, "The soup was cold. Nice walls."],
        [3, "Fine."],
    ]
    by_sentence, by_review = rows(), rows(rows="review")
    p = by_sentence[0].index("p_food")
    assert by_review[1][by_review[0].index("p_food")] == max(by_sentence[1][p], by_sentence[2][p])
    csv = client.get(f"{project}/results?rows=review").content
    assert csv.startswith(b"\xef\xbb\xbfstars,text")
