"""The command group: which commands there are, and what becomes of an error."""

from __future__ import annotations

import errno
import importlib
import os
import platform
import sys
import traceback
from typing import Any

import click
from click.shell_completion import CompletionItem

from pnet_lp import __version__
from pnet_lp.cli.command import debug_option, flags, wants_traceback
from pnet_lp.cli.commands import OTHER_WORDS, OTHERS, asks, commands, plain_command
from pnet_lp.errors import PnetError, on_one_line, printable
from pnet_lp.interrupts import INTERRUPTED, pressed, settle
from pnet_lp.registry import nearest

COMPLETE = "_PNET_LP_COMPLETE"
"""The variable by which a shell asks for completions."""


class CommandGroup(click.Group):
    """Commands that are imported when they are run, and one place that turns errors into exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the commands in the order of the help text."""
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of module ``pnet_lp.cli.<name>``, or the one that asks the question of that name."""
        if cmd_name not in OTHERS:
            return importlib.import_module("pnet_lp.cli.ask").command_of(cmd_name) if asks(cmd_name) else None
        return plain_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command asked for; an unknown one is a usage error that offers the nearest."""
        known = commands()
        unknown = args[0] not in known and not args[0].startswith("-") and not ctx.resilient_parsing
        if unknown and not asks(args[0]):
            ctx.fail(f"unknown command {args[0]!r}{nearest(args[0], known, OTHER_WORDS)}; allowed: {', '.join(known)}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Return the commands and options that begin so; no command is imported."""
        options = click.Command.shell_complete(self, ctx, incomplete)
        known = commands()
        names = [name for name in known if name.startswith(incomplete)]
        return [*(CompletionItem(name, help=known[name]) for name in names), *options]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(commands().items()))

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the program; that its own help text or version cannot be printed becomes a sentence too."""
        if COMPLETE in os.environ:
            importlib.import_module("pnet_lp.cli.shells")
        try:
            return super().main(*args, **extra)
        except OSError as error:
            click.echo(f"Error: standard output: cannot be written ({error.strerror})", err=True)
            sys.exit(1)
        finally:
            _drop_what_cannot_be_written()

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors become one sentence on stderr and an exit code."""
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.Abort):
            raise
        except click.ClickException as error:
            error.message = on_one_line(error.message)  # type: ignore[misc]
            raise
        except KeyboardInterrupt as stop:
            _leave(ctx, "; ".join(["interrupted", *stop.args]), INTERRUPTED)
        except Exception as error:
            # A library may have made another error of it, and what comes after may be a consequence.
            if pressed():
                _leave(ctx, "interrupted", INTERRUPTED)
            # A reader that closed the pipe has seen enough; click ends the process quietly.
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise
            _leave(ctx, *_sentence_and_code(ctx, error))
        finally:
            settle()

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Return the context of the group; before there is one, click would make another exit code of Ctrl-C."""
        try:
            return super().make_context(*args, **kwargs)
        except click.ClickException as error:
            error.message = on_one_line(error.message)  # type: ignore[misc]
            raise
        except KeyboardInterrupt:
            click.echo("Error: interrupted", err=True)
            raise SystemExit(INTERRUPTED) from None


def _drop_what_cannot_be_written() -> None:
    """Leave nothing in the buffer of a standard output that takes nothing: Python would end with a code of its own."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sentence_and_code(ctx: click.Context, error: Exception) -> tuple[str, int]:
    """Return the sentence and the exit code of an error."""
    match error:
        case PnetError():
            return error.sentence(flags(ctx)), error.exit_code
        case OSError():
            return f"{error.filename or 'system'}: {error.strerror or error}", 1
        case MemoryError():
            # NumPy and the core say how much they requested, Python does not.
            amount = f" ({str(error)[0].lower()}{str(error)[1:]})" if str(error) else ""
            return f"out of memory{amount}; allowed: a smaller network, fewer planes, sparser traffic", 1
        case _:  # the last resort: no traceback unless requested
            hint = "" if wants_traceback(ctx) else "; --debug shows where"
            return f"unexpected {type(error).__name__}: {on_one_line(str(error))}{hint}", 1


def _leave(ctx: click.Context, sentence: str, code: int) -> None:
    if wants_traceback(ctx):
        click.echo(printable(traceback.format_exc()), err=True, nl=False)
    click.echo(f"Error: {printable(sentence)}", err=True)
    ctx.exit(code)


_VERBOSE = "pnet_lp.verbose"


def _remember_verbose(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    ctx.meta[_VERBOSE] = value


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the version; not eager, so that ``--verbose`` may stand on either side."""
    if not value or ctx.resilient_parsing:
        return
    click.echo(f"pnet-lp, version {__version__}")
    if ctx.meta[_VERBOSE]:
        manifest = importlib.import_module("pnet_lp.manifest")
        extras = importlib.import_module("pnet_lp.extras")
        found = {"Python": platform.python_version(), "platform": platform.platform(), **manifest.dependencies()}
        for name, version in found.items():
            click.echo(f"{name:<17}  {version or f'not installed: {extras.install_command(name)}'}")
    ctx.exit()


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[debug_option()],
    epilog="`pnet-lp COMMAND --help` shows a command's options and an example to run.",
)
@click.option("--verbose", is_flag=True, is_eager=True, expose_value=False, callback=_remember_verbose, hidden=True)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit; with --verbose those of Python and of all libraries too.",
)
def main() -> None:
    """Certified throughput of datacenter networks with several parallel dataplanes.

    Exit codes: 0 done, 1 failed while working, 2 bad usage or bad input, 3 incomplete (the bounds have not met within
    the tolerance, or a simulation ended early), 130 interrupted.
    """
