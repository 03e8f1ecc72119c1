"""What a user of the studio can get wrong, each answered in its own way."""

from __future__ import annotations

from fewaspect.core.errors import FewAspectError


class NotFoundError(FewAspectError):
    """A project, an aspect, an example or a sentence that does not exist."""


class NameTakenError(FewAspectError):
    """A name that is in use."""


class NothingToUndoError(FewAspectError):
    """There is no change to undo, or none to do again."""


class TooManyError(FewAspectError):
    """More aspects, examples or rows than the limits allow."""


class RevisionConflictError(FewAspectError):
    """The project changed while an answer was computed."""


class TooLargeError(FewAspectError):
    """A file that unpacks to more than the limits allow."""


class UnsupportedError(FewAspectError):
    """A file of a kind that is not read."""
