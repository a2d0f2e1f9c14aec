"""What commands have in common: ``--debug``, ``--json``, an example in the help text, options that need others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from pnet_lp.cli.completion import complete_by_name, other_options
from pnet_lp.flags import RUNNING
from pnet_lp.registry import nearest
from pnet_lp.stdout import reserved
from pnet_lp.units import misread

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

BOUNDS_ONLY = 3
"""Exit code where a number printed is a pair of bounds that have not met within the tolerance."""

_DEBUG = "pnet_lp.debug"
_FLAGS = "pnet_lp.flags"


def debug_option() -> click.Option:
    """Return the option ``--debug``, which the group and every command take."""

    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            ctx.meta[_DEBUG] = True

    return click.Option(
        ["--debug"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=remember,
        help="Show a traceback where something fails.",
    )


def wants_traceback(ctx: click.Context) -> bool:
    """Whether ``--debug`` was given before or after the command's name."""
    return bool(ctx.meta.get(_DEBUG))


def flags(ctx: click.Context) -> Mapping[str, str]:
    """Return what the options of the command that runs are called, ``--fail-links``, by name of the parameter."""
    found: Mapping[str, str] = ctx.meta.get(_FLAGS, {})
    return found


def call_them(names: Mapping[str, str], *, instead: bool = False) -> None:
    """Have messages call parameters as ``names`` says: those without an option of the command, or all ``instead``."""
    ctx = click.get_current_context()
    ctx.meta[_FLAGS] = {**flags(ctx), **names} if instead else {**names, **flags(ctx)}


def given(names: Iterable[str]) -> tuple[str, ...]:
    """Return those of the parameters ``names`` that stand in the command line."""
    ctx = click.get_current_context()
    return tuple(name for name in names if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE)


class _Decimal(click.ParamType[Any]):
    """What is written in decimal digits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value, or fail where Python would read another number than the one written."""
        if isinstance(value, str) and misread(value):
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        return super().convert(value, param, ctx)


class Whole(_Decimal, click.IntRange):
    """A whole number of a range; messages and help texts call it by its name."""

    name = "integer"


class Number(_Decimal, click.FloatRange):
    """A finite number of a range."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or fail."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{number} is not a finite number.", param, ctx)
        return number


class Option(click.Option):
    """An option that has no meaning without, or beside, others.

    Args:
        also: other words for its name.
        heading: of the options among which it is listed where there are many.
        needs: names of parameters, one of which must be given too; those that a command lacks count as not given.
        excludes: names of parameters that must not be given too.
        listed: returns the names that stand in the help text for ``{}``; called only where that text is shown.
    """

    def __init__(
        self,
        *args: Any,
        also: Iterable[str] = (),
        heading: str = "",
        needs: tuple[str, ...] = (),
        excludes: tuple[str, ...] = (),
        listed: Callable[[], Iterable[str]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.also = {f"--{word}": max(self.opts, key=len) for word in also}
        self.heading, self.needs, self.excludes, self.listed = heading, needs, excludes, listed

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option's lines of the help text."""
        if self.listed is not None:
            *others, last = self.listed()
            names = f"{', '.join(others)} or {last}" if others else last
            self.help, self.listed = str(self.help).format(names), None
        return super().get_help_record(ctx)

    def check(self, ctx: click.Context) -> None:
        """Raise UsageError where the option is given and what it needs is not, or what it excludes is."""
        if not given([str(self.name)]):
            return
        known = flags(ctx)
        flag = known[str(self.name)]
        if self.needs and not given(self.needs):
            required = " or ".join(known[name] for name in self.needs if name in known)
            raise click.UsageError(f"{flag} needs {required}", ctx)
        for other in given(self.excludes):
            raise click.UsageError(f"give either {flag} or {known[other]}", ctx)


OUTPUT, GENERAL = "Output", "General"
"""Headings of options that most commands have; after that of :data:`~pnet_lp.flags.RUNNING`, they come last."""

_MANY = 12
"""Options that need headings."""


def _headings(command: click.Command) -> list[str]:
    """Return the headings of a command's options in their order."""
    found = dict.fromkeys(param.heading for param in command.params if isinstance(param, Option))
    last = (RUNNING, OUTPUT, GENERAL)
    return [*(heading for heading in found if heading not in last), *last]


class Command(click.Command):
    """A command with ``--debug``, ``-h`` and an example.

    Args:
        example: a line that runs as it stands, from any directory where nothing else is said.
    """

    def __init__(self, *args: Any, example: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example
        self.params.append(debug_option())
        for param in self.params:
            complete_by_name(param)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; for an unknown option the message offers the one that is meant, if any."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            options = [param for param in self.params if isinstance(param, click.Option)]
            also = {word: name for one in options if isinstance(one, Option) for word, name in one.also.items()}
            offered = nearest(error.option_name, [name for one in options for name in one.opts if "--" in name], also)
            raise click.UsageError(f"No such option {error.option_name!r}{offered}", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless an option given has no meaning beside the others."""
        options = [param for param in self.params if isinstance(param, click.Option)]
        ctx.meta[_FLAGS] = {option.name: max(option.opts, key=len) for option in options}
        for option in options:
            if isinstance(option, Option):
                option.check(ctx)
        with reserved():
            return super().invoke(ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Return the options that begin so, those of other commands where it takes them."""
        return super().shell_complete(ctx, incomplete) + other_options(ctx, incomplete)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, many of them under headings: the command's own first, those of all commands last."""
        sections: dict[str, list[tuple[str, str]]] = {"": [], **{heading: [] for heading in _headings(self)}}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None:
                sections[getattr(param, "heading", GENERAL)].append(record)
        if sum(map(len, sections.values())) < _MANY:
            sections = {"": [record for records in sections.values() for record in records]}
        for heading, records in sections.items():
            if records:
                with formatter.section(heading or "Options"):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example below the options."""
        super().format_epilog(ctx, formatter)
        with formatter.section("Example"):
            # Not wrapped: a broken line could not be copied into a shell.
            formatter.write(f"  {self.example}\n")


class CommandFamily(Command):
    """A command that has others beside it: its first word may be one of their names instead of an argument.

    Args:
        others: by name, with one line of help each.
        load: returns one of them.
    """

    def __init__(self, *args: Any, others: Mapping[str, str], load: Callable[[str], Command], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.others, self.load = others, load

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context of the command that the first word names, or of this one."""
        if not args or args[0] not in self.others:
            return super().make_context(info_name, args, parent, **extra)
        return self.load(args[0]).make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of options, and that of the other commands."""
        super().format_options(ctx, formatter)
        with formatter.section("Commands"):
            formatter.write_dl(list(self.others.items()))


json_option = click.option(
    "--json", "as_json", cls=Option, heading=OUTPUT, is_flag=True, help="Print one JSON document."
)
