"""How good is it: sentences to check and what they say; which examples to check, and where more would help."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool

from fewaspect.studio.api.examples import AspectLabels
from fewaspect.studio.api.fields import CurrentStudio, Id, ProjectId, ResponseBody
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.api.sentences import SentenceResponse
from fewaspect.studio.engine.auditing import audit_result, examples_to_check, next_to_check
from fewaspect.studio.engine.presenters import present
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.studio.store.answers import Answer, put_answer, read_answers, remove_answer
from fewaspect.studio.store.definition import read_example
from fewaspect.studio.store.projects import owned_row
from fewaspect.studio.store.schema import aspects, audit_answers, kept_labels, sentences
from fewaspect.studio.studio import Studio

router = APIRouter(prefix="/projects/{project}", tags=["quality"])


class SentencesToCheck(ResponseBody):
    """The next ones; `checked` of `size` sentences have an answer."""

    sentences: list[SentenceResponse]
    checked: int
    size: int


class AuditAnswer(ResponseBody):
    sentence: int
    aspects: list[int]


class Estimate(ResponseBody):
    """What is most probable, and the ends of a 95 % interval."""

    value: float
    low: float
    high: float


class AuditedAspect(ResponseBody):
    """`answered`: sentences it is found in; `checked` of them; `found`: checked ones that have it; `more`: about how
    many further answers would halve the interval of F1."""

    id: int
    name: str
    precision: Estimate | None
    recall: Estimate
    f1: Estimate
    answered: int
    checked: int
    found: int
    more: int


class AuditResult(ResponseBody):
    aspects: list[AuditedAspect]
    precision: Estimate | None
    recall: Estimate
    f1: Estimate
    macro_f1: Estimate
    labelled: int
    size: int
    confidence: float
    more: int


class AuditResponse(ResponseBody):
    """null as long as nothing is checked."""

    result: AuditResult | None


class ExampleIssue(ResponseBody):
    """An example that others contradict, with ids of the aspects given and suggested."""

    example_id: int
    text: str
    given: list[int]
    suggested: list[int]
    reason: str
    strength: float


class AspectGrowth(ResponseBody):
    id: int
    signal: Literal["growing", "level", "contradictory", "too few"]
    examples: int
    reason: str


class ExamplesToCheck(ResponseBody):
    issues: list[ExampleIssue]
    growth: list[AspectGrowth]


@router.get("/audit", response_model=SentencesToCheck, responses=errors(404))
async def to_check(
    studio: CurrentStudio, project: ProjectId, n: Annotated[int, Query(ge=1, le=200, description="How many.")] = 10
) -> Any:
    """The next sentences to check, so that precision and recall of every aspect can be estimated; no examples."""

    def work() -> dict[str, Any]:
        with studio.engine.foreground():
            snapshot, answers = _scored(studio, project)
            found = next_to_check(snapshot, answers, n)
            return {**found, "sentences": present(snapshot, found.pop("rows"))}

    return await run_in_threadpool(work)


@router.get("/audit/result", response_model=AuditResponse, responses=errors(404))
async def result(studio: CurrentStudio, project: ProjectId) -> Any:
    """Precision, recall and F1 of each aspect and of all, with intervals, from the answers so far."""

    def work() -> dict[str, Any]:
        with studio.engine.foreground():
            return {"result": audit_result(*_scored(studio, project))}

    return await run_in_threadpool(work)


@router.put("/audit/{sentence}", response_model=AuditAnswer, responses=errors(404))
def answer(studio: CurrentStudio, project: ProjectId, sentence: Id, said: AspectLabels) -> Any:
    """What is true of a sentence. It is kept as a test and does not become an example."""
    with studio.write(project) as connection:
        text = owned_row(connection, sentences, project, sentence).text
        for aspect in said.aspects:
            owned_row(connection, aspects, project, aspect)
        put_answer(connection, audit_answers, project, text, said.aspects)
    return {"sentence": sentence, "aspects": said.aspects}


@router.delete("/audit/{sentence}", status_code=204, responses=errors(404))
def take_back(studio: CurrentStudio, project: ProjectId, sentence: Id) -> None:
    """Forget the answer, if there is one."""
    with studio.write(project) as connection:
        remove_answer(connection, audit_answers, project, owned_row(connection, sentences, project, sentence).text)


@router.get("/examples-to-check", response_model=ExamplesToCheck, responses=errors(404))
async def check_examples(studio: CurrentStudio, project: ProjectId) -> Any:
    """Examples that other examples contradict, and for each aspect whether more examples are likely to help."""

    def work() -> dict[str, Any]:
        with studio.engine.foreground():
            snapshot = studio.engine.learned_snapshot(project)
            with studio.database.read() as connection:
                kept = read_answers(connection, kept_labels, project)
            return examples_to_check(snapshot, kept)

    return await run_in_threadpool(work)


@router.put("/examples-to-check/{example_id}/kept", status_code=204, responses=errors(404))
def keep(studio: CurrentStudio, project: ProjectId, example_id: Id) -> None:
    """Its aspects are right: it is not listed again, unless they change."""
    with studio.write(project) as connection:
        kept = read_example(connection, project, example_id)
        put_answer(connection, kept_labels, project, kept.text, kept.aspects)


def _scored(studio: Studio, project: int) -> tuple[Snapshot, list[Answer]]:
    snapshot = studio.engine.scored_snapshot(project)
    with studio.database.read() as connection:
        return snapshot, read_answers(connection, audit_answers, project)
