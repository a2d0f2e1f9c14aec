"""Paths to read, and statistics of many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pnet_lp.questions.paths.answer import PathsAnswer
from pnet_lp.tables import Columns, Document, Report, from_rows, table_of, text_table
from pnet_lp.wording import fill

if TYPE_CHECKING:
    from rich.table import Table

_PATHS = {
    "pairs": "{pairs:,}, {disconnected_pairs:,} without a path",
    "paths": "{paths[total]:,}",
    "paths per pair": "{paths[per_pair_mean]:.4g} on average, {paths[per_pair_min]} to {paths[per_pair_max]}",
}
_HOPS = {
    "hops": "{hops[mean]:.4g} on average, {hops[max]} at most",
    "hops of the shortest": "{hops[mean_shortest]:.4g} on average",
}


def report(document: Document) -> Report:
    """Return the paths of a pair as a table, or the statistics of all."""
    if "pair" not in document:
        return [_statistics(document)]
    if not document["paths"]:
        return [fill("no plane has a path from {pair[0]} to {pair[1]}", document)]
    switches = ("switches", lambda path: " ".join(path["switches"]) or "(one switch)")
    return [table_of(document["paths"], ("plane", "{plane}"), ("hops", "{hops}"), switches, texts=("switches",))]


def table(answer: PathsAnswer) -> Columns:
    """Return one row per path, shortest first, or one per number of hops; names of switches have blanks between."""
    if answer.paths is None:
        histogram = answer.statistics["hops"]["histogram"]
        return {"hops": [int(hops) for hops in histogram], "paths": list(histogram.values())}
    return from_rows([{**path, "switches": " ".join(path["switches"])} for path in answer.document["paths"]])


def _statistics(document: Document) -> Table:
    table = text_table(show_header=False)
    known = _PATHS if document["hops"]["mean"] is None else _PATHS | _HOPS
    for label, template in known.items():
        table.add_row(label, fill(template, document))
    for key, counts in (("hops", document["hops"]["histogram"].items()), ("plane", enumerate(document["planes"]))):
        table.add_row(f"paths by {key}", ", ".join(f"{value}: {count:,}" for value, count in counts))
    return table
