"""A studio from a program: start one, name aspects over REST, let it tag texts, read why, take the results home.

pip install "fewaspect[studio]"

With a studio that runs already: python examples/rest_client.py http://127.0.0.1:8765
"""

import json
import os
import subprocess
import sys
import tempfile
from urllib.request import Request, urlopen


def start_studio(folder: str) -> tuple[subprocess.Popen, str]:
    """A studio on a free port, with a database of its own; its address is in the first line that it prints."""
    command = [sys.executable, "-m", "fewaspect", "studio", "--no-browser", "--port", "0", "--data", f"{folder}/own.db"]
    studio = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in studio.stdout:
        if "http://" in line:
            return studio, "http://" + line.split("http://")[1].split()[0].rstrip("/.")
    raise SystemExit(f"the studio did not start: exit code {studio.wait()}")


def call(method: str, path: str, body: dict | None = None) -> dict:
    """One request; the header says that no foreign page has sent it."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"X-Fewaspect": "studio", "Content-Type": "application/json"}
    if token := os.environ.get("FEWASPECT_TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    with urlopen(Request(f"{address}/api/v1{path}", data, headers, method=method)) as answer:
        return json.load(answer)


own, folder = None, tempfile.TemporaryDirectory()
if len(sys.argv) > 1:
    address = sys.argv[1]
else:
    own, address = start_studio(folder.name)

project = call("POST", "/projects", {"name": "hotel reviews"})["id"]
for name, examples in {
    "wifi": ["The wifi kept dropping."],
    "noise": ["Thin walls, we heard every word."],
    "breakfast": ["Good coffee and fresh rolls."],
}.items():
    call("POST", f"/projects/{project}/aspects", {"name": name, "examples": examples})

texts = [
    "We could hear the neighbours all night, and the internet was down.",
    "Fresh orange juice and warm croissants!",
    "See you next year.",
]
answers = call("POST", f"/projects/{project}/detect", {"texts": texts, "sentiment": True})["results"]
for text, answer in zip(texts, answers, strict=True):
    opinions = [f"{name} ({answer['sentiment'][name]['polarity']})" for name in answer["aspects"]]
    print(f"{', '.join(opinions) or '-':34} {text}")

analysis = call("POST", f"/projects/{project}/analyze", {"text": texts[0]})
print("\nWhy:", analysis["reason"])

if own:
    own.terminate()
    own.wait()
folder.cleanup()
