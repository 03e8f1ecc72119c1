"""Errors a user can cause and correct: a message says what was expected, what was found, where, and what to do."""

from __future__ import annotations


class FewAspectError(Exception):
    """Base of all errors that the command line reports in one message with exit code 2."""


class DataError(FewAspectError):
    """A file or a record that cannot be read; `problem` is the message without its place and remedy."""

    problem = ""


class BenchmarkError(FewAspectError):
    """A named benchmark whose files are missing or are not the published ones."""


class EpisodeError(FewAspectError):
    """Values of N, K and Q for which there are too few sentences."""


class EncoderError(FewAspectError):
    """Encoder weights that are missing, damaged or of an unsupported kind."""


class ConfigError(FewAspectError):
    """A setting with an invalid value."""


class ParameterError(ConfigError, ValueError):
    """A parameter that an estimator does not have."""


class NotFittedError(FewAspectError, ValueError, AttributeError):
    """An estimator that was asked before it was fitted."""


class TrainingError(FewAspectError):
    """A training run that diverged."""


class CheckpointError(FewAspectError):
    """A run folder, checkpoint or saved model that is missing, damaged or of another format."""


class ResultError(FewAspectError):
    """A result file that is damaged, or was made with other settings than are asked for."""


WRONG_VALUE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What code raises that takes for granted the types and ranges of values that it finds in a file."""
