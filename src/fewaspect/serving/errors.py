"""What a user of the studio can get wrong, each answered in its own way."""

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


class TooLargeError(FewAspectError):
    """A file that unpacks to more, or takes longer to read, than the limits allow."""


class UnsupportedError(FewAspectError):
    """A file of a kind that is not read."""
