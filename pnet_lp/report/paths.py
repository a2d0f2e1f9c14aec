"""Paths to read, and statistics of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pnet_lp.model import Network
from pnet_lp.model.paths import PathSet
from pnet_lp.report.tables import Columns, text_table

if TYPE_CHECKING:
    from rich.table import Table


def path_documents(network: Network, paths: PathSet) -> list[dict[str, Any]]:
    """Return each path as its JSON document: plane, hops and the names of the switches it passes."""
    return [
        {
            "plane": (p := int(paths.plane[i])),
            "hops": int(paths.hops[i]),
            "switches": [network.planes[p].switch_names[u] for u in paths.switches(i)],
        }
        for i in range(paths.path_count)
    ]


def path_table(documents: list[dict[str, Any]]) -> Table:
    """Return paths as a table."""
    table = text_table()
    table.add_column("plane", justify="right")
    table.add_column("hops", justify="right")
    table.add_column("switches", overflow="fold")
    for path in documents:
        table.add_row(str(path["plane"]), str(path["hops"]), " ".join(path["switches"]) or "(one switch)")
    return table


def path_columns(documents: list[dict[str, Any]]) -> Columns:
    """Return one row per path, shortest first; ``switches`` are their names, with blanks between."""
    return {
        "plane": [path["plane"] for path in documents],
        "hops": [path["hops"] for path in documents],
        "switches": [" ".join(path["switches"]) for path in documents],
    }


def statistics_columns(statistics: dict[str, Any]) -> Columns:
    """Return one row per number of hops, with the number of paths that have so many."""
    histogram = statistics["hops"]["histogram"]
    return {"hops": [int(hops) for hops in histogram], "paths": list(histogram.values())}


def statistics_table(statistics: dict[str, Any]) -> Table:
    """Return statistics as a table of two columns."""
    table = text_table(show_header=False)
    paths, hops = statistics["paths"], statistics["hops"]
    table.add_row("pairs", f"{statistics['pairs']:,}, {statistics['disconnected_pairs']:,} without a path")
    table.add_row("paths", f"{paths['total']:,}")
    table.add_row(
        "paths per pair",
        f"{paths['per_pair_mean']:.4g} on average, {paths['per_pair_min']} to {paths['per_pair_max']}",
    )
    if hops["mean"] is not None:
        table.add_row("hops", f"{hops['mean']:.4g} on average, {hops['max']} at most")
        table.add_row("hops of the shortest", f"{hops['mean_shortest']:.4g} on average")
    table.add_row("paths by hops", ", ".join(f"{h}: {n:,}" for h, n in hops["histogram"].items()))
    table.add_row("paths by plane", ", ".join(f"{p}: {n:,}" for p, n in enumerate(statistics["planes"])))
    return table
