"""The audit of a project: which sentences to check next, and what the checked ones say; examples to check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fewaspect.detector.labelling.audit import Audit, draw_audit
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.studio.store.answers import Answer
from fewaspect.text.identity import example_identity


def complete_answers(snapshot: Snapshot, answers: Sequence[Answer]) -> dict[str, Answer]:
    """Those that were given of all the aspects there are now, by what tells sentences apart in `draw_audit`. Others are
    asked again."""
    return {example_identity(a.text): a for a in answers if a.asked.issuperset(snapshot.aspect_ids)}


def draw(snapshot: Snapshot, answers: Sequence[Answer], n: int) -> Audit:
    """The sentences that were checked, then the next `n`; by scores of all sentences."""
    names = [aspect.name for aspect in snapshot.definition.aspects]
    checked = [answer.text for answer in complete_answers(snapshot, answers).values()]
    examples = [example.text for example in snapshot.definition.examples]
    return draw_audit(
        names, snapshot.sentences.texts, snapshot.scores.probabilities, snapshot.thresholds, n, first=checked,
        without=examples,
    )  # fmt: skip


def next_to_check(snapshot: Snapshot, answers: Sequence[Answer], n: int) -> dict[str, Any]:
    """Rows of the next sentences, how many are checked, and how many there are."""
    if snapshot.detector is None or not len(snapshot.sentences.ids):
        return {"rows": [], "checked": 0, "size": 0}
    audit, known = draw(snapshot, answers, n), complete_answers(snapshot, answers)
    rows = [s.index for s in audit.sentences if example_identity(s.text) not in known]
    return {"rows": rows, "checked": len(audit.sentences) - len(rows), "size": audit.size}


def audit_result(snapshot: Snapshot, answers: Sequence[Answer]) -> dict[str, Any] | None:
    """With ids of aspects; None as long as nothing is checked."""
    if snapshot.detector is None or not len(snapshot.sentences.ids):
        return None
    audit, known = draw(snapshot, answers, 0), complete_answers(snapshot, answers)
    if not audit.sentences:
        return None
    names = {aspect.id: aspect.name for aspect in snapshot.definition.aspects}
    said = [known[example_identity(sentence.text)].aspects for sentence in audit.sentences]
    found = asdict(audit.result([[names[a] for a in own if a in names] for own in said]))
    ids = snapshot.id_by_name
    return {**found, "aspects": [{"id": ids[name], "name": name, **row} for name, row in found["aspects"].items()]}


def examples_to_check(snapshot: Snapshot, kept: Sequence[Answer]) -> dict[str, Any]:
    """Examples that others contradict, but for those whose labels were kept, and what more of an aspect may give."""
    ids, looked_at = snapshot.id_by_name, {example_identity(answer.text): answer.aspects for answer in kept}
    numbers = {example.text: example.id for example in snapshot.definition.examples}
    issues = [
        {
            "example_id": numbers[issue.text], "text": issue.text, "given": [ids[name] for name in issue.given],
            "suggested": [ids[name] for name in issue.suggested], "reason": issue.why, "strength": issue.strength,
        }
        for issue in snapshot.label_issues
        if looked_at.get(example_identity(issue.text)) != {ids[name] for name in issue.given} and issue.text in numbers
    ]  # fmt: skip
    growth = [
        {"id": ids[name], "signal": row.signal, "examples": row.examples, "reason": row.why}
        for name, row in snapshot.growth.items()
    ]
    return {"issues": issues, "growth": growth}
