"""What the API does is what its OpenAPI description says, for any request that can be drawn from it."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.types import ASGIApp, Receive, Scope, Send

from fewaspect.detector.model import InferenceModel
from fewaspect.studio.api.fields import MAX_ID
from fewaspect.studio.api.security import LOOPBACK, AccessPolicy
from fewaspect.studio.limits import Limits
from fewaspect.studio.studio import Studio
from fewaspect.studio.web_app import make_app

DRAWN = int(os.environ.get("FEWASPECT_DRAWN", "4"))  # requests to each operation; `make attack` draws 200
PROJECT = "/api/v1/projects/{project}"
SEMANTIC = {  # where a description cannot say all that must hold: that a file is one, that two aspects are not the same
    f"POST {PROJECT}/aspects/{{aspect}}/merge", f"POST {PROJECT}/aspects/{{aspect}}/split",
    "POST /api/v1/projects/import", f"POST {PROJECT}/model", f"POST {PROJECT}/imports/preview",
    f"POST {PROJECT}/imports", f"POST {PROJECT}/evaluate",
}  # fmt: skip


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory, scorer: InferenceModel) -> Iterator[Any]:
    """A studio with a small project under id 1."""
    from fastapi.testclient import TestClient

    folder: Path = tmp_path_factory.mktemp("schema")
    studio = Studio(str(folder / "studio.db"), Limits(burst=10**9), lambda: scorer)
    app = make_app(studio, AccessPolicy(LOOPBACK | {"testserver"}), sample=False)
    client = TestClient(app, base_url="http://127.0.0.1", headers={"X-Fewaspect": "studio"})
    client.post("/api/v1/projects", json={"name": "a"})
    client.post("/api/v1/projects/1/aspects", json={"name": "food", "examples": ["cold soup", "good pizza"]})
    client.post("/api/v1/projects/1/imports", files={"file": ("a.txt", b"Cold soup. See you.\n")})
    config = SchemathesisConfig.from_dict({"generation": {"allow-extra-parameters": False}})  # which are ignored
    yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", _that_stays(app), config=config)
    studio.close()


def _that_stays(app: ASGIApp) -> ASGIApp:
    """Schemathesis starts and stops the application between sequences; the studio goes on."""

    async def stays(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            return await app(scope, receive, send)
        for state in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{state}.complete"})
        return None

    return stays


@pytest.mark.slow
def test_the_api_is_as_described(described: Any) -> None:
    """Requests that fit the description and some that do not; every operation is tried before any is blamed."""
    failed = []
    for found in described.get_all_operations():
        operation = found.ok()
        try:
            _try(operation)
        except (Exception, FailureGroup) as error:
            failed.append(f"{operation.label}: {''.join(traceback.format_exception(error))[-3000:]}")
    assert not failed, "\n\n".join(failed)


def _try(operation: Any) -> None:
    modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)

    @given(st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in modes)))
    @settings(  # no deadline: the first call loads a model
        max_examples=DRAWN, derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck),
        deadline=None,
    )  # fmt: skip
    def one(case: schemathesis.Case) -> None:
        number = case.path_parameters.get("project")
        if isinstance(number, int) and 1 <= number <= MAX_ID and operation.label != f"DELETE {PROJECT}":
            case.path_parameters["project"] = 1  # where there is something
        beyond = [positive_data_acceptance] if operation.label in SEMANTIC else []
        case.call_and_validate(headers={"X-Fewaspect": "studio"}, excluded_checks=beyond, timeout=250)

    one()


@pytest.mark.extended
def test_sequences_of_requests_are_as_described(described: Any) -> None:
    """By the links that are found between what one operation gives and another takes."""

    class Sequence(described.as_state_machine()):  # type: ignore[misc]
        def get_call_kwargs(self, case: schemathesis.Case) -> dict[str, Any]:
            return {"headers": {"X-Fewaspect": "studio"}, "timeout": 250}

        def validate_response(self, response: Any, case: schemathesis.Case, **options: Any) -> None:
            case.validate_response(response, excluded_checks=[positive_data_acceptance])  # it depends on the project

    how = settings(
        max_examples=DRAWN, stateful_step_count=10, deadline=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    Sequence.run(settings=how)


def test_every_operation_says_what_it_is_and_shows_an_example(make_client: Callable[..., Any]) -> None:
    described = make_client().get("/api/v1/openapi.json").json()
    operations = [own for path in described["paths"].values() for own in path.values()]
    assert len(operations) > 35
    assert all(own.get("description") and own.get("tags") for own in operations)
    asked = [own["requestBody"]["content"]["application/json"]["schema"] for own in operations
             if "application/json" in own.get("requestBody", {}).get("content", {})]  # fmt: skip
    named = [schema["$ref"].rpartition("/")[2] for schema in asked if "$ref" in schema]
    assert all(described["components"]["schemas"][name].get("examples") for name in named)
