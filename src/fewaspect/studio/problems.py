"""Errors that users of the studio can cause; `api/problem_details.py` has their HTTP status."""

from __future__ import annotations

import errno

from fewaspect.core.errors import FewAspectError

NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE)


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


class StorageError(FewAspectError):
    """A disk that is full, fails or may not be written; what was stored before is there."""


class BusyError(FewAspectError):
    """Too much is being done at once; the same request may succeed later."""


def storage_error(error: OSError) -> StorageError:
    return StorageError(f"a temporary file: expected to write it, found: {error.strerror}.")
