"""Errors that users of the studio can cause; `api/problem_details.py` has their HTTP status."""

from __future__ import annotations

from fewaspect.core.errors import FewAspectError


class NotFoundError(FewAspectError):
    """A project, an aspect, an example or a sentence that does not exist."""


class NameTakenError(FewAspectError):
    """A name that is in use."""


class NothingToUndoError(FewAspectError):
    """There is no change to undo or to redo."""


class RevisionConflictError(FewAspectError):
    """The project changed while an answer was computed."""


class TooManyError(FewAspectError):
    """More aspects, examples or rows than the limits allow."""


class TooLargeError(FewAspectError):
    """A file that unpacks to more, or takes longer to read, than the limits allow."""


class UnsupportedError(FewAspectError):
    """A file of an unsupported format."""
