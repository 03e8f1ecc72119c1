"""The `fewaspect` command. Heavy imports are inside the commands, so that help is instant."""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import Annotated, NoReturn

import typer

from fewaspect import __version__
from fewaspect.cli import (
    audit,
    benchmark,
    bulk,
    cache,
    data,
    detect,
    discover,
    evaluate,
    export,
    figures,
    fit,
    label_issues,
    methods,
    quickstart,
    report,
    studio,
    suggest,
    tables,
    train,
    tune,
)
from fewaspect.core.errors import FewAspectError

app = typer.Typer(
    help="Few-shot, multi-label aspect category detection.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    quickstart.quickstart, studio.studio, detect.detect, bulk.bulk, report.report, fit.fit, tune.tune, suggest.suggest,
    audit.audit, label_issues.label_issues, discover.discover, export.export, train.train, evaluate.evaluate,
    benchmark.benchmark, tables.tables, methods.methods,
):  # fmt: skip
    app.command()(command)
app.add_typer(data.app, name="data")
app.add_typer(cache.app, name="cache")
app.add_typer(figures.app, name="figures")


_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_BROKEN_STREAM = (errno.EIO, errno.EBADF)  # standard input or output


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fewaspect {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def _exit_with(message: str) -> NoReturn:
    typer.secho("error: ", fg="red", bold=True, err=True, nl=False)
    typer.echo(message, err=True)
    sys.exit(2)


class _Stopped(BaseException):
    """Raised by a signal, so that temporary files are removed as after Ctrl-C."""


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once
    raise _Stopped(number)


def main() -> None:
    """Run a command; an error that a user can correct is one message and exit code 2, not a traceback."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")  # else tokenizers warn after every fork
    for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP, and nohup ignores it
        if signal.getsignal(number := getattr(signal, name, signal.SIGTERM)) is signal.SIG_DFL:
            signal.signal(number, _stop)
    try:
        app()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # whoever reads the output has seen enough, as `head` has
            sys.exit(0)
        raise
    except FewAspectError as error:
        _exit_with(str(error))
    except OSError as error:
        if error.filename is not None:
            _exit_with(f"{error.filename}: {error.strerror}.")
        if error.errno not in (*_NO_SPACE, *_BROKEN_STREAM):
            raise
        with suppress(OSError, ValueError):  # else the buffered output would be written again at exit, and fail again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno in _BROKEN_STREAM:
            _exit_with(f"standard input or output: {error.strerror}.")
        _exit_with(f"the output cannot be written: {error.strerror}.\nFree space, or write it elsewhere.")
    except _Stopped as stopped:
        signal.raise_signal(stopped.args[0])


if __name__ == "__main__":
    main()
