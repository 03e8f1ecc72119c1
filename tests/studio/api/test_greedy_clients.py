"""Greedy clients: what they may take is bounded, and others have their share."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from fewaspect.studio.api.security import AccessPolicy
from fewaspect.studio.importing.jobs import Job
from fewaspect.studio.limits import Limits

API = "/api/v1"
Clients = Callable[..., TestClient]


@pytest.mark.parametrize("value", [b"[],", b'"",', b"{},", b"1,"])
def test_json_of_very_many_values_is_refused_before_it_is_parsed(make_client: Clients, value: bytes) -> None:
    client = make_client(limits=Limits(json_values=1000))
    project = f"{API}/projects/{client.post(f'{API}/projects', json={'name': 'a'}).json()['id']}"
    kind = {"Content-Type": "application/json"}
    for path, name in (("evaluate", "labels"), ("detect", "texts")):
        body = b'{"%s": [' % name.encode() + value * 2000 + value[:-1] + b"]}"
        answer = client.post(f"{project}/{path}", content=body, headers=kind)
        assert answer.status_code == 413
        assert "expected at most 1,000 values in JSON" in answer.json()["detail"]
    long = {"texts": ["cold soup, " * 800], "explain": False}
    assert client.post(f"{project}/detect", json=long).status_code == 200


def test_streams_of_progress_are_so_many_at_a_time(make_client: Clients) -> None:
    client = make_client(limits=Limits(streams=2))
    studio, end = client.app.state.studio, threading.Event()  # type: ignore[attr-defined]
    number = client.post(f"{API}/projects", json={"name": "a"}).json()["id"]

    def waits(job: Job) -> None:
        end.wait(60)

    address = f"{API}/projects/{number}/jobs/{studio.jobs.start(number, waits).id}/events"
    reading = [threading.Thread(target=client.get, args=(address,)) for _ in range(2)]
    try:
        for thread in reading:
            thread.start()
        while studio.streams < 2:
            assert all(thread.is_alive() for thread in reading)
        answer = client.get(address)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert client.get(f"{API}/projects").status_code == 200
    finally:
        end.set()
        for thread in reading:
            thread.join(60)
    assert "event: done" in client.get(address).text
    assert studio.streams == 0


def test_whoever_has_no_token_takes_nothing_from_those_who_have_it(make_client: Clients) -> None:
    client = make_client(access=AccessPolicy(token="secret"), limits=Limits(burst=3, requests_per_second=0.01))
    answers = [client.get(f"{API}/projects", headers={"Authorization": "Bearer guess"}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]
    own = {"Authorization": "Bearer secret"}
    assert [client.get(f"{API}/projects", headers=own).status_code for _ in range(4)] == [200, 200, 200, 429]
