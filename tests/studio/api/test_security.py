"""Foreign pages, foreign hosts, missing tokens, too much at once: all are refused before anything happens."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from fewaspect.core.errors import ConfigError
from fewaspect.studio.api.security import AccessPolicy, RateLimiter, hostname
from fewaspect.studio.limits import Limits
from fewaspect.studio.store.database import Database
from fewaspect.studio.web_app import PAGE

API = "/api/v1"
Clients = Callable[..., TestClient]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8765", "", "[", "localhost.evil.example"])
def test_a_foreign_host_is_refused_everywhere(client: TestClient, host: str) -> None:
    for path in ("/", "/healthz", f"{API}/projects", "/metrics"):
        answer = client.get(path, headers={"Host": host})
        assert (answer.status_code, answer.headers["content-type"]) == (403, "application/problem+json")


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost", "LOCALHOST:1", "[::1]:8765"])
def test_its_own_names_are_taken(client: TestClient, host: str) -> None:
    assert client.get(f"{API}/projects", headers={"Host": host}).status_code == 200


def test_a_change_needs_the_header_that_no_foreign_page_can_set(make_client: Clients) -> None:
    client = make_client(headers={"X-Fewaspect": ""})
    for method, path in (("POST", "/projects"), ("PATCH", "/projects/1"), ("DELETE", "/projects/1")):
        answer = client.request(method, f"{API}{path}", json={"name": "x"})
        assert (answer.status_code, answer.json()["field"]) == (403, "X-Fewaspect")
    assert client.get(f"{API}/projects").json() == {"projects": []}


def test_a_preflight_gets_no_leave(client: TestClient) -> None:
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST", "X-Fewaspect": ""}
    answer = client.options(f"{API}/projects", headers=asked)
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999"])
def test_a_foreign_origin_is_refused(client: TestClient, origin: str) -> None:
    assert client.post(f"{API}/projects", json={"name": "x"}, headers={"Origin": origin}).status_code == 403
    own = client.post(f"{API}/projects", json={"name": "x"}, headers={"Origin": "http://127.0.0.1:8765"})
    assert own.status_code == 201


def test_with_a_token_the_api_wants_it_and_the_page_does_not(make_client: Clients) -> None:
    client = make_client(access=AccessPolicy(token="secret"))
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "secret"}, {"Authorization": "Bearer é"}):
        sent = {name: value.encode() for name, value in headers.items()}
        answer = client.get(f"{API}/projects", headers=sent)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert client.get("/metrics", headers=sent).status_code == 401
    assert client.get(f"{API}/projects", headers={"Authorization": "Bearer secret"}).status_code == 200
    assert client.get("/").status_code == 200
    assert client.get("/healthz").json() == {"status": "ok"}
    status = client.get(f"{API}/status", headers={"Authorization": "Bearer secret"}).json()
    assert status["token_required"]


def test_a_body_that_is_too_large_is_refused_by_its_header(make_client: Clients) -> None:
    client = make_client(limits=Limits(body_bytes=1000))
    answer = client.post(f"{API}/projects", json={"name": "x" * 2000})
    assert (answer.status_code, answer.json()["status"]) == (413, 413)


def test_a_body_that_is_too_large_is_refused_as_it_comes(make_client: Clients) -> None:
    client = make_client(limits=Limits(body_bytes=1000))

    def pieces() -> Iterator[bytes]:
        yield b'{"name": "'
        for _ in range(100):
            yield b"x" * 100

    sent = {"Content-Type": "application/json"}
    assert client.post(f"{API}/projects", content=pieces(), headers=sent).status_code == 413
    project = client.post(f"{API}/projects", json={"name": "a"}).json()["id"]
    files = {"file": ("a.txt", b"x" * 2000)}
    assert client.post(f"{API}/projects/{project}/imports", files=files).status_code == 413


def test_other_kinds_of_body_are_refused(client: TestClient) -> None:
    answer = client.post(f"{API}/projects", content=b"name=x", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415
    assert "expected application/json or multipart/form-data, found text/plain" in answer.json()["detail"]


def test_malformed_json_is_told_as_such(client: TestClient) -> None:
    answer = client.post(f"{API}/projects", content=b"{", headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["title"]) == (400, "Bad Request")


def test_who_asks_too_often_waits(make_client: Clients) -> None:
    client = make_client(limits=Limits(burst=5, requests_per_second=0.1))
    answers = [client.get(f"{API}/projects") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 11


def test_a_bucket_fills_again_and_clients_are_forgotten() -> None:
    rates = RateLimiter(per_second=2, burst=2, clients=3)
    assert [rates.wait("a", 0.0) for _ in range(2)] == [0, 0]
    assert rates.wait("a", 0.0) == pytest.approx(0.5)
    assert rates.wait("b", 0.0) == 0
    assert rates.wait("a", 0.6) == 0
    for number in range(10):
        rates.wait(str(number), 1.0)
    assert len(rates._buckets) == 3


@pytest.mark.parametrize("path", ["/", f"{API}/projects", f"{API}/nothing", "/../../etc/passwd", "/%2e%2e/app.py"])
def test_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "/assets/..%2f..%2fapp.py"])
def test_no_path_leads_out_of_the_page(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_host_is_its_name_without_the_port() -> None:
    assert [hostname(h) for h in ("A:1", "[::1]:2", "a", "", "[")] == ["a", "::1", "a", "", ""]


def test_an_unexpected_fault_tells_nothing_of_itself(make_client: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    client = make_client(raise_server_exceptions=False)

    def fail(_: object) -> None:
        raise RuntimeError("a secret path")

    monkeypatch.setattr("fewaspect.studio.api.projects.list_projects", fail)
    answer = client.get(f"{API}/projects")
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert "secret" not in answer.text


def test_with_a_token_every_path_wants_it_but_the_page_and_its_health(make_client: Clients) -> None:
    client = make_client(access=AccessPolicy(token="secret"))
    assert isinstance(client.app, FastAPI)
    own = {"Authorization": "Bearer secret"}
    described = client.get(f"{API}/openapi.json", headers=own).json()["paths"]
    assert len(described) > 35
    places = [(method, re.sub(r"\{\w+\}", "1", path)) for path, methods in described.items() for method in methods]
    places.remove(("get", "/healthz"))
    places += [("get", f"{API}/openapi.json"), ("get", "/metrics"), ("get", f"{API}/nothing"), ("get", "/api/")]
    for method, path in places:
        answer = client.request(method, path)
        assert (answer.status_code, answer.headers.get("www-authenticate")) == (401, "Bearer"), (method, path)
    for path in ("/api/v1/../v1/projects", "//api/v1/projects", "/API/v1/projects", "/api%2fv1/projects"):
        assert client.get(path).status_code in (401, 404), path
    open_paths = ["/", "/healthz", *(f"/{path.relative_to(PAGE)}" for path in PAGE.rglob("*") if path.is_file())]
    assert len(open_paths) > 3
    for path in open_paths:
        assert client.get(path).status_code == 200, path


def test_no_secret_is_in_logs_or_errors(
    make_client: Clients, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither the token, nor reviews, nor the password of a database."""
    caplog.set_level(logging.DEBUG)
    client = make_client(access=AccessPolicy(token="tok-secret"), raise_server_exceptions=False)
    own = {"Authorization": "Bearer tok-secret"}
    project = f"{API}/projects/{client.post(f'{API}/projects', json={'name': 'a'}, headers=own).json()['id']}"

    def fail(*_: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr("fewaspect.studio.api.examples.put_example", fail)
    asked = {"text": "my private review", "aspects": []}
    assert client.post(f"{project}/examples", json=asked, headers=own).status_code == 500
    client.get(f"{API}/projects", headers={"Authorization": "Bearer tok-secret-almost"})
    client.post(f"{project}/imports", files={"file": ("r.csv", b"my private review")}, headers=own)
    with pytest.raises(ConfigError) as refused:
        Database("postgresql://me:pass-secret@127.0.0.1:1/none")
    logged = caplog.text + str(refused.value) + client.get("/metrics", headers=own).text
    assert "a fault" in caplog.text
    for secret in ("tok-secret", "my private review", "pass-secret"):
        assert secret not in logged
