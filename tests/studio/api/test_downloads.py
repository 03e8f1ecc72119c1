"""Files out and in: results, saved detectors, code."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
from fastapi.testclient import TestClient

from fewaspect import AspectDetector
from fewaspect.detector.explain import DEFAULT_THRESHOLD
from studio_imports import import_text


def table(client: TestClient, project: str) -> list[dict[str, str]]:
    answer = client.get(f"{project}/results")
    assert answer.headers["content-type"].startswith("text/csv")
    assert "attachment" in answer.headers["content-disposition"]
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_results_have_a_row_for_each_sentence(client: TestClient, project: str) -> None:
    client.put(f"{project}/sentences/3/aspects", json={"aspects": [2]})
    rows = table(client, project)
    assert [(r["text"], r["row"], r["start"], r["aspects"]) for r in rows] == [
        ("Cold soup again.", "1", "0", "food"), ("Nobody could park.", "1", "17", "parking"),
        ("See you on Monday.", "2", "0", "parking"), ("The pizza was fine.", "3", "0", "food"),
    ]  # fmt: skip
    assert set(rows[0]) >= {"p_food", "p_parking"}
    parquet = client.get(f"{project}/results?format=parquet")
    assert pq.read_table(io.BytesIO(parquet.content)).column("aspects").to_pylist()[0] == ["food"]
    assert client.get(f"{project}/results?format=ods").status_code == 422


def test_no_cell_of_the_results_is_a_formula(client: TestClient, project: str) -> None:
    evil = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\ttab"]
    rows = "".join(f'"{cell}","{cell} is the soup","-4.5"\n' for cell in evil)
    import_text(client, project, f'"=HYPERLINK(1)",text,n\n{rows}', "r.csv")
    client.post(f"{project}/aspects", json={"name": "=evil", "examples": [f"{cell} is the soup" for cell in evil]})
    answer = client.get(f"{project}/results").content.decode("utf-8-sig")
    cells = [cell for row in csv.reader(io.StringIO(answer)) for cell in row]
    assert not [c for c in cells if c[:1] in "=+@\t\r" and c]
    assert not [c for c in cells if c.startswith("-") and c != "-4.5"]
    assert "'=HYPERLINK(1)" in cells
    assert "-4.5" in cells


def test_where_excel_separates_lists_by_semicolons_so_do_the_results_and_decimals_have_a_comma(
    client: TestClient, project: str
) -> None:
    lines = ("more; cold soup,-2.5,1.234", "soup,4,2.345", "no soup,,3.456")
    import_text(client, project, "\n".join(("text,rating,visitors", *lines)), "r.csv", delimiter="comma")
    answer = client.get(f"{project}/results?delimiter=semicolon").content
    assert answer.startswith(b"\xef\xbb\xbf")
    found = list(csv.DictReader(io.StringIO(answer.decode("utf-8-sig")), delimiter=";"))[-3:]
    assert [(row["text"], row["rating"], row["visitors"]) for row in found] == [
        ("more; cold soup", "-2,5", "1.234"), ("soup", "4", "2.345"), ("no soup", "", "3.456"),
    ], "1.234 may be a thousand"  # fmt: skip
    assert all(re.fullmatch(r"[01],\d{4}", row["p_food"]) for row in found)
    assert [row["rating"] for row in table(client, project)[-3:]] == ["-2.5", "4", ""]
    assert client.get(f"{project}/results?delimiter=tab").status_code == 422


def test_columns_of_the_reviews_are_not_overwritten(client: TestClient, project: str) -> None:
    import_text(client, project, "review,text,aspects\ncold soup,kept,mine\n", "r.csv", text_column="review")
    row = table(client, project)[-1]
    assert (row["text"], row["sentence_text"], row["aspects"], row["found_aspects"]) == (
        "kept", "cold soup", "mine", "food",
    )  # fmt: skip


def test_a_saved_detector_answers_as_the_project_does(client: TestClient, project: str, tmp_path: Path) -> None:
    client.patch(f"{project}/aspects/1", json={"threshold": 0.2})
    with zipfile.ZipFile(io.BytesIO(client.get(f"{project}/model").content)) as archive:
        archive.extractall(tmp_path / "saved")
    detector = AspectDetector.load(tmp_path / "saved")
    assert detector.thresholds_ == {"food": 0.2, "parking": DEFAULT_THRESHOLD}
    texts = ["cold soup", "no place to park", "see you on Monday"]
    found = client.post(f"{project}/detect", json={"texts": texts}).json()["results"]
    assert detector.predict(texts) == [result["aspects"] for result in found]


def test_a_saved_detector_replaces_what_the_project_knows_and_can_be_undone(
    client: TestClient, project: str, tmp_path: Path
) -> None:
    other = AspectDetector(threshold=0.3).fit({"noise": ["thin walls"]}, descriptions={"noise": "loud"}, none=["hi"])
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for path in other.save(tmp_path / "saved").iterdir():
            archive.write(path, f"saved/{path.name}")
    before = client.get(project).json()
    taken = client.post(f"{project}/model", files={"file": ("a.zip", held.getvalue())}).json()
    assert [(a["name"], a["description"], a["examples"]) for a in taken["aspects"]] == [("noise", "loud", 1)]
    assert (taken["threshold"], taken["examples"]) == (0.3, 2)
    undone = client.post(f"{project}/undo").json()["project"]
    assert [(a["id"], a["name"]) for a in undone["aspects"]] == [(a["id"], a["name"]) for a in before["aspects"]]
    assert client.post(f"{project}/model", files={"file": ("a.zip", b"no zip")}).status_code == 422


def test_aspects_of_a_file_whose_names_differ_in_case_alone_are_told_apart(client: TestClient, tmp_path: Path) -> None:
    other = AspectDetector().fit({"noise": ["thin walls"], "Noise": ["barking dogs"], "NOISE (2)": ["a loud street"]})
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for path in other.save(tmp_path / "saved").iterdir():
            archive.write(path, f"saved/{path.name}")
    about = {
        "format": "fewaspect-project", "version": 1, "name": "Twins", "aspects": [{"name": "noise"}, {"name": "Noise"}],
        "examples": [{"text": "thin walls", "aspects": ["noise"]}, {"text": "barking dogs", "aspects": ["Noise"]}],
        "answers": [{"text": "a dog", "aspects": ["Noise"], "asked": ["noise", "Noise"]}],
        "polarities": [{"text": "barking dogs", "aspect": "Noise", "polarity": "negative"}],
        "rejections": [{"text": "quiet", "aspect": "Noise"}],
    }  # fmt: skip
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("project.json", json.dumps(about))
        archive.writestr("reviews.jsonl", "")
    project = client.post("/api/v1/projects/import", files={"file": ("a.zip", packed.getvalue())}).json()
    assert [(a["name"], a["examples"]) for a in project["aspects"]] == [("noise", 1), ("Noise (2)", 1)]
    address = f"/api/v1/projects/{project['id']}"
    with zipfile.ZipFile(io.BytesIO(client.get(f"{address}/export").content)) as archive:
        again = json.loads(archive.read("project.json"))
    assert again["answers"] == [{"text": "a dog", "aspects": ["Noise (2)"], "asked": ["noise", "Noise (2)"]}]
    assert again["polarities"] == [{"text": "barking dogs", "aspect": "Noise (2)", "polarity": "negative"}]
    assert again["rejections"] == [{"text": "quiet", "aspect": "Noise (2)"}]
    taken = client.post(f"{address}/model", files={"file": ("a.zip", held.getvalue())}).json()
    assert [(a["name"], a["examples"]) for a in taken["aspects"]] == [
        ("noise", 1), ("Noise (2)", 1), ("NOISE (2) (2)", 1),
    ]  # fmt: skip


def test_a_project_that_takes_its_own_detector_finds_what_it_found(client: TestClient, project: str) -> None:
    found = [s["text"] for s in client.get(f"{project}/sentences?show=none").json()["sentences"]]
    saved = client.get(f"{project}/model").content
    client.post(f"{project}/model", files={"file": ("a.zip", saved)}).raise_for_status()
    assert [s["text"] for s in client.get(f"{project}/sentences?show=none").json()["sentences"]] == found


def test_the_code_makes_the_same_detector(client: TestClient, project: str) -> None:
    client.patch(f"{project}/aspects/1", json={"description": 'soup "&" co', "threshold": 0.2})
    client.post(f"{project}/examples", json={"text": "it's\nMonday", "aspects": []})
    code = client.get(f"{project}/snippet").json()["python"]
    made: dict = {}
    exec(code, made)
    texts = ["cold soup", "no place to park", "see you on Monday"]
    found = client.post(f"{project}/detect", json={"texts": texts}).json()["results"]
    assert made["detector"].predict(texts) == [result["aspects"] for result in found]
    assert made["detector"].thresholds_["food"] == 0.2
    assert "polarities" not in code


def test_the_code_has_the_polarities_of_examples_and_says_where_others_are(client: TestClient, project: str) -> None:
    found = client.get(f"{project}/sentences").json()["sentences"]
    taught, other = (one for one in found if one["text"] in ("Cold soup again.", "The pizza was fine."))
    client.post(f"{project}/examples", json={"text": taught["text"], "aspects": [1]})
    for one, polarity in ((taught, "positive"), (other, "mixed")):
        client.put(f"{project}/sentences/{one['id']}/polarities/1", json={"polarity": polarity}).raise_for_status()
    code = client.get(f"{project}/snippet").json()["python"]
    made: dict = {}
    exec(code, made)
    assert made["detector"].examples_.polarities == {taught["text"]: {"food": "positive"}}
    assert "has 1 more polarities, of sentences that are no examples" in code
