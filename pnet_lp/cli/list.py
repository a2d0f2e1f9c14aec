"""``pnet-lp list``."""

from __future__ import annotations

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import output_options
from pnet_lp.cli.output import Output
from pnet_lp.registry import nearest
from pnet_lp.report.registries import KIND_LINES, KINDS, flat_entries, in_full, list_documents, overview
from pnet_lp.tables import from_rows


class _Kind(click.Choice[str]):
    """One of the kinds."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        """Return what is wrong, and which kind is meant."""
        del ctx
        return f"found {str(value)!r}{nearest(str(value), self.choices)}; allowed: {', '.join(self.choices)}"


@click.command(cls=Command, example="pnet-lp list topologies jellyfish")
@click.argument("kind", type=_Kind(list(KINDS)), metavar="[KIND]", required=False)
@click.argument("name", required=False)
@output_options("parameter")
def command(kind: str | None, name: str | None, output: Output) -> None:
    """List the names that expressions and options accept, one line each; without KIND, the kinds of names.

    Topologies and traffic are either builders, which take parameters, or names of the catalogue.  NAME shows one entry
    in full: the parameters of a builder with defaults and units, or the content of a spec.
    """
    if kind is None:
        kinds = [{"kind": one, "summary": line} for one, line in KIND_LINES.items()]
        width = max(map(len, KIND_LINES))
        shown = [f"{one:<{width}}  {line}" for one, line in KIND_LINES.items()]
        output.emit({"kinds": kinds}, lambda: shown, table=lambda: from_rows(kinds))
        return
    documents = list_documents(kind, name)
    output.emit(
        {"kind": kind, "entries": documents},
        lambda: overview(documents) if name is None else [part for one in documents for part in in_full(one)],
        table=lambda: from_rows(flat_entries(documents)),
    )
