"""The way into the command line, and its one seam for failures.

Every failure leaves as one line on stderr and an exit code: 2 for wrong usage or input, 1
for anything else. ``CONSTRAINED_DU_DEBUG=1`` shows the traceback of the latter.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from constrained_du import __version__
from constrained_du.cli.chat import chat
from constrained_du.cli.compiling import compile_domain, emit
from constrained_du.cli.converting import convert
from constrained_du.cli.demonstrating import demo
from constrained_du.cli.evaluating import evaluate
from constrained_du.cli.fetching import models
from constrained_du.cli.serving import serve
from constrained_du.cli.terminal import Failure, one_line, say
from constrained_du.errors import ConstrainedDuError, DecodeError

DONE, OTHER, USAGE = 0, 1, 2
DEBUG = "CONSTRAINED_DU_DEBUG"


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(__version__, prog_name="constrained-du")
@click.pass_context
def cli(context: click.Context) -> None:
    """What the user said becomes a call of one of your functions, or do_not_understand."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (demo, compile_domain, convert, chat, emit, evaluate, models, serve):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _show_warning
        _speak_utf8()
        try:
            return _run(arguments)
        except BrokenPipeError:  # the reader has seen enough
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - so that the exit's flush is quiet
            return OTHER


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = cli.main(arguments, prog_name="constrained-du", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else DONE
    except click.ClickException as problem:
        context = getattr(problem, "ctx", None)
        hint = f" - see {context.command_path} --help" if context is not None else ""
        say(f"{one_line(problem.format_message()).rstrip('.')}{hint}")
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        say("interrupted")
        return OTHER
    except (DecodeError, Failure) as problem:
        say(one_line(str(problem)))
        return OTHER
    except ConstrainedDuError as problem:
        say(one_line(str(problem)))
        return USAGE
    except BrokenPipeError:
        raise
    except Exception as problem:  # the outermost seam: a bug, said in one line
        if os.environ.get(DEBUG):
            raise
        say(f"{type(problem).__name__}: {one_line(str(problem))} - set {DEBUG}=1 for the traceback")
        return OTHER


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    if issubclass(category, UserWarning):
        say(f"warning: {one_line(str(message))}")


def _speak_utf8() -> None:
    """JSON and most utterances are UTF-8, whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
