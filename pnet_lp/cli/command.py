"""What commands have in common: ``--debug``, ``--json``, exit code 3, an example in the help text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

BOUNDS_ONLY = 3
"""Exit code where a number printed is a pair of bounds that have not met within the tolerance."""

_DEBUG = "pnet_lp.debug"


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


class Command(click.Command):
    """A command with ``--debug``, ``-h`` and an example.

    Args:
        example: a line that runs as it stands, from any directory where nothing else is said.
    """

    def __init__(self, *args: Any, example: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example
        self.params.append(debug_option())

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example below the options."""
        super().format_epilog(ctx, formatter)
        with formatter.section("Example"):
            # Not wrapped: a broken line could not be copied into a shell.
            formatter.write(f"  {self.example}\n")


class CommandFamily(Command):
    """A command that has others beside it: its first word may be one of their names instead of an argument.

    Args:
        others: by name.
    """

    def __init__(self, *args: Any, others: Mapping[str, Command], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.others = others

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context of the command that the first word names, or of this one."""
        other = self.others.get(args[0]) if args else None
        if other is None:
            return super().make_context(info_name, args, parent, **extra)
        return other.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of options, and that of the other commands."""
        super().format_options(ctx, formatter)
        with formatter.section("Commands"):
            formatter.write_dl([(name, other.get_short_help_str()) for name, other in self.others.items()])


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
