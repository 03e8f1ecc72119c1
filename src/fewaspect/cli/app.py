"""The `fewaspect` command. Each command's heavy imports happen inside it, so that help is instant."""

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
    benchmark,
    bulk,
    cache,
    data,
    detect,
    evaluate,
    export,
    figures,
    fit,
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
app.command()(quickstart.quickstart)
app.command()(studio.studio)
app.command()(detect.detect)
app.command()(bulk.bulk)
app.command()(report.report)
app.command()(fit.fit)
app.command()(tune.tune)
app.command()(suggest.suggest)
app.command()(export.export)
app.command()(train.train)
app.command()(evaluate.evaluate)
app.command()(benchmark.benchmark)
app.command()(tables.tables)
app.command()(methods.methods)
app.add_typer(data.app, name="data")
app.add_typer(cache.app, name="cache")
app.add_typer(figures.app, name="figures")


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_BROKEN = (errno.EIO, errno.EBADF)  # of standard input or output


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


def _refuse(message: str) -> NoReturn:
    typer.secho("error: ", fg="red", bold=True, err=True, nl=False)
    typer.echo(message, err=True)
    sys.exit(2)


class _Stopped(BaseException):
    """By a signal: what is half done is cleared away as after Ctrl-C."""


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)  # a second one ends it at once
    raise _Stopped(number)


def main() -> None:
    """Run a command; what a user can mend is one message and exit code 2, not a traceback."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")  # without it, a warning after every fork
    for name in ("SIGTERM", "SIGHUP"):  # the second is not on Windows, and ignored under nohup
        if signal.getsignal(number := getattr(signal, name, signal.SIGTERM)) is signal.SIG_DFL:
            signal.signal(number, _stop)
    try:
        app()
    except FewAspectError as error:
        _refuse(str(error))
    except OSError as error:
        if error.filename is not None:
            _refuse(f"{error.filename}: {error.strerror}.")
        if error.errno not in (*_FULL, *_BROKEN):
            raise
        with suppress(OSError, ValueError):  # what is held back for a full disk would be tried again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno in _BROKEN:
            _refuse(f"standard input or output: {error.strerror}.")
        _refuse(f"the output cannot be written: {error.strerror}.\nMake room, or write it elsewhere.")
    except _Stopped as stopped:
        signal.raise_signal(stopped.args[0])


if __name__ == "__main__":
    main()
