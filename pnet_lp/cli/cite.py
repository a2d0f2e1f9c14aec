"""``pnet-lp cite``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import output_options
from pnet_lp.cli.output import Output
from pnet_lp.report.citations import SINGULAR, references


def _options(function: Callable[..., None]) -> Callable[..., None]:
    for kind, name in reversed(SINGULAR.items()):
        help_text = f"Also what this {name} is from (`pnet-lp list {kind}`); may be repeated."
        function = click.option(f"--{name}", metavar="EXPR", multiple=True, help=help_text)(function)
    return function


@click.command(cls=Command, example="pnet-lp cite jellyfish:k=8 --routing ksp:8")
@click.argument("models", metavar="[MODEL|RESULT]...", nargs=-1)
@_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["bibtex", "text"]),
    default="bibtex",
    show_default=True,
    help="How references are printed.",
)
@output_options()
def command(models: tuple[str, ...], form: Literal["bibtex", "text"], output: Output, **named: tuple[str, ...]) -> None:
    """Print references to this program and to the papers of the models in use.

    MODEL is an expression or a name of any kind; the options say of which kind.  RESULT is a file that a command has
    written as JSON, or a folder with such files: references are to all models that they name.
    """
    found = references(models, {kind: named[name] for kind, name in SINGULAR.items()})
    document: list[dict[str, Any]] = [
        {"key": key, "type": one.kind, "fields": dict(one.fields), "used": list(one.used)} for key, one in found.items()
    ]
    lines = [one.bibtex(key) if form == "bibtex" else one.text() for key, one in found.items()]
    output.emit({"references": document}, lambda: lines)
