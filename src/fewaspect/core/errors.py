"""Errors a user can cause and mend: each message says what was expected, what was found and where."""

from __future__ import annotations


class FewAspectError(Exception):
    """Base of all errors that the command line reports in one message with exit code 2."""


class DataError(FewAspectError):
    """A file or a record that cannot be read; `problem` is the message without its place and remedy."""

    problem = ""


class BenchmarkError(FewAspectError):
    """A named benchmark whose files are missing or are not the published ones."""


class EpisodeError(FewAspectError):
    """A setting of N, K and Q that the sentences cannot fill."""


class EncoderError(FewAspectError):
    """Encoder weights that are missing, damaged or of an unsupported kind."""


class ConfigError(FewAspectError):
    """A setting with a value that makes no sense."""


class ParameterError(ConfigError, ValueError):
    """A parameter that an estimator does not have."""


class NotFittedError(FewAspectError, ValueError, AttributeError):
    """An estimator that was asked before it was fitted."""


class TrainingError(FewAspectError):
    """A training run that cannot go on."""


class CheckpointError(FewAspectError):
    """A run folder or checkpoint that is missing, damaged or made by something else."""


class ResultError(FewAspectError):
    """A result file that is damaged, or was made with other settings than are asked for."""
