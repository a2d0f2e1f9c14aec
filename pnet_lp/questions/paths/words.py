"""Paths to read, and statistics of many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pnet_lp.questions.paths.answer import PathsAnswer
from pnet_lp.tables import Columns, Document, Report, from_rows, table_of, text_table

if TYPE_CHECKING:
    from rich.table import Table


def report(document: Document) -> Report:
    """Return the paths of a pair as a table, or the statistics of all."""
    if "pair" not in document:
        return [_statistics(document)]
    if not document["paths"]:
        return [f"no plane has a path from {document['pair'][0]} to {document['pair'][1]}"]
    table = table_of(
        document["paths"],
        ("plane", "{plane}"),
        ("hops", "{hops}"),
        ("switches", lambda path: " ".join(path["switches"]) or "(one switch)"),
        texts=("switches",),
    )
    return [table]


def table(answer: PathsAnswer) -> Columns:
    """Return one row per path, shortest first, or one per number of hops; names of switches have blanks between."""
    if answer.paths is None:
        histogram = answer.statistics["hops"]["histogram"]
        return {"hops": [int(hops) for hops in histogram], "paths": list(histogram.values())}
    return from_rows([{**path, "switches": " ".join(path["switches"])} for path in answer.rows()])


def _statistics(statistics: Document) -> Table:
    table = text_table(show_header=False)
    paths, hops = statistics["paths"], statistics["hops"]
    table.add_row("pairs", f"{statistics['pairs']:,}, {statistics['disconnected_pairs']:,} without a path")
    table.add_row("paths", f"{paths['total']:,}")
    table.add_row(
        "paths per pair", f"{paths['per_pair_mean']:.4g} on average, {paths['per_pair_min']} to {paths['per_pair_max']}"
    )
    if hops["mean"] is not None:
        table.add_row("hops", f"{hops['mean']:.4g} on average, {hops['max']} at most")
        table.add_row("hops of the shortest", f"{hops['mean_shortest']:.4g} on average")
    table.add_row("paths by hops", ", ".join(f"{h}: {n:,}" for h, n in hops["histogram"].items()))
    table.add_row("paths by plane", ", ".join(f"{p}: {n:,}" for p, n in enumerate(statistics["planes"])))
    return table
