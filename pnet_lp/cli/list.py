"""``pnet-lp list``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pnet_lp.cli.command import Command, json_option
from pnet_lp.cli.output import OutputFile, print_json, print_report
from pnet_lp.report.registries import (
    entries_table,
    entry_documents,
    flat_entries,
    routing_documents,
    solver_documents,
)
from pnet_lp.report.tables import SUFFIXES, from_rows, write_table
from pnet_lp.throughput import SOLVERS
from pnet_lp.topology import topologies
from pnet_lp.traffic import traffics

KINDS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "topologies": lambda: entry_documents(topologies),
    "traffic": lambda: entry_documents(traffics),
    "routings": routing_documents,
    "solvers": lambda: solver_documents(SOLVERS),
}


@click.command(cls=Command, example="pnet-lp list traffic")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.option("-o", "--out", type=OutputFile(*SUFFIXES), help="Write one row per parameter as a table.")
@json_option
def command(kind: str, out: Path | None, as_json: bool) -> None:
    """List the names that expressions and options accept, with their parameters and defaults."""
    documents = KINDS[kind]()
    if out:
        write_table(from_rows(flat_entries(documents)), out)
    if as_json:
        print_json({"kind": kind, "entries": documents})
    else:
        print_report(entries_table(documents))
