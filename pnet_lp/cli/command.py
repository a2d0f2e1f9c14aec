"""What commands have in common: ``--debug``, ``--json``, exit code 3, an example in the help text."""

from __future__ import annotations

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


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
