"""Few-shot, multi-label aspect category detection."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fewaspect.core.errors import FewAspectError as FewAspectError
    from fewaspect.detector.detector import AspectDetector as AspectDetector
    from fewaspect.detector.explain import Analysis as Analysis
    from fewaspect.detector.labelling.audit import Audit as Audit
    from fewaspect.detector.labelling.audit_result import AuditResult as AuditResult
    from fewaspect.detector.labelling.discover import AspectGroup as AspectGroup
    from fewaspect.detector.labelling.growth import Growth as Growth
    from fewaspect.detector.labelling.label_issues import LabelIssue as LabelIssue
    from fewaspect.detector.labelling.suggest import Suggestion as Suggestion
    from fewaspect.detector.thresholds import Tuned as Tuned

__version__ = "0.2.0"

_PLACES = {
    "Analysis": "fewaspect.detector.explain",
    "AspectDetector": "fewaspect.detector.detector",
    "Audit": "fewaspect.detector.labelling.audit",
    "AuditResult": "fewaspect.detector.labelling.audit_result",
    "AspectGroup": "fewaspect.detector.labelling.discover",
    "FewAspectError": "fewaspect.core.errors",
    "Growth": "fewaspect.detector.labelling.growth",
    "LabelIssue": "fewaspect.detector.labelling.label_issues",
    "Suggestion": "fewaspect.detector.labelling.suggest",
    "Tuned": "fewaspect.detector.thresholds",
}
__all__ = [
    "Analysis", "AspectDetector", "AspectGroup", "Audit", "AuditResult", "FewAspectError", "Growth", "LabelIssue",
    "Suggestion", "Tuned", "__version__",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first asked for: `import fewaspect` and `--help` stay instant."""
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
