"""What a caller of the store can get wrong."""

from __future__ import annotations

from fewaspect.errors import FewAspectError


class MissingError(FewAspectError):
    """A project, an aspect, an example or a sentence that does not exist."""


class TakenError(FewAspectError):
    """A name that is in use."""


class NothingToUndoError(FewAspectError):
    """There is no change to undo, or none to do again."""


class TooManyError(FewAspectError):
    """More aspects, examples or rows than the limits allow."""


class ChangedError(FewAspectError):
    """The project is no longer what an answer was worked out for."""
