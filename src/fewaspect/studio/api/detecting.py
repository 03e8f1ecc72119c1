"""Any text against a project's detector: one or many, with or without all there is to say; what to label next."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from fewaspect.core.errors import DataError
from fewaspect.detector.explain import Analysis
from fewaspect.studio.api.fields import LIMITS, Answer, Given, InStudio, ProjectId, Text, example, given
from fewaspect.studio.api.problem_details import answers
from fewaspect.studio.api.sentences import SentenceAnswer
from fewaspect.studio.engine.presenters import deciding_words, present
from fewaspect.studio.engine.snapshot import Snapshot

router = APIRouter(prefix="/projects/{project}", tags=["detection"])
CANDIDATES = 600  # sentences among which suggestions are chosen: the least sure ones, and some of all


class Texts(Given):
    """Texts to detect aspects in; with `explain`, sentences and deciding words too."""

    model_config = given(texts=["The garage was full, but the pool was lovely."], explain=False)
    texts: Annotated[list[Text], Field(max_length=LIMITS.texts)]
    explain: bool = False


class OneText(Given):
    model_config = given(text="The garage was full, but the pool was lovely.")
    text: Text


class NamedWord(Answer):
    start: int
    end: int
    aspect: str
    weight: float


class NamedSentence(Answer):
    start: int
    end: int
    text: str
    aspects: list[str]
    probabilities: dict[str, float]
    reason: str


class Detected(Answer):
    """A text's aspects by name, the most probable first, and all probabilities."""

    aspects: list[str]
    scores: dict[str, float]
    sentences: list[NamedSentence] | None = None
    words: list[NamedWord] | None = None


class Detection(Answer):
    model_config = example(revision=7, results=[{"aspects": ["parking"], "scores": {"parking": 0.93, "pool": 0.2}}])
    revision: int
    results: list[Detected]


class WordAnswer(Answer):
    start: int
    end: int
    text: str
    evidence: dict[str, float]


class NearAnswer(Answer):
    text: str
    aspects: list[str]
    similarity: float


class AnalysisAnswer(Answer):
    """All there is to say of a text: what `AspectDetector.analyze` returns."""

    text: str
    aspects: list[str]
    probabilities: dict[str, float]
    reason: str
    words: list[WordAnswer]
    nearest: dict[str, list[NearAnswer]]
    sentences: list[NamedSentence]


class SuggestionAnswer(Answer):
    sentence: SentenceAnswer
    reason: str


class Suggestions(Answer):
    suggestions: list[SuggestionAnswer]


@router.post("/detect", response_model=Detection, response_model_exclude_none=True, responses=answers(404))
async def detect(studio: InStudio, project: ProjectId, asked: Texts) -> Any:
    """Aspects of each text; requests that arrive together share one call of the detector."""

    def work(texts: list[str]) -> tuple[Snapshot, list[Analysis | None]]:
        with studio.engine.foreground():
            snapshot = studio.engine.snapshot(project)
            if snapshot.detector is None:
                return snapshot, [None] * len(texts)
            return snapshot, [*snapshot.detector.analyze_many(texts, words=asked.explain)]

    snapshot, found = await studio.batcher.ask((project, asked.explain), asked.texts, work)
    return {"revision": snapshot.revision, "results": [_detected(snapshot, one, asked.explain) for one in found]}


@router.post("/analyze", response_model=AnalysisAnswer, responses=answers(404))
def analyze(studio: InStudio, project: ProjectId, asked: OneText) -> Any:
    """All there is to say of one text."""
    with studio.engine.foreground():
        detector = studio.engine.snapshot(project).detector
        if detector is None:
            raise DataError("analyze: expected a project with aspects, found none.")
        return asdict(detector.analyze(asked.text))


@router.get("/suggestions", response_model=Suggestions, responses=answers(404))
async def suggestions(
    studio: InStudio, project: ProjectId, n: Annotated[int, Query(ge=1, le=100, description="How many.")] = 10
) -> Any:
    """Which sentences to label next, best first, and why."""

    def work() -> dict[str, Any]:
        with studio.engine.foreground():
            snapshot = studio.engine.snapshot(project)
            if snapshot.detector is None:
                return {"suggestions": []}
            rows = _candidates(snapshot)
            chosen = snapshot.detector.suggest([snapshot.sentences.texts[row] for row in rows], n)
            shown = present(snapshot, [rows[one.index] for one in chosen])
            return {"suggestions": [{"sentence": s, "reason": c.why} for s, c in zip(shown, chosen, strict=True)]}

    return await run_in_threadpool(work)


def _candidates(snapshot: Snapshot) -> list[int]:
    """Not all of many: a suggestion must come within a second."""
    rows = np.setdiff1d(np.arange(len(snapshot.sentences.ids)), list(snapshot.confirmed))
    if len(rows) <= CANDIDATES:
        return rows.tolist()
    uncertain = rows[np.argsort(-snapshot.uncertainty()[rows], kind="stable")][: CANDIDATES // 2]
    some = rows[:: max(1, len(rows) // (CANDIDATES // 2))]
    return np.union1d(uncertain, some).tolist()


def _detected(snapshot: Snapshot, analysis: Analysis | None, explain: bool) -> dict[str, Any]:
    if analysis is None:
        return {"aspects": [], "scores": {}}
    found: dict[str, Any] = {"aspects": list(analysis.aspects), "scores": analysis.probabilities}
    if explain:
        names = {aspect.id: aspect.name for aspect in snapshot.definition.aspects}
        found["sentences"] = [asdict(sentence) for sentence in analysis.sentences]
        found["words"] = [{**word, "aspect": names[word["aspect"]]} for word in deciding_words(analysis, snapshot)]
    return found
