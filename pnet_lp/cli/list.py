"""``pnet-lp list``."""

from __future__ import annotations

import click

from pnet_lp.cli.command import Command
from pnet_lp.cli.options import output_options
from pnet_lp.cli.output import Output
from pnet_lp.report.registries import KINDS, flat_entries, in_full, list_documents, overview
from pnet_lp.tables import from_rows


@click.command(cls=Command, example="pnet-lp list topologies jellyfish")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("name", required=False)
@output_options("parameter")
def command(kind: str, name: str | None, output: Output) -> None:
    """List the names that expressions and options accept, one line each.

    Topologies and traffic are either builders, which take parameters, or names of the catalogue.  NAME shows one entry
    in full: the parameters of a builder with defaults and units, or the content of a spec.
    """
    documents = list_documents(kind, name)
    output.emit(
        {"kind": kind, "entries": documents},
        lambda: overview(documents) if name is None else [part for one in documents for part in in_full(one)],
        table=lambda: from_rows(flat_entries(documents)),
    )
