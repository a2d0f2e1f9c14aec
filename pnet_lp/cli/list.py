"""``pnet-lp list``."""

from __future__ import annotations

from pathlib import Path

import click

from pnet_lp.cli.command import Command, json_option
from pnet_lp.cli.output import OutputFile, print_json, print_report
from pnet_lp.report.registries import KINDS, flat_entries, in_full, list_documents, overview
from pnet_lp.report.tables import SUFFIXES, from_rows, write_table


@click.command(cls=Command, example="pnet-lp list topologies jellyfish")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("name", required=False)
@click.option("-o", "--out", type=OutputFile(*SUFFIXES), help="Write one row per parameter as a table.")
@json_option
def command(kind: str, name: str | None, out: Path | None, as_json: bool) -> None:
    """List the names that expressions and options accept, one line each.

    Topologies and traffic come in two types: builders, which take parameters, and names of the catalogue.  With NAME,
    show one entry in full: the parameters of a builder with their defaults and units, or what a spec says.
    """
    documents = list_documents(kind, name)
    if out:
        write_table(from_rows(flat_entries(documents)), out)
    if as_json:
        print_json({"kind": kind, "entries": documents})
    elif name is None:
        print_report(*overview(documents))
    else:
        print_report(*(part for document in documents for part in in_full(document)))
