"""The command line: `unscaled train`, `tune`, `predict`, `inspect`, `data`, `paper`, `theory`."""

import io
import os
import signal
import sys
import warnings
from types import FrameType

import click
from click.shell_completion import shell_complete

from unscaled import __version__
from unscaled.cli.completion import COMPLETE, completion
from unscaled.cli.data import data
from unscaled.cli.inspect import inspect
from unscaled.cli.paper import paper
from unscaled.cli.predict import predict
from unscaled.cli.stopping import Terminated
from unscaled.cli.theory import theory
from unscaled.cli.train import train
from unscaled.cli.tune import tune
from unscaled.errors import UnscaledError

INTERRUPTED, TERMINATED, BROKEN_PIPE = 130, 143, 141
"""What a shell says of programs that these signals end."""

_ERRORS_OF_DATA = 1


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="unscaled")
def commands() -> None:
    """Online linear learning that does not care about units.

    Point it at raw rows: nothing needs to be scaled, encoded or imputed first, and no learning rate tuned. Files are
    read once, in bounded memory, row by row.

    \b
      unscaled train bank.csv --target y --model bank.model
      unscaled tune bank.csv --target y --model bank.model
      unscaled predict bank.model new.csv --output scored.csv
      unscaled inspect bank.model

    FILE may be CSV or TSV (also .gz, .zst, .bz2), Parquet, Arrow IPC, JSON lines, svmlight or Vowpal Wabbit text; a
    folder or a glob of these; or - for standard input.

    Exit codes: 0 done, 1 the data cannot be used as it is, 2 wrong usage, 130 interrupted.
    """


commands.add_command(train)
commands.add_command(tune)
commands.add_command(predict)
commands.add_command(inspect)
commands.add_command(data)
commands.add_command(theory)
commands.add_command(paper)
commands.add_command(completion)


def main() -> None:
    """Runs the command line: every failure is one sentence on standard error and an exit code, never a traceback."""
    warnings.showwarning = _show_warning
    signal.signal(signal.SIGTERM, _terminate)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name may hold what the terminal's encoding does not
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except UnscaledError as error:
        code = _fail(str(error), error.exit_code)
    except BrokenPipeError:
        # Nobody reads on and nothing is left to be finished. Taking the libraries' threads down in an orderly way now
        # and then ends in "terminate called" on standard error.
        os._exit(BROKEN_PIPE)
    except Terminated as stop:
        code = _fail(str(stop) or "terminated", TERMINATED)
    except KeyboardInterrupt as stop:
        code = _fail(str(stop) or "interrupted", INTERRUPTED)
    except MemoryError:
        code = _fail("out of memory; --hash-bits bounds the size of a model", _ERRORS_OF_DATA)
    except OSError as error:
        code = _fail(f"{error.filename or 'standard output'}: {error.strerror or error}", _ERRORS_OF_DATA)
    _settle_output()
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    """What click's own `main` does, which would turn every signal into the same exception and hide closed pipes."""
    instruction = os.environ.get(COMPLETE)
    if instruction:
        return shell_complete(commands, {}, "unscaled", COMPLETE, instruction)
    try:
        with commands.make_context("unscaled", arguments) as context:
            commands.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    return 0


def _settle_output() -> None:
    """What is still buffered must not raise again when Python closes a stream whose reader or disk has gone."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    click.echo(f"unscaled: {message}", err=True)
    return code


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


def _show_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    if issubclass(category, RuntimeWarning):  # NumPy's: an overflow is seen in what comes out
        return
    click.echo(f"unscaled: note: {message}", err=True)
