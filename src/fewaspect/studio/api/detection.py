"""Detection in any texts, the analysis of one, suggestions what to label next, and groups that have no name yet."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from fewaspect.core.errors import DataError
from fewaspect.detector.explain import Analysis
from fewaspect.detector.labelling.discover import AspectGroup
from fewaspect.detector.labelling.suggest import LAST
from fewaspect.studio.api.fields import (
    LIMITS,
    CurrentStudio,
    Polarity,
    ProjectId,
    RequestBody,
    ResponseBody,
    Text,
    example,
)
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.api.sentences import SentenceResponse
from fewaspect.studio.disconnection import unless_gone
from fewaspect.studio.engine.presenters import deciding_words, present, unread_languages
from fewaspect.studio.engine.snapshot import Snapshot

router = APIRouter(prefix="/projects/{project}", tags=["detection"])
GROUPED = 5000  # sentences among which groups are looked for: a sample of more
SAMPLED = 300  # sentences that tell whether answers have settled
CANDIDATES = 600  # sentences among which suggestions are chosen: the most uncertain, and a sample of all


class DetectionRequest(RequestBody):
    """With `explain`, sentences and deciding words are returned too; with `sentiment`, what is thought of each
    aspect, which takes longer."""

    model_config = example(texts=["The garage was full, but the pool was lovely."], explain=False)
    texts: Annotated[list[Text], Field(max_length=LIMITS.texts)]
    explain: bool = False
    sentiment: bool = False


class AnalysisRequest(RequestBody):
    model_config = example(text="The garage was full, but the pool was lovely.")
    text: Text
    sentiment: bool = False


class NamedSentiment(ResponseBody):
    """What is thought of an aspect, with probabilities."""

    polarity: Polarity
    negative: float
    neutral: float
    positive: float


class NamedDecidingWord(ResponseBody):
    start: int
    end: int
    aspect: str
    weight: float


class NamedSentence(ResponseBody):
    start: int
    end: int
    text: str
    aspects: list[str]
    probabilities: dict[str, float]
    reason: str
    accepted: list[str] | None = None
    sentiment: dict[str, NamedSentiment] | None = None


class TextDetection(ResponseBody):
    """A text's aspects by name, the most probable first, and all probabilities.

    Where a precision is asked for, aspects are `accepted` or need a look (`to_review`).
    """

    aspects: list[str]
    accepted: list[str] | None = None
    to_review: list[str] | None = None
    sentiment: dict[str, NamedSentiment] | None = None
    scores: dict[str, float]
    sentences: list[NamedSentence] | None = None
    words: list[NamedDecidingWord] | None = None
    foreign: bool | None = Field(None, description="With `explain`: it seems to be in a language that is not read.")


class DetectionResponse(ResponseBody):
    model_config = example(revision=7, results=[{"aspects": ["parking"], "scores": {"parking": 0.93, "pool": 0.2}}])
    revision: int
    results: list[TextDetection]


class WordResponse(ResponseBody):
    start: int
    end: int
    text: str
    evidence: dict[str, float]


class NamedNearestExample(ResponseBody):
    text: str
    aspects: list[str]
    similarity: float


class AnalysisResponse(ResponseBody):
    """What `AspectDetector.analyze` returns."""

    text: str
    aspects: list[str]
    probabilities: dict[str, float]
    reason: str
    words: list[WordResponse]
    nearest: dict[str, list[NamedNearestExample]]
    sentences: list[NamedSentence]
    accepted: list[str] | None = None
    sentiment: dict[str, NamedSentiment] | None = None


class SuggestionResponse(ResponseBody):
    sentence: SentenceResponse
    reason: str


class Suggestions(ResponseBody):
    """`changed`: the share of the answers that the last 20 examples have changed, null with too few examples to say;
    `settled`: it is so small that more labels will hardly change answers."""

    suggestions: list[SuggestionResponse]
    changed: float | None
    settled: bool


class TakenSentences(ResponseBody):
    """`count` sentences of a named aspect, by id, that the group would claim too."""

    aspect: int
    count: int


class GroupResponse(ResponseBody):
    """Sentences that no aspect claims; its name and `sentences`, typical ones, can be added as an aspect."""

    model_config = example(
        name="wifi", size=31, share=0.04, words=["wifi", "password"], sentences=["The wifi kept dropping."],
        takes=[{"aspect": 3, "count": 2}],
    )  # fmt: skip
    name: str
    size: int
    share: float
    words: list[str]
    sentences: list[str]
    takes: list[TakenSentences]


class Groups(ResponseBody):
    groups: list[GroupResponse]


@router.post("/detect", response_model=DetectionResponse, response_model_exclude_none=True, responses=errors(404))
async def detect(studio: CurrentStudio, project: ProjectId, request: DetectionRequest, http: Request) -> Any:
    """Aspects of each text, all by one revision of the project; a large request leaves others their turns."""
    snapshot = await run_in_threadpool(studio.engine.snapshot, project)

    def work(texts: list[str]) -> list[Analysis | None]:
        if snapshot.detector is None:
            return [None] * len(texts)
        with studio.engine.foreground():
            return [*snapshot.detector.analyze_many(texts, words=request.explain, sentiment=request.sentiment)]

    key = (snapshot, request.explain, request.sentiment)  # requests of the same revision share calls of the detector
    found = await unless_gone(http, studio.batcher.submit(key, request.texts, work))
    return {"revision": snapshot.revision, "results": [_detected(snapshot, one, request.explain) for one in found]}


@router.post("/analyze", response_model=AnalysisResponse, responses=errors(404))
def analyze(studio: CurrentStudio, project: ProjectId, request: AnalysisRequest) -> Any:
    """Probabilities, reason, evidence of each word and the nearest examples of one text."""
    with studio.engine.foreground():
        detector = studio.engine.snapshot(project).detector
        if detector is None:
            raise DataError("analyze: expected a project with aspects, found none.")
        return asdict(detector.analyze(request.text, sentiment=request.sentiment))


@router.get("/suggestions", response_model=Suggestions, responses=errors(404))
async def suggestions(
    studio: CurrentStudio, project: ProjectId, n: Annotated[int, Query(ge=1, le=100, description="How many.")] = 10
) -> Any:
    """Which sentences to label next, best first, and why."""

    def work() -> dict[str, Any]:
        with studio.engine.foreground():
            snapshot = studio.engine.snapshot(project)
            if snapshot.detector is None:
                return {"suggestions": [], "changed": None, "settled": False}
            rows = _candidates(snapshot)
            texts, skip = [snapshot.sentences.texts[row] for row in rows], snapshot.definition.skipped
            chosen = snapshot.detector.suggest(texts, n, skip)
            shown = present(snapshot, [rows[one.index] for one in chosen])
            found = [{"sentence": s, "reason": c.why} for s, c in zip(shown, chosen, strict=True)]
            return {"suggestions": found, **_settling(snapshot)}

    return await run_in_threadpool(work)


@router.get("/groups", response_model=Groups, responses=errors(404))
async def groups(
    studio: CurrentStudio, project: ProjectId, n: Annotated[int, Query(ge=1, le=30, description="At most.")] = 10
) -> Any:
    """What the sentences are about that no aspect claims, the largest group first; takes seconds."""

    def work() -> dict[str, Any]:
        with studio.engine.foreground():
            snapshot = studio.engine.snapshot(project)
            if snapshot.detector is None:
                return {"groups": []}
            texts = snapshot.sentences.texts
            found = snapshot.detector.discover(texts[:: -(-len(texts) // GROUPED) or 1], n)
            return {"groups": [_group(snapshot, one) for one in found]}

    return await run_in_threadpool(work)


def _group(snapshot: Snapshot, group: AspectGroup) -> dict[str, Any]:
    takes = [{"aspect": snapshot.id_by_name[name], "count": count} for name, count in group.takes.items()]
    sentences = [sentence.text for sentence in group.sentences]
    return {**asdict(group), "words": list(group.words), "sentences": sentences, "takes": takes}


def _candidates(snapshot: Snapshot) -> list[int]:
    """Rows; a sample of many, so that suggestions come within a second."""
    rows = np.setdiff1d(np.arange(len(snapshot.sentences.ids)), list(snapshot.confirmed))
    if len(rows) <= CANDIDATES:
        return rows.tolist()
    uncertain = rows[np.argsort(-snapshot.uncertainty()[rows], kind="stable")][: CANDIDATES // 2]
    sample = rows[:: max(1, len(rows) // (CANDIDATES // 2))]
    return np.union1d(uncertain, sample).tolist()


def _settling(snapshot: Snapshot) -> dict[str, Any]:
    """What the last examples have changed in a fair sample of all sentences."""
    texts = snapshot.sentences.texts
    if snapshot.detector is None or len(snapshot.detector.examples_.texts) < 2 * LAST:
        return {"changed": None, "settled": False}
    found = snapshot.detector.settling(texts[:: max(1, len(texts) // SAMPLED)])
    return {"changed": found.changed, "settled": found.settled}


def _detected(snapshot: Snapshot, analysis: Analysis | None, explain: bool) -> dict[str, Any]:
    if analysis is None:
        return {"aspects": [], "scores": {}}
    found: dict[str, Any] = {"aspects": list(analysis.aspects), "scores": analysis.probabilities}
    if (accepted := analysis.accepted) is not None:
        found |= {"accepted": list(accepted), "to_review": [name for name in analysis.aspects if name not in accepted]}
    if analysis.sentiment is not None:
        found["sentiment"] = {name: asdict(told) for name, told in analysis.sentiment.items()}
    if explain:
        names = {aspect.id: aspect.name for aspect in snapshot.definition.aspects}
        found["sentences"] = [asdict(sentence) for sentence in analysis.sentences]
        found["foreign"] = unread_languages(snapshot, [analysis.text])[0]
        found["words"] = [{**word, "aspect": names[word["aspect"]]} for word in deciding_words(analysis, snapshot)]
    return found
